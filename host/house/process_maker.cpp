// The order is HOUSE's: what it may have, credentials at the last moment, the launch, the listeners; then it is somebody else's.
#include "house/process_maker.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "house/process_words.hpp"
#include "servers/launch_text.hpp"
#include "servers/server_socket.hpp"
#include "servers/server_wish.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pfar::house {
namespace {

using Clock = std::chrono::steady_clock;
using spawn::Note;

/// The server's three streams and our ends of them.
struct Streams {
    base::Fd in_theirs, out_theirs, err_theirs;
    wire::Ends ours;
    base::Fd errors;
};

Result<std::pair<base::Fd, base::Fd>> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, fmt::format("no pipe: {}", base::errno_text(errno)));
    return std::pair{base::Fd(ends[0]), base::Fd(ends[1])};
}

Result<Streams> make_streams(std::optional<uid_t> uid) {
    PFAR_TRY(in, make_pipe());
    PFAR_TRY(out, make_pipe());
    PFAR_TRY(err, make_pipe());
    Streams streams{std::move(in.first),
                    std::move(out.second),
                    std::move(err.second),
                    {std::move(out.first), std::move(in.second)},
                    std::move(err.first)};
    for (auto const* const fd : {&streams.ours.in, &streams.ours.out, &streams.errors}) wire::never_block(*fd);
    if (uid) // /dev/stdout and the like are opened anew: a pipe has to belong to who does that
        for (auto const* const fd : {&streams.in_theirs, &streams.out_theirs, &streams.err_theirs})
            [[maybe_unused]] auto const given = ::fchown(fd->number(), *uid, static_cast<gid_t>(-1));
    return streams;
}

/// The one process that the shim has executed.
pid_t server_pid(pid_t first) {
    auto const children = base::read_file(fmt::format("/proc/{0}/task/{0}/children", first), 4096);
    auto const child = children ? std::strtol(children->c_str(), nullptr, 10) : 0;
    return child > 0 ? static_cast<pid_t>(child) : first;
}

servers::Process::Facts facts_of(Started& started) {
    servers::Process::Facts facts;
    facts.pid = server_pid(started.sandbox.child().first_process());
    facts.backend = started.backend;
    facts.memory = describe(started.sandbox.control());
    if (auto const lost = not_kept(started.guarantees); !lost.empty())
        facts.lacks = fmt::format("{}: {}", lost, started.guarantees.why);
    return facts;
}

/// Until the shim has executed the server, with its listeners taken on the way.
boost::asio::awaitable<Result<void>> until_it_runs(boost::asio::any_io_executor executor, Started& started,
                                                   WayOut& way_out, Clock::time_point late) {
    for (;;) {
        bool const heard = co_await readable(executor, started.sandbox.child().notes(), late);
        if (!heard) co_return fail(Errc::timeout, "its sandbox was not ready in time");
        if (!started.sandbox.child().has_note()) continue;
        auto note = started.sandbox.next();
        if (!note) co_return note.error();
        if (note->kind == Note::Kind::listener)
            way_out.take(std::move(*note));
        else if (note->kind == Note::Kind::running)
            co_return way_out.open();
        else if (note->kind == Note::Kind::failed || note->kind == Note::Kind::gone || note->kind == Note::Kind::ended)
            co_return fail(Errc::io, explain(*note, "its command"));
    }
}

void add_stat(std::string& text, std::filesystem::path const& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return;
    fmt::format_to(std::back_inserter(text), "{} {}:{}:{}.{}:{};", path.native(), info.st_dev, info.st_ino,
                   info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size);
}

} // namespace

ProcessMaker::ProcessMaker(boost::asio::any_io_executor executor, House const& house, Record& record, Worker& worker)
    : executor_(std::move(executor)), house_(house), egress_(house, record), vault_(house, record, worker),
      secrets_(record) {}

Result<uid_t> ProcessMaker::uid_of(config::SurveyedFile const& file) {
    auto const& identity = file.identity.native();
    if (auto const known = uids_.find(identity); known != uids_.end()) return known->second;
    PFAR_TRY(uid, servers::uid_of(house_.places.home, identity));
    return uids_[identity] = uid;
}

Result<ProcessMaker::Prepared> ProcessMaker::prepare(config::SurveyedFile const& file, std::string const& tool) {
    PFAR_TRY(owner, owner_facts(house_));
    if (owner.identity.kernel_uid) {
        PFAR_TRY(uid, uid_of(file));
        owner.identity = {uid, uid, "pfar", uid};
    }
    PFAR_TRY(wish, servers::server_wish(file, owner.pfar_home, tool));
    wish.egress_anyway = egress_anyway_ && wish.sandbox.backend != "unconfined";
    if (wish.sandbox.backend == "unconfined") wish.domains.clear(); // it reaches everything, and no proxy stands by
    return Prepared{std::move(wish), std::move(owner)};
}

Result<std::string> ProcessMaker::policy_key(config::SurveyedFile const& file, std::string const& tool) {
    PFAR_TRY(prepared, prepare(file, tool));
    PFAR_TRY(made, servers::make_policy(prepared.wish, prepared.owner));
    auto text = servers::launch_text(*file.spec) + servers::policy_text(made.policy, made.command);
    for (auto const& rule : prepared.wish.domains) text += to_text(rule) + ";";
    text += "private:";
    for (auto const& rule : prepared.wish.allow_private) text += to_text(rule) + ";";
    for (auto const* const values : {&prepared.wish.auth, &prepared.wish.auth_files})
        for (auto const& value : *values) text += value.name + "=;";
    return base::sha256(text);
}

/// The file's own bytes, what it runs, and which package that is.
std::string ProcessMaker::fingerprint(config::SurveyedFile const& file) const {
    std::string text = file.digest + ";";
    auto const wish = servers::server_wish(file, house_.places.home, "");
    if (!wish) return text;
    add_stat(text, wish->command);
    for (auto const& arg : wish->args) {
        if (!arg.starts_with('/')) continue;
        add_stat(text, arg);
        std::error_code error;
        auto directory = std::filesystem::canonical(arg, error).parent_path();
        for (int up = 0; !error && up < 6 && directory.has_relative_path(); ++up, directory = directory.parent_path())
            if (std::filesystem::exists(directory / "package.json", error)) {
                add_stat(text, directory / "package.json");
                break;
            }
    }
    return base::sha256(text);
}

std::shared_ptr<base::Redactor const> ProcessMaker::redactor_for(Credentials const& credentials) {
    if (credentials.values.empty()) return nullptr;
    std::string key;
    for (auto const& [name, time] : as_text(credentials.entries)) key += name + "=" + time + ";";
    if (auto const known = redactors_[key].lock()) return known;
    auto const made = redactor_of(credentials);
    std::erase_if(redactors_, [](auto const& entry) { return entry.second.expired(); });
    redactors_[key] = made;
    secrets_.add(made);
    return made;
}

boost::asio::awaitable<Result<Started>> ProcessMaker::begin(std::optional<Starting>& starting, StartOrder order,
                                                            Clock::time_point late) {
    auto begun = Starting::begin(house_, std::move(order));
    if (!begun) co_return begun.error();
    starting.emplace(std::move(*begun));
    for (;;) {
        bool const heard = co_await readable(executor_, starting->notes(), late);
        if (!heard) co_return fail(Errc::timeout, "its sandbox was not ready in time");
        if (!starting->has_note()) continue;
        auto const inside = starting->step();
        if (!inside) co_return inside.error();
        if (*inside) co_return starting->take();
    }
}

boost::asio::awaitable<Result<std::unique_ptr<servers::Process>>> ProcessMaker::start(servers::StartTask task) {
    auto const late = Clock::now() + task.file->spec->timeouts.start;
    auto prepared = prepare(*task.file, task.tool);
    if (!prepared) co_return prepared.error();
    auto& wish = prepared->wish;
    auto const made = make_state(wish);
    if (!made) co_return made.error();
    auto socket = servers::ServerSocket::make(*task.file, house_.places.home / "run", wish);
    if (!socket) co_return socket.error();
    Credentials credentials;
    if (!wish.auth.empty() || !wish.auth_files.empty()) {
        auto found = co_await vault_.give(executor_, wish);
        if (!found) co_return found.error();
        credentials = std::move(*found);
    }
    auto streams = make_streams(prepared->owner.identity.kernel_uid);
    if (!streams) co_return streams.error();
    spawn::Beginning beginning;
    beginning.stdio = {streams->in_theirs.number(), (*socket ? streams->err_theirs : streams->out_theirs).number(),
                       streams->err_theirs.number()};
    credentials.add_to(beginning.additions);
    std::optional<Starting> starting;
    StartOrder order{wish, prepared->owner, beginning, proven_};
    auto started = co_await begin(starting, std::move(order), late);
    if (!started && started.error().code == Errc::unsupported && wish.egress_anyway && wish.domains.empty()) {
        egress_anyway_ = false; // a machine that cannot have a network of its own for it
        co_return co_await start(std::move(task));
    }
    if (!started) co_return started.error();
    proven_ =
        started->backend == "unconfined" || task.file->spec->sandbox.backend != "auto" ? proven_ : started->backend;
    auto way_out = std::make_unique<WayOut>(egress_, wish, egress::Rules::Remedy::server_file);
    auto const runs = co_await until_it_runs(executor_, *started, *way_out, late);
    if (!runs) co_return runs.error();
    auto facts = facts_of(*started);
    facts.roots = roots_of(wish);
    facts.access = access_json(wish, starting->policy());
    facts.redactor = redactor_for(credentials);
    facts.known = [this] { return secrets_.all(); };
    facts.secrets = as_text(credentials.entries);
    ProcessParts parts{
        std::move(*started),        wish,      std::move(facts),  std::move(way_out), std::move(streams->ours),
        std::move(streams->errors), task.said, std::move(*socket)};
    co_return make_process(executor_, std::move(parts), ending_);
}

} // namespace pfar::house
