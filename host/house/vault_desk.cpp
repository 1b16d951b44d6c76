#include "house/vault_desk.hpp"

namespace pfar::house {
namespace {

std::string as_text(std::optional<std::chrono::system_clock::time_point> const& time) {
    return time ? std::to_string(time->time_since_epoch().count()) : "";
}

/// Without a record no credential is given.
Result<Credentials> look(Vault& vault, servers::Wish const& wish, Record& record) {
    PFAR_TRY(found, look_up(vault, wish));
    PFAR_CHECK(record_use(record, wish.name, found));
    return found;
}

} // namespace

std::map<std::string, std::string> as_text(EntryTimes const& times) {
    std::map<std::string, std::string> out;
    for (auto const& [name, time] : times) out.emplace(name, as_text(time));
    return out;
}

Result<std::shared_ptr<Vault>> VaultDesk::open() {
    if (vault_) return vault_;
    PFAR_TRY(vault, Vault::open(house_));
    vault_ = std::make_shared<Vault>(std::move(vault));
    return vault_;
}

boost::asio::awaitable<Result<Credentials>> VaultDesk::give(boost::asio::any_io_executor executor, servers::Wish wish) {
    auto const vault = open();
    if (!vault) co_return vault.error();
    std::function<Result<Credentials>()> work = [this, vault = *vault, wish = std::move(wish)] {
        return look(*vault, wish, record_);
    };
    auto found = co_await worker_.run(executor, std::move(work));
    if (!found && found.error().code == Errc::not_found) co_return fail(Errc::locked, found.error().what);
    co_return found;
}

boost::asio::awaitable<Result<std::map<std::string, std::string>>> VaultDesk::entries(
    boost::asio::any_io_executor executor) {
    using Entries = Result<std::map<std::string, std::string>>;
    auto const vault = open();
    if (!vault) co_return vault.error();
    std::function<Entries()> work = [vault = *vault]() -> Entries {
        PFAR_TRY(listed, vault->list());
        std::map<std::string, std::string> out;
        for (auto const& entry : listed) out.emplace(entry.name, as_text(entry.set_at));
        return out;
    };
    co_return co_await worker_.run(executor, std::move(work));
}

} // namespace pfar::house
