#include "house/client_env_file.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "house/client_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_env_file = std::size_t{1} << 20U;

Result<config::Dotenv> values_in(fs::path const& path) {
    PFAR_TRY(text, base::read_file(path, most_env_file));
    bool const is_text = text.find('\0') == std::string::npos && base::is_utf8(text);
    auto content = is_text ? config::read_dotenv(text) : config::Dotenv();
    ::explicit_bzero(text.data(), text.size());
    if (!content.values.empty()) return content;
    return fail(Errc::invalid, fmt::format("there is no NAME=value in {}", base::for_people(path)));
}

} // namespace

Result<EnvFile> read_env_file(std::string const& name, config::Places const& places) {
    if (auto const left = unfilled_word(name); !left.empty())
        return fail(Errc::invalid, fmt::format("its name has {}, which its client fills in", base::printable(left)));
    bool const of_home = name.starts_with("~/");
    EnvFile out;
    out.path = (of_home ? places.user_home / name.substr(2) : places.directory / name).lexically_normal();
    std::error_code error;
    if (base::lies_in(fs::weakly_canonical(out.path, error), places.home))
        return fail(Errc::refused, fmt::format("{} lies in pfar's own directory", base::for_people(out.path)));
    PFAR_TRY(content, values_in(out.path));
    out.content = std::move(content);
    return out;
}

void take_env_file(config::ClientServer& wanted, config::Places const& places, flows::Talk& talk) {
    if (wanted.env_file.empty()) return;
    std::erase(wanted.left_out, config::env_file_left_out);
    auto file = read_env_file(wanted.env_file, places);
    if (!file) return talk.say(fmt::format("Its envFile is left out: {}.", file.error().what));
    auto& values = file->content.values;
    std::erase_if(values, [&](auto const& line) {
        return std::any_of(wanted.env.begin(), wanted.env.end(),
                           [&](auto const& own) { return own.first == line.name; });
    });
    std::vector<std::string_view> names;
    for (auto const& line : values) names.emplace_back(line.name);
    talk.say(fmt::format("{} from its envFile {}, which is not changed: what is secret in it is still there.",
                         names.empty()       ? "Nothing is taken"
                         : names.size() == 1 ? fmt::format("{} is taken", names[0])
                                             : base::listed(names) + " are taken",
                         base::for_people(file->path)));
    for (auto const line : file->content.unread)
        talk.say(fmt::format("  Line {} of it is left out: it should be NAME=value.", line));
    for (auto& line : values) {
        if (line.expands) talk.say(fmt::format("  {} has a $ in it, and is taken as it stands there.", line.name));
        wanted.env.emplace_back(line.name, std::move(line.value));
    }
}

std::set<std::string> client_variables(config::ClientServer const& server, config::Places const& places,
                                       std::optional<fs::path> const& project) {
    std::set<std::string> out;
    for (auto const& [variable, value] : server.env) out.insert(variable);
    if (server.env_file.empty()) return out;
    std::vector<config::ClientInput> const nobody_to_ask;
    ClientWords const words{nobody_to_ask,
                            {},
                            [](std::string const& name) { return std::getenv(name.c_str()); },
                            places.user_home,
                            project};
    auto at = places;
    if (project) at.directory = *project;
    auto const name = fill_client_text(server.env_file, words);
    auto const file = name ? read_env_file(*name, at) : Result<EnvFile>(name.error());
    if (file)
        for (auto const& line : file->content.values) out.insert(line.name);
    return out;
}

} // namespace pfar::house
