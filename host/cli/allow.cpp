// pfar allow
#include "house/allow.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"
#include "cli/open.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

/// *.com is no mistake that a machine could be sure of, but hardly what anybody wants.
void warn_if_wide(config::DomainRule const& rule, Console& console) {
    if (!rule.subdomains || rule.host.find('.') != std::string::npos) return;
    console.complain(fmt::format("warning: {} is every name that ends in .{}, whoever it belongs to",
                                 config::to_text(rule), rule.host));
}

} // namespace

int run_allow(Arguments const& arguments, Console& console) {
    auto const& server = arguments.operands[0];
    auto const rule = config::parse_domain(arguments.operands[1]);
    if (!rule) {
        console.complain(fmt::format("{}; {}", rule.error().what, rule.error().fix));
        return exit_usage;
    }
    int code = exit_ok;
    auto const house = open(console, code);
    if (!house) return code;
    auto const allowed = house::allow_domain(*house, server, *rule);
    if (!allowed) {
        console.complain(allowed.error().what);
        return exit_code(allowed.error().code);
    }
    auto const domain = config::to_text(*rule), file = base::printable(allowed->file.native());
    if (arguments.has("json"))
        console.print(to_text(boost::json::object{
            {"server", server}, {"domain", domain}, {"file", file}, {"changed", allowed->changed}}));
    else
        console.print(
            fmt::format("{} may {} reach {} ({})\n", server, allowed->changed ? "now" : "already", domain, file));
    warn_if_wide(*rule, console);
    return exit_ok;
}

} // namespace pfar::cli
