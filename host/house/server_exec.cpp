#include "house/server_exec.hpp"

#include "base/files.hpp"
#include "base/log.hpp"
#include "house/confine.hpp"
#include "house/find_server.hpp"
#include "house/vault_bell.hpp"
#include "servers/server_wish.hpp"
#include "servers/uids.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <poll.h>
#include <sys/stat.h>

#include <cerrno>

namespace pfar::house {
namespace {

Result<servers::Wish> wish_for(ServerExec const& wanted, config::SurveyedFile const& file,
                               servers::OwnerFacts const& owner) {
    PFAR_TRY(wish, servers::server_wish(file, owner.pfar_home, wanted.tool));
    if (!wanted.backend.empty()) wish.sandbox.backend = wanted.backend;
    if (wish.sandbox.backend == "unconfined") wish.domains.clear(); // it reaches everything, and no proxy stands by
    if (!wanted.command.empty()) {
        wish.command = wanted.command.front();
        wish.args.assign(wanted.command.begin() + 1, wanted.command.end());
        wish.rule = servers::ArgRule::scripts_only;
    }
    return wish;
}

Result<void> make_state(std::optional<std::filesystem::path> const& state) {
    if (!state) return {};
    ::mkdir(state->parent_path().c_str(), 0700); // it may be there
    if (::mkdir(state->c_str(), 0700) == 0 || errno == EEXIST) return {};
    return fail(Errc::io, fmt::format("{} could not be made: {}", state->native(), base::errno_text(errno)));
}

void tell(Record& record, std::string const& server, Credentials const& credentials) {
    boost::json::array entries;
    for (auto const& [name, set_at] : credentials.entries) entries.emplace_back(name);
    record.add({"credential", {{"server", server}, {"outcome", "given"}, {"entries", std::move(entries)}}});
}

std::shared_ptr<base::Redactor const> redactor_of(Credentials const& credentials) {
    std::vector<base::Redactor::Known> known;
    for (auto const& [name, value] : credentials.values) known.push_back({name, &value});
    return std::make_shared<base::Redactor const>(known);
}

/// What the vault has for a server, and whether that is still so.
struct Supply {
    std::optional<Vault> vault;
    Credentials given; // only names and times are left in it
};

/// Until somebody has changed something in the vault. Signals end us as they end any command.
Result<void> wait_for_vault(VaultBell& bell) {
    pollfd wait{bell.fd(), POLLIN, 0};
    while (::poll(&wait, 1, -1) < 0)
        if (errno != EINTR) return fail(Errc::io, "poll failed");
    bell.hear();
    return {};
}

struct Round {
    House const& house;
    ServerExec const& wanted;
    Record& record;

    Result<ExecEnd> run() {
        PFAR_TRY(file, find_server(house, wanted.server));
        PFAR_TRY(owner, owner_facts(house));
        PFAR_TRY(wish, wish_for(wanted, file, owner));
        PFAR_CHECK(make_state(wish.state));
        ExecTask task{wish, wanted.warn, egress::Rules::Remedy::server_file};
        if (owner.identity.kernel_uid) {
            PFAR_TRY(uid, servers::uid_of(owner.pfar_home, file.identity.native()));
            task.uid = uid;
        }
        Supply supply;
        if (!wish.auth.empty() || !wish.auth_files.empty()) PFAR_CHECK(join(task, supply));
        return exec(house, std::move(task), record);
    }

    Result<void> join(ExecTask& task, Supply& supply) {
        PFAR_TRY(vault, Vault::open(house, wanted.ask));
        supply.vault.emplace(std::move(vault));
        // Before the terminal is the server's: a passphrase may have to be asked for.
        PFAR_CHECK(wanted.wait ? wait_until_complete(*supply.vault, task.wish)
                               : check_all_there(*supply.vault, task.wish));
        task.credentials = [this, &supply, wish = task.wish] { return look(supply, wish); };
        if (wanted.command.empty())
            task.out_of_date = [&supply] { return is_out_of_date(*supply.vault, supply.given); };
        return {};
    }

    Result<Credentials> look(Supply& supply, servers::Wish const& wish) const {
        PFAR_TRY(found, look_up(*supply.vault, wish));
        auto const redactor = redactor_of(found);
        base::redact_log(redactor);
        record.redact_with(redactor);
        if (wanted.known) wanted.known(redactor);
        tell(record, wish.name, found);
        supply.given.entries = found.entries;
        return found;
    }

    Result<void> wait_until_complete(Vault& vault, servers::Wish const& wish) {
        PFAR_TRY(bell, VaultBell::listen(house.places.home));
        for (bool told = false;; told = true) {
            auto const found = check_all_there(vault, wish);
            if (found) return {};
            if (found.error().code != Errc::not_found) return found;
            if (!told) wanted.warn("waiting: " + found.error().what);
            PFAR_CHECK(wait_for_vault(bell));
        }
    }
};

} // namespace

Result<ExecEnd> exec_server(House const& house, ServerExec const& wanted, Record& record) {
    for (;;) {
        auto end = Round{house, wanted, record}.run();
        if (!end || !end->again) return end;
        wanted.warn(fmt::format("a credential of {} has changed; it is started anew", wanted.server));
    }
}

} // namespace pfar::house
