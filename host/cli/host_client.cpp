// A command loads no plugins and reads no settings: all that is the host's. So it is over in milliseconds.
#include "cli/host_client.hpp"

#include "base/paths.hpp"
#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

boost::json::value const* member(boost::json::value const& object, std::string_view key) {
    return object.is_object() ? object.get_object().if_contains(key) : nullptr;
}

Result<control::Finding> finding() {
    PFAR_TRY(home, base::home());
    PFAR_CHECK(base::prepare_home(home));
    PFAR_TRY(own, control::own_identity(PFAR_VERSION));
    std::error_code error;
    auto directory = std::filesystem::current_path(error);
    return control::Finding{home, own, error ? std::filesystem::path("/") : directory, {}};
}

} // namespace

std::optional<control::Finding> host_of_home(Console& console, int& code) {
    auto found = finding();
    if (!found) {
        code = failed(console, found.error());
        return {};
    }
    if (::isatty(STDERR_FILENO) == 1)
        found->note = [&console](std::string_view text) { console.note(fmt::format("{}\n", text)); };
    return std::move(*found);
}

std::optional<control::Client> reach_host(Console& console, int& code) {
    auto const finding = host_of_home(console, code);
    if (!finding) return {};
    auto client = control::find_or_start_host(*finding);
    if (client) return std::move(*client);
    code = failed(console, client.error());
    return {};
}

std::optional<boost::json::value> ask_host(control::Client& client, control::Question const& question, Console& console,
                                           int& code) {
    auto const answer = client.ask(question);
    boost::system::error_code bad;
    auto value = answer ? boost::json::parse(*answer, bad) : boost::json::value();
    if (answer && !bad) return value;
    code = failed(console, answer ? fail(Errc::internal, "the host's answer makes no sense; run: pfar host restart")
                                  : answer.error());
    return {};
}

std::optional<boost::json::value> ask_any_host(control::Question const& question, Console& console, int& code) {
    auto client = reach_host(console, code);
    return client ? ask_host(*client, question, console, code) : std::nullopt;
}

void settle_record() {
    auto const home = base::home();
    std::error_code error;
    if (!home || !std::filesystem::exists(*home / "run/pfar.sock", error)) return; // a copy of a home is only read
    auto from_nowhere = finding();
    if (!from_nowhere) return;
    from_nowhere->directory = "/"; // no project's servers are to be opened for this
    auto host = control::find_any_host(*from_nowhere);
    if (host) (void)host->first.ask({"settle_record", "{}", std::chrono::seconds(2)});
}

std::string text_of(boost::json::value const& object, std::string_view key) {
    auto const* const value = member(object, key);
    if (value == nullptr || value->is_null()) return "";
    if (value->is_string()) return base::printable(std::string_view(value->get_string()));
    return base::printable(boost::json::serialize(*value));
}

std::int64_t number_of(boost::json::value const& object, std::string_view key) {
    auto const* const value = member(object, key);
    if (value == nullptr || !value->is_number()) return 0;
    boost::system::error_code bad;
    auto const number = value->to_number<double>(bad);
    return bad ? 0 : static_cast<std::int64_t>(number);
}

std::string times(boost::json::value const& blocked) {
    auto const count = number_of(blocked, "count");
    return count == 1 ? "once" : fmt::format("{} times", count);
}

bool flag_of(boost::json::value const& object, std::string_view key) {
    auto const* const value = member(object, key);
    return value != nullptr && value->is_bool() && value->get_bool();
}

std::vector<boost::json::value> elements_of(boost::json::value const& object, std::string_view key) {
    auto const* const value = member(object, key);
    if (value == nullptr || !value->is_array()) return {};
    return {value->get_array().begin(), value->get_array().end()};
}

std::string duration_text(std::int64_t seconds) {
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 86400) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
    return fmt::format("{} d {} h", seconds / 86400, seconds / 3600 % 24);
}

} // namespace pfar::cli
