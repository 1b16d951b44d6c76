#include "house/install_job.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace fs = std::filesystem;
namespace json = boost::json;

Result<void> allow_sources(InstallRun& run, std::vector<SourceUrl> const& sources, InstallWish const& wish) {
    bool at_home = false;
    for (auto const& url : sources) {
        PFAR_TRY(rule, rule_of(url));
        if (is_at_home(url)) {
            at_home = true;
            run.allow_private.push_back(rule);
        }
        run.domains.push_back(std::move(rule));
    }
    for (auto const& host : wish.hosts) {
        auto rule = config::parse_domain(host);
        if (!rule) return fail(Errc::invalid, fmt::format("{}: {}", base::printable(host), rule.error().what));
        if (at_home) run.allow_private.push_back(*rule);
        run.domains.push_back(std::move(*rule));
    }
    return {};
}

Error refused_host(InstallJob const& job, std::vector<egress::Blocked> const& all) {
    auto const& first = all.front();
    auto const& hosts = job.wish.hosts;
    bool const asked = first.remedy.empty() || std::find(hosts.begin(), hosts.end(), first.remedy) != hosts.end();
    if (!asked) job.blocked = first.remedy;
    return fail(Errc::refused,
                fmt::format("the install of {} wanted to go to {}, which {}; nothing was installed",
                            job.wish.package.name, base::printable(asked ? first.domain : first.remedy),
                            asked ? "is refused: it has an address of your own network, and your package "
                                    "registry has not"
                                  : "is not where its packages come from"));
}

std::optional<fs::path> inside_of(fs::path const& root, fs::path const& path) {
    std::error_code error;
    auto const real = fs::canonical(path, error);
    if (error || !base::lies_in(real, root)) return std::nullopt;
    return real;
}

Result<json::object> read_description(fs::path const& root, fs::path const& file, std::size_t limit) {
    auto const shown = base::printable(file.filename().native());
    auto const real = inside_of(root, file);
    if (!real) return fail(Errc::invalid, fmt::format("the package has no {} of its own; it cannot be used", shown));
    PFAR_TRY(text, base::read_file(*real, limit));
    boost::system::error_code error;
    auto value = json::parse(text, error);
    if (error || !value.is_object())
        return fail(Errc::invalid, fmt::format("the package's {} cannot be read; it cannot be used", shown));
    return value.get_object();
}

std::string text_in(json::object const& all, std::string_view key) {
    auto const* const found = all.if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

json::object const* object_in(json::object const& all, std::string_view key) {
    auto const* const found = all.if_contains(key);
    return found != nullptr ? found->if_object() : nullptr;
}

std::string last_part(std::string const& package) {
    return package.substr(package.find('/') == std::string::npos ? 0 : package.find('/') + 1);
}

Result<std::string> program_of(std::map<std::string, std::string> const& all, InstallWish const& wish) {
    auto const& package = wish.package;
    auto const wanted = all.find(package.entry.empty() ? last_part(package.name) : package.entry);
    if (wanted != all.end()) return wanted->second;
    if (package.entry.empty() && all.size() == 1) return all.begin()->second;
    if (all.empty())
        return fail(Errc::invalid,
                    fmt::format("{} has no program in it that could be started; is it a server?", package.name));
    std::vector<std::string> names;
    for (auto const& [name, file] : all) names.push_back(base::printable(name));
    if (wish.choose && package.entry.empty()) {
        PFAR_TRY(chosen, wish.choose(names));
        if (auto const meant = all.find(chosen); meant != all.end()) return meant->second;
    }
    return fail(Errc::invalid, fmt::format("{} has {}{}; name one of them as its entry", package.name,
                                           base::listed({names.begin(), names.end()}),
                                           package.entry.empty() ? "" : ", and no " + base::printable(package.entry)));
}

} // namespace pfar::house
