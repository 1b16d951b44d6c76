// A name server: one question in, one answer out, by the table of names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace test {

struct DnsQuestion {
    std::string name; // lower case, no dot at the end
    unsigned kind = 0;
    std::size_t end = 0; // where it stops in the query
};

/// Nothing: not a query that anybody sends.
std::optional<DnsQuestion> read_question(std::string_view query);
/// `asked`: how often this name's addresses were asked for before.
std::string answer_to(std::string_view query, DnsQuestion const& question, unsigned asked);
std::string kind_name(unsigned kind);

} // namespace test
