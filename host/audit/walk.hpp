// The walk along the chain: from a place in it, through as many files as there are, as far as every line follows the one before.
#pragma once

#include "audit/head.hpp"

#include <functional>
#include <optional>

namespace pfar::audit {

struct Walked {
    Head end;                         // behind the last line that follows
    std::uint64_t torn = 0;           // bytes of a line without its newline behind that
    std::optional<std::string> fault; // what comes next and does not follow: "audit-000001.jsonl:12: the line ..."

    [[nodiscard]] bool clean() const { return torn == 0 && !fault; }
};

struct Walk {
    std::filesystem::path directory;
    Key const& key;
    std::optional<Head> until;                // go no further; what is missing before it is a fault
    std::function<void(Mark const&)> on_line; // may be empty
};

/// Errors only for what cannot be read; what is wrong with the record is in Walked. [may block]
Result<Walked> walk(Walk const& how, Head const& from);

} // namespace pfar::audit
