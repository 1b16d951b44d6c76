#include "gateway/gateway.hpp"

#include "base/text.hpp"
#include "gateway/log_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace pfar::gateway {
namespace {

constexpr std::size_t most_clients = 2048;

std::string new_id() {
    static constexpr std::string_view letters = "abcdefghjkmnpqrstuvwxyz23456789";
    std::random_device random;
    std::string out = "s-";
    for (int i = 0; i < 8; ++i) out += letters[random() % letters.size()];
    return out;
}

} // namespace

Gateway::Gateway(ClientMeans means) {
    auto all = std::make_shared<ClientMeans>(std::move(means));
    all->gone = [this, gone = all->gone](Client const& client) {
        clients_.erase(client.id());
        if (gone) gone(client);
    };
    means_ = std::move(all);
}

Gateway::~Gateway() {
    close("the host is stopping");
}

Result<std::shared_ptr<Party>> Gateway::admit(Arrival arrival) {
    std::erase_if(clients_, [](auto const& one) { return one.second.expired(); });
    if (clients_.size() >= most_clients)
        return fail(Errc::unavailable, fmt::format("{} sessions are open already; close some", clients_.size()));
    auto const offers = means_->offers(arrival.directory);
    bool const known = arrival.server.empty() || std::any_of(offers.begin(), offers.end(), [&](auto const& offer) {
                           return offer->name == arrival.server;
                       });
    if (!known)
        return fail(Errc::not_found, fmt::format("there is no server \"{}\"; pfar list shows which there are",
                                                 base::printable(arrival.server)));
    auto const client = std::make_shared<Client>(means_, std::move(arrival), new_id());
    clients_.emplace(client->id(), client);
    return std::shared_ptr<Party>(client);
}

std::vector<std::shared_ptr<Client>> Gateway::clients() const {
    std::vector<std::shared_ptr<Client>> out;
    for (auto const& [id, weak] : clients_)
        if (auto client = weak.lock()) out.push_back(std::move(client));
    return out;
}

void Gateway::list_changed(std::string const& identity, std::string_view kind) {
    for (auto const& client : clients())
        if (identity.empty() || client->sees(identity)) client->list_changed(kind);
}

void Gateway::notified(std::string const& identity, std::string const& session, std::string_view uri,
                       std::string_view method, std::string_view params) {
    for (auto const& client : clients())
        if ((session.empty() || client->id() == session) && client->sees(identity))
            client->notified(identity, uri, method, params);
}

void Gateway::say(std::string const& identity, std::string_view level, std::string const& words) {
    for (auto const& client : clients())
        if (identity.empty() || client->sees(identity)) client->say(level, words);
}

std::string Gateway::log_level(std::string const& identity) const {
    std::string out;
    for (auto const& client : clients()) {
        if (client->level().empty() || !client->sees(identity)) continue;
        if (out.empty() || gateway::log_level(client->level()) < gateway::log_level(out)) out = client->level();
    }
    return out;
}

void Gateway::close(std::string const& why) {
    for (auto const& client : clients()) {
        auto const outlet = client->arrival().outlet;
        client->end(why);
        outlet->close(why);
    }
}

} // namespace pfar::gateway
