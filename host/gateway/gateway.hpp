// Gateway: all sessions there are, whatever they come by.
#pragma once

#include "gateway/client.hpp"

namespace pfar::gateway {

class Gateway {
public:
    /// [main thread, as all of it]
    explicit Gateway(ClientMeans means);
    Gateway(Gateway const&) = delete;
    Gateway& operator=(Gateway const&) = delete;
    ~Gateway();

    Result<std::shared_ptr<Party>> admit(Arrival arrival);
    [[nodiscard]] std::vector<std::shared_ptr<Client>> clients() const;
    [[nodiscard]] std::size_t count() const { return clients().size(); }

    /// A list of a server has changed: "tools", "resources", "prompts"; an empty identity: which servers there are.
    void list_changed(std::string const& identity, std::string_view kind);
    /// To every session that sees the server; `session`: only this one.
    void notified(std::string const& identity, std::string const& session, std::string_view uri,
                  std::string_view method, std::string_view params);
    void say(std::string const& identity, std::string_view level, std::string const& words);
    /// The most verbose level that somebody who sees this server has asked for; empty: nobody has.
    [[nodiscard]] std::string log_level(std::string const& identity) const;
    void close(std::string const& why);

private:
    std::shared_ptr<ClientMeans const> means_;
    std::map<std::string, std::weak_ptr<Client>> clients_; // by id
};

} // namespace pfar::gateway
