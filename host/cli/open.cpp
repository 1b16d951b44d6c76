// pfar.toml may turn protections on; with a mistake in it nobody knows what it was to say. So commands stop there, except check.
#include "cli/open.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace pfar::cli {

namespace {

std::optional<house::House> judged(Result<house::House> house, Console& console, int& code, bool tolerant) {
    if (!house) {
        console.complain(house.error().what);
        code = house.error().code == Errc::refused ? static_cast<int>(exit_config) : exit_code(house.error().code);
        return {};
    }
    if (!tolerant && count(house->settings_mistakes, config::Severity::error) > 0) {
        console.note(describe_all(console, house->settings_file, house->settings_mistakes));
        code = exit_config;
        return {};
    }
    return std::move(*house);
}

} // namespace

std::optional<house::House> open(Console& console, int& code, bool tolerant) {
    return judged(house::open_house(), console, code, tolerant);
}

std::optional<house::House> open_for_sandbox(Console& console, int& code, std::string const& backend) {
    return judged(house::open_house(SandboxBackend::kind, backend), console, code, false);
}

std::optional<house::House> open_for_vault(Console& console, int& code) {
    return judged(house::open_house("none"), console, code, false);
}

std::string search_path() {
    char const* const path = std::getenv("PATH");
    return path != nullptr && *path != '\0' ? path : "/usr/local/bin:/usr/bin:/bin";
}

std::string describe_all(Console const& console, std::filesystem::path const& file,
                         std::vector<config::Mistake> const& mistakes) {
    std::string out;
    for (auto const& mistake : mistakes) {
        auto text = describe(file, mistake);
        bool const is_error = mistake.severity == config::Severity::error;
        std::string const word = is_error ? ": error: " : ": warning: ";
        if (auto const at = text.find(word); at != std::string::npos)
            text.replace(
                at, word.size(),
                ": " + console.paint(is_error ? Colour::red : Colour::yellow, word.substr(2, word.size() - 3)) + " ");
        out += text;
    }
    return out;
}

} // namespace pfar::cli
