// What a server gets from the vault: looked up at the last moment, given to one process, and forgotten here.
#pragma once

#include "house/record.hpp"
#include "house/vault.hpp"
#include "servers/wish.hpp"
#include "spawn/orders.hpp"

#include <map>

namespace pfar::house {

/// When each entry was set.
using EntryTimes = std::map<std::string, std::optional<std::chrono::system_clock::time_point>>;

struct Credentials {
    std::vector<std::pair<std::string, Secret>> variables, files;
    std::vector<std::pair<std::string, Secret>> values; // of the entries themselves, by name: what is to be redacted
    EntryTimes entries;

    void add_to(spawn::Additions& additions) const;
};

/// The vault entries that this needs, each once.
std::vector<std::string> entries_of(std::vector<config::AuthValue> const& auth,
                                    std::vector<config::AuthValue> const& files);

/// Whether all of it is there, without using any of it. Errors as look_up(). [main thread, may block]
Result<void> check_all_there(Vault& vault, servers::Wish const& wish);

/// Errc::not_found names all that are missing, and the commands that set them. [main thread, may block]
Result<Credentials> look_up(Vault& vault, servers::Wish const& wish);

/// What is to be redacted of them.
std::shared_ptr<base::Redactor const> redactor_of(Credentials const& credentials);

/// That a server is given these, by name. Without it none is given. [any thread, may block]
Result<void> record_use(Record& record, std::string const& server, Credentials const& credentials);

/// True if one of them was set again since. [main thread, may block]
Result<bool> is_out_of_date(Vault& vault, EntryTimes const& given);

/// Which servers need which entry, by entry; shadowed files do not count. [may block]
Result<std::map<std::string, std::vector<std::string>>> users_of_entries(House const& house);

} // namespace pfar::house
