// VaultDesk: the vault as a running host uses it: on the worker's thread, asking nobody, each use on record before it is given.
#pragma once

#include "house/credentials.hpp"
#include "house/record.hpp"
#include "house/worker.hpp"

namespace pfar::house {

class VaultDesk {
public:
    VaultDesk(House const& house, Record& record, Worker& worker) : house_(house), record_(record), worker_(worker) {}

    /// Errc::locked for whatever a person has to put right: a missing entry, a locked vault.
    boost::asio::awaitable<Result<Credentials>> give(boost::asio::any_io_executor executor, servers::Wish wish);
    /// Every entry and when it was set.
    boost::asio::awaitable<Result<std::map<std::string, std::string>>> entries(boost::asio::any_io_executor executor);
    /// It is opened anew: pfar.toml may name another.
    void forget() { vault_.reset(); }

private:
    Result<std::shared_ptr<Vault>> open();

    House const& house_;
    Record& record_;
    Worker& worker_;
    std::shared_ptr<Vault> vault_; // used on the worker only
};

/// As text, for comparing.
std::map<std::string, std::string> as_text(EntryTimes const& times);

} // namespace pfar::house
