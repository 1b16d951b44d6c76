// pfar audit verify
#include "audit/verify.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "cli/host_client.hpp"
#include "cli/json.hpp"
#include "cli/record_commands.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::cli {
namespace {

/// As lines have it; none if it is no hash.
std::optional<std::string> hash_in(std::string text) {
    bool const right = text.size() == 64 &&
                       std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return right ? std::optional(std::move(text)) : std::nullopt;
}

int tell_fault(Error const& fault, bool json, Console& console) {
    bool const is_about_record = fault.code == Errc::invalid;
    if (json && is_about_record) console.print(to_text(boost::json::object{{"whole", false}, {"why", fault.what}}));
    auto const code = failed(console, fault);
    return is_about_record ? exit_data : code;
}

} // namespace

int run_audit_verify(Arguments const& arguments, Console& console) {
    std::optional<std::string> head;
    if (arguments.has("head")) {
        head = hash_in(arguments.options.at("head"));
        if (!head) {
            console.complain(fmt::format("--head is the hash of a line, 64 hexadecimal digits, not \"{}\"",
                                         base::printable(arguments.options.at("head"))));
            return exit_usage;
        }
    }
    auto const home = base::home();
    if (!home) return failed(console, home.error());
    bool const json = arguments.has("json");
    settle_record();
    auto const verified = audit::verify(*home / "audit", head);
    if (!verified) return tell_fault(verified.error(), json, console);
    if (json)
        console.print(
            to_text(boost::json::object{{"whole", true}, {"lines", verified->lines}, {"head", verified->head}}));
    else
        console.print(fmt::format("the record is whole: {} line{}, head {}\n", verified->lines,
                                  verified->lines == 1 ? "" : "s", verified->head));
    return exit_ok;
}

} // namespace pfar::cli
