// ProcessMaker: from a server file to a running confined process, on the host's loop.
#pragma once

#include "house/egress_room.hpp"
#include "house/known_secrets.hpp"
#include "house/process.hpp"
#include "house/vault_desk.hpp"

namespace pfar::house {

class ProcessMaker {
public:
    ProcessMaker(boost::asio::any_io_executor executor, House const& house, Record& record, Worker& worker);

    /// As servers::StartProcess says. [main thread, as all of it]
    boost::asio::awaitable<Result<std::unique_ptr<servers::Process>>> start(servers::StartTask task);
    /// What a listing depends on.
    [[nodiscard]] std::string fingerprint(config::SurveyedFile const& file) const;
    [[nodiscard]] Result<std::string> policy_key(config::SurveyedFile const& file, std::string const& tool);
    VaultDesk& vault() { return vault_; }
    KnownSecrets& secrets() { return secrets_; }
    /// Sandboxes that are not wholly gone.
    [[nodiscard]] std::size_t alive() const { return *ending_; }

private:
    struct Prepared {
        servers::Wish wish;
        servers::OwnerFacts owner;
    };
    boost::asio::awaitable<Result<Started>> begin(std::optional<Starting>& starting, StartOrder order,
                                                  std::chrono::steady_clock::time_point late);
    Result<Prepared> prepare(config::SurveyedFile const& file, std::string const& tool);
    Result<uid_t> uid_of(config::SurveyedFile const& file);
    std::shared_ptr<base::Redactor const> redactor_for(Credentials const& credentials);

    boost::asio::any_io_executor executor_;
    House const& house_;
    EgressRoom egress_;
    VaultDesk vault_;
    KnownSecrets secrets_;
    std::string proven_;        // the backend that auto came to
    bool egress_anyway_ = true; // until a sandbox could not have it
    std::map<std::string, uid_t> uids_;
    std::map<std::string, std::weak_ptr<base::Redactor const>> redactors_; // by entries and times
    std::shared_ptr<std::size_t> ending_ = std::make_shared<std::size_t>(0);
};

} // namespace pfar::house
