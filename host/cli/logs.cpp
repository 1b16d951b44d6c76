// pfar logs: from the host if one runs, else from the file that the last one kept; no host is started for it
#include "cli/host_client.hpp"
#include "cli/host_commands.hpp"
#include "cli/json.hpp"
#include "house/kept_log.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>

namespace pfar::cli {
namespace {

constexpr std::int64_t usual_lines = 100, most_lines = 1'000'000;

/// None, and complained, if it is no number.
std::optional<std::int64_t> lines_wanted(Arguments const& arguments, Console& console) {
    auto const given = arguments.options.find("lines");
    if (given == arguments.options.end()) return usual_lines;
    std::int64_t lines = -1;
    auto const& text = given->second;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
    if (error == std::errc() && stop == text.data() + text.size() && lines >= 0 && lines <= most_lines) return lines;
    console.complain(fmt::format("--lines is a number up to {}, not \"{}\"", most_lines, base::printable(text)));
    return {};
}

void print_lines(std::vector<std::string> const& lines, bool json, Console& console) {
    if (json)
        console.print(to_text(boost::json::object{{"lines", boost::json::value_from(lines)}}));
    else
        for (auto const& line : lines) console.print(line + "\n");
}

int from_file(Arguments const& arguments, std::int64_t lines, Console& console) {
    auto const kept = house::kept_log(arguments.operands[0], static_cast<std::size_t>(lines));
    if (!kept) return failed(console, kept.error());
    print_lines(*kept, arguments.has("json"), console);
    if (arguments.has("follow")) console.note("no host runs, so nothing follows; pfar list starts one\n");
    return arguments.has("follow") ? exit_unavailable : exit_ok;
}

/// One JSON string a line for scripts.
int follow(control::Client& client, bool json, Console& console) {
    auto const ended = client.listen([&](std::string_view method, std::string_view params) {
        boost::system::error_code bad;
        auto const value = boost::json::parse(params, bad);
        auto const* const object = bad || method != "log" ? nullptr : value.if_object();
        auto const* const line = object != nullptr ? object->if_contains("line") : nullptr;
        if (line != nullptr && line->is_string())
            console.print(
                (json ? boost::json::serialize(*line) : base::printable(std::string_view(line->get_string()))) + "\n");
        return std::ferror(stdout) == 0;
    });
    if (ended) return exit_ok;
    return failed(console, fail(Errc::unavailable, "the host has ended, so nothing follows"));
}

} // namespace

int run_logs(Arguments const& arguments, Console& console) {
    auto const lines = lines_wanted(arguments, console);
    if (!lines) return exit_usage;
    int code = exit_ok;
    auto const finding = host_of_home(console, code);
    if (!finding) return code;
    auto client = control::find_host(*finding);
    if (!client && client.error().code == Errc::not_found) return from_file(arguments, *lines, console);
    if (!client) return failed(console, client.error());
    auto const params = boost::json::serialize(
        boost::json::object{{"server", arguments.operands[0]}, {"lines", *lines}, {"follow", arguments.has("follow")}});
    auto const answer = ask_host(*client, {"logs", params}, console, code);
    if (!answer) return code;
    std::vector<std::string> texts;
    for (auto const& line : elements_of(*answer, "lines"))
        if (line.is_string()) texts.push_back(base::printable(std::string_view(line.get_string())));
    bool const follows = arguments.has("follow"), json = arguments.has("json");
    if (json && follows)
        for (auto const& text : texts) console.print(boost::json::serialize(boost::json::value(text)) + "\n");
    else
        print_lines(texts, json, console);
    return follows ? follow(*client, json, console) : exit_ok;
}

} // namespace pfar::cli
