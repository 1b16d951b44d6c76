// What a template has to fulfil beyond its shape. Pure, and about plain data: a template that was not written in TOML can be
// judged too.
#pragma once

#include <pfar/server_registry.hpp>

#include <optional>

namespace pfar::registry_known {

struct Complaint {
    std::string key;                 // "args"; empty: the template as a whole
    std::optional<std::size_t> item; // which of that list
    std::string what;                // follows the key in a sentence: "needs ..."
};
using Complaints = std::vector<Complaint>;

/// Each of these adds what it finds wrong. No order is promised.
void judge_package(KnownServer const& server, Complaints& out);
void judge_parameters(KnownServer const& server, Complaints& out);
void judge_credentials(KnownServer const& server, Complaints& out);
void judge_domains(KnownServer const& server, Complaints& out);
void judge_texts(KnownServer const& server, Complaints& out);
void judge_verify(KnownServer const& server, Complaints& out);
/// A secret belongs into a credential: what is in argv, in a server file or in a parameter, others can read.
void judge_secrecy(KnownServer const& server, Complaints& out);

/// All of them.
Complaints complaints(KnownServer const& server);

/// None if `pattern` is RE2 syntax, else what is wrong with it.
std::optional<std::string> pattern_mistake(std::string const& pattern);
/// Of the whole text. False too for a pattern with a mistake.
bool fits_pattern(std::string const& text, std::string const& pattern);

} // namespace pfar::registry_known
