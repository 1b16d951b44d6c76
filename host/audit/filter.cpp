#include "audit/filter.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::audit {

std::string_view text_in(boost::json::object const& event, std::string_view key) {
    auto const* const value = event.if_contains(key);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

bool matches(Filter const& filter, boost::json::object const& event) {
    auto const fits = [&](std::string const& wanted, std::string_view key) {
        return wanted.empty() || text_in(event, key) == wanted;
    };
    auto const fits_tool = [&] {
        auto const tool = text_in(event, "tool");
        return fits(filter.tool, "tool") ||
               (!tool.empty() && filter.tool == fmt::format("{}.{}", text_in(event, "server"), tool));
    };
    return fits(filter.kind, "kind") && fits(filter.outcome, "outcome") && fits(filter.server, "server") &&
           fits(filter.session, "session") && fits_tool();
}

} // namespace pfar::audit
