#include "house/roster.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "servers/server_wish.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace pfar::house {
namespace {

using Role = config::SurveyedFile::Role;
constexpr std::size_t most_projects = 64, most_disabled_bytes = 1U << 20U;
constexpr char disabled_file[] = "run/disabled.json";

std::string mistakes_words(config::SurveyedFile const& file) {
    auto const first = std::find_if(file.mistakes.begin(), file.mistakes.end(),
                                    [](auto const& one) { return one.severity == config::Severity::error; });
    auto const line = first == file.mistakes.end() ? "" : fmt::format(" (line {}: {})", first->where.line, first->what);
    return fmt::format("its file has mistakes{}; pfar check {} tells all", line, file.found.name);
}

std::string trust_words(config::SurveyedFile const& file) {
    return file.standing == config::Standing::changed ? "its file has changed since it was trusted: run pfar trust"
                                                      : "a project's server, not trusted yet: run pfar trust";
}

} // namespace

std::map<std::string, std::string> read_disabled(std::filesystem::path const& home) {
    std::map<std::string, std::string> out;
    auto const text = base::read_file(home / disabled_file, most_disabled_bytes);
    boost::system::error_code error;
    auto const parsed = text ? boost::json::parse(*text, error) : boost::json::value();
    if (error || !parsed.is_object()) return out;
    for (auto const& [identity, why] : parsed.get_object())
        if (why.is_string()) out.emplace(identity, std::string(why.get_string()));
    return out;
}

Roster::Roster(House& house, std::shared_ptr<servers::Common const> common)
    : house_(house), common_(std::move(common)), disabled_(read_disabled(house.places.home)),
      watch_(std::make_shared<FileWatch>(common_->executor, [this] { refresh(); })), closed_(common_->executor) {
    refresh();
}

Roster::~Roster() {
    watch_->stop();
}

void Roster::open_directory(std::filesystem::path const& directory) {
    auto places = house_.places;
    places.directory = directory;
    auto const root = directory.empty() ? std::nullopt : config::project_root(places);
    if (!root || projects_.size() >= most_projects || !projects_.insert(*root).second) return;
    refresh();
}

Roster::View Roster::survey(std::filesystem::path const& root) const {
    auto places = house_.places;
    places.directory = root.empty() ? places.home : root;
    auto trust = config::TrustList::read(places.home);
    if (!trust) spdlog::warn("no project is trusted: {}", trust.error().what);
    return config::survey(places, trust ? *trust : config::TrustList());
}

std::vector<std::filesystem::path> Roster::watched() const {
    std::vector<std::filesystem::path> out{house_.places.home, house_.places.home / "mcp",
                                           house_.places.system / "mcp"};
    for (auto const& root : projects_) out.push_back(root / ".pfar/mcp");
    return out;
}

void Roster::refresh() {
    watch_->watch(watched()); // first: what changes while we read is heard
    std::set<std::string> seen, had;
    for (auto const& [identity, server] : servers_) had.insert(identity);
    idle_.clear();
    auto const before = std::exchange(names_, {});
    std::vector<std::filesystem::path> roots{""};
    roots.insert(roots.end(), projects_.begin(), projects_.end());
    for (auto const& root : roots)
        for (auto& file : survey(root)) {
            if (file.role == Role::shadowed) continue;
            auto const identity = file.identity.native();
            names_[root].emplace(file.found.name, identity);
            if (seen.insert(identity).second) use(std::move(file));
        }
    for (auto at = servers_.begin(); at != servers_.end();) {
        bool const gone = !seen.contains(at->first);
        if (gone) close(at->second, "its file is gone");
        at = gone ? servers_.erase(at) : std::next(at);
    }
    bool const same =
        before == names_ && had.size() == servers_.size() &&
        std::all_of(servers_.begin(), servers_.end(), [&](auto const& one) { return had.contains(one.first); });
    if (changed && !same) changed();
}

void Roster::use(config::SurveyedFile file) {
    auto const identity = file.identity.native();
    auto const known = servers_.find(identity);
    bool const waits = file.role == Role::waits;
    if (waits || !file.spec) {
        auto reason = waits ? trust_words(file) : mistakes_words(file);
        if (known != servers_.end())
            known->second->keep_old("the file as it was before is in use: " + reason);
        else
            idle_.push_back({std::move(file), std::move(reason), !waits});
        return;
    }
    auto shared = std::make_shared<config::SurveyedFile const>(std::move(file));
    if (known != servers_.end()) return known->second->update(std::move(shared));
    auto const why = disabled_.find(identity);
    auto slug = servers::slug_of(*shared);
    auto const server = std::make_shared<servers::Server>(common_, std::move(shared), std::move(slug),
                                                          why == disabled_.end() ? "" : why->second);
    servers_.emplace(identity, server);
    server->begin();
}

void Roster::close(std::shared_ptr<servers::Server> server, std::string why) {
    ++closing_;
    auto work = server->close(std::move(why));
    boost::asio::co_spawn(common_->executor, std::move(work), [this, server](std::exception_ptr const&) {
        --closing_;
        closed_.ring();
    });
}

std::map<std::string, std::string> const* Roster::view_from(std::filesystem::path const& directory) const {
    auto places = house_.places;
    places.directory = directory;
    auto const root = directory.empty() ? std::nullopt : config::project_root(places);
    auto const view = names_.find(root && projects_.contains(*root) ? *root : std::filesystem::path());
    return view == names_.end() ? nullptr : &view->second;
}

std::set<std::string> Roster::seen_from(std::filesystem::path const& directory) const {
    std::set<std::string> out;
    if (auto const* const view = view_from(directory))
        for (auto const& [name, identity] : *view) out.insert(identity);
    return out;
}

Result<std::shared_ptr<servers::Server>> Roster::find(std::string const& name,
                                                      std::filesystem::path const& directory) const {
    std::vector<std::string_view> all;
    if (auto const* const view = view_from(directory)) {
        auto const named = view->find(name);
        auto const identity = named == view->end() ? "" : named->second;
        if (auto const server = servers_.find(identity); server != servers_.end()) return server->second;
        for (auto const& idle : idle_)
            if (idle.file.identity.native() == identity)
                return fail(idle.broken ? Errc::invalid : Errc::refused, fmt::format("{}: {}", name, idle.reason));
        for (auto const& [other, file] : *view) all.emplace_back(other);
    }
    auto const meant = base::nearest(name, all);
    return fail(Errc::not_found, fmt::format("there is no server \"{}\"{}; pfar list shows all", base::printable(name),
                                             meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : ""));
}

Result<void> Roster::keep_disabled() {
    boost::json::object out;
    for (auto const& [identity, server] : servers_)
        if (!server->disabled().empty()) out.emplace(identity, server->disabled());
    disabled_.clear();
    for (auto const& [identity, why] : out) disabled_.emplace(identity, std::string(why.get_string()));
    auto const kept = base::write_file(house_.places.home / disabled_file, boost::json::serialize(out) + "\n", 0600);
    if (kept) return {};
    auto const words = "which servers are disabled will be forgotten when the host ends: " + kept.error().what;
    spdlog::error("{}", words);
    return fail(kept.error().code, words);
}

boost::asio::awaitable<void> Roster::stop() {
    watch_->stop();
    for (auto const& [identity, server] : servers_) close(server, "the host is stopping");
    auto const late = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    while (closing_ > 0 && std::chrono::steady_clock::now() < late) co_await closed_.until(late);
    servers_.clear();
}

} // namespace pfar::house
