#include "house/install.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "config/values.hpp"
#include "house/confine.hpp"
#include "house/install_npm.hpp"
#include "house/install_pypi.hpp"
#include "house/install_staging.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_name = 214;

bool is_word(std::string_view text, std::string_view more) {
    auto const good = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
    };
    return !text.empty() && text.size() <= most_name && std::all_of(text.begin(), text.end(), good) && text[0] != '-' &&
           text[0] != '.';
}

/// A name, and nothing else that a package manager would take in its place: no path, URL, tag or option.
bool is_package_name(Package const& package) {
    std::string_view name = package.name;
    auto const slash = name.find('/');
    if (package.source == Package::Source::npm && name.starts_with('@') && slash != name.npos)
        return is_word(name.substr(1, slash - 1), "-._~") && is_word(name.substr(slash + 1), "-._~");
    return is_word(name, package.source == Package::Source::npm ? "-._~" : "-._");
}

/// One version: no range, tag or URL.
bool is_version(std::string_view version) {
    return is_word(version, ".-+!_") && version[0] >= '0' && version[0] <= '9';
}

Result<void> check_package(Package const& package) {
    if (package.source == Package::Source::none)
        return fail(Errc::invalid, "there is no package to install; name one of npm or PyPI");
    if (!is_package_name(package))
        return fail(Errc::invalid, fmt::format("\"{}\" is not the name of a package; write it as {} does",
                                               base::printable(package.name),
                                               package.source == Package::Source::npm ? "npm" : "PyPI"));
    if (!package.version.empty() && !is_version(package.version))
        return fail(Errc::invalid, fmt::format("\"{}\" is not one version of {}; write it in full, such as 1.2.3",
                                               base::printable(package.version), package.name));
    return {};
}

Result<void> check_wish(InstallWish const& wish) {
    if (auto const name = config::parse_server_name(wish.server); !name)
        return fail(Errc::invalid, fmt::format("{}: {}", base::printable(wish.server), name.error().what));
    return check_package(wish.package);
}

char const* source_word(Package const& package) {
    return package.source == Package::Source::npm ? "npm" : "pypi";
}

void record_install(Record& record, InstallWish const& wish, Result<Installed> const& made) {
    boost::json::object event{{"server", wish.server},
                              {"outcome", made ? "installed" : "failed"},
                              {"source", source_word(wish.package)},
                              {"package", wish.package.name},
                              {"version", made ? made->version : wish.package.version}};
    if (made)
        event["integrity"] = made->integrity;
    else
        event["why"] = made.error().what;
    record.add({"install", std::move(event)});
}

/// What was installed, beside it, for whoever comes later.
Result<void> write_facts(fs::path const& directory, InstallWish const& wish, Installed const& facts) {
    auto const now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    auto const seconds = std::chrono::system_clock::to_time_t(now);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char when[32];
    std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    boost::json::object const all{{"source", source_word(wish.package)},
                                  {"name", wish.package.name},
                                  {"version", facts.version},
                                  {"integrity", facts.integrity},
                                  {"entry", facts.args.empty() ? facts.command : facts.args.back()},
                                  {"installed_at", when}};
    return base::write_file(directory / "pfar-package.json", boost::json::serialize(all) + "\n", 0600);
}

} // namespace

Staged::Staged(Staged&& other) noexcept
    : directory_(std::exchange(other.directory_, {})), alive_(std::move(other.alive_)), wish_(std::move(other.wish_)),
      facts_(std::move(other.facts_)) {}

Staged& Staged::operator=(Staged&& other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(alive_, other.alive_);
    std::swap(wish_, other.wish_);
    std::swap(facts_, other.facts_);
    return *this;
}

Staged::~Staged() {
    if (!directory_.empty()) remove_staging(directory_);
}

Result<Staged> Staged::install(House const& house, InstallWish const& wish, InstallProgress const& progress,
                               std::string& blocked, Record& record) {
    blocked.clear();
    PFAR_CHECK(check_wish(wish));
    PFAR_TRY(owner, owner_facts(house));
    clear_stagings(owner.pfar_home);
    PFAR_TRY(staging, make_staging(owner.pfar_home, wish.server));
    Staged out(std::move(staging.directory), std::move(staging.alive), wish);
    InstallJob const job{house, owner, wish, out.directory_, progress, blocked, record};
    auto made = wish.package.source == Package::Source::npm ? install_npm(job) : install_pypi(job);
    remove_staging(out.directory_ / ".cache");
    record_install(record, wish, made);
    if (!made) return made.error();
    out.facts_ = std::move(*made);
    PFAR_CHECK(write_facts(out.directory_, wish, out.facts_));
    if (wish.scripts) PFAR_CHECK(out.run_scripts(house, progress, record));
    return out;
}

Result<void> Staged::run_scripts(House const& house, InstallProgress const& progress, Record& record) {
    if (facts_.skipped_scripts.empty()) return {};
    PFAR_TRY(owner, owner_facts(house));
    std::string blocked;
    InstallJob const job{house, owner, wish_, directory_, progress, blocked, record};
    auto const ran = run_npm_scripts(job);
    remove_staging(directory_ / ".cache");
    PFAR_CHECK(ran);
    PFAR_TRY(now, npm_facts(job)); // a script can change anything here: where it starts from is looked at again
    if (now.version != facts_.version || now.integrity != facts_.integrity)
        return fail(Errc::refused, fmt::format("an install script of {} has changed what is installed; nothing was",
                                               wish_.package.name));
    now.skipped_scripts.clear();
    facts_ = std::move(now);
    return write_facts(directory_, wish_, facts_);
}

Result<fs::path> Staged::put_in_place() {
    PFAR_TRY(before, put_staging(directory_, facts_.directory));
    directory_.clear();
    alive_ = base::Fd();
    return before;
}

Result<std::string> newest_version(House const& house, Package const& package) {
    PFAR_CHECK(check_package({package.source, package.name, "", ""}));
    return package.source == Package::Source::npm ? newest_npm_version(house, package.name)
                                                  : newest_pypi_version(house, package.name);
}

} // namespace pfar::house
