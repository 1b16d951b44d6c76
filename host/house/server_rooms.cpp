// Built bottom-up: the record, the worker, whoever makes processes, what all servers share, the roster. Methods only look things up and pass them on.
#include "house/server_rooms.hpp"

#include "base/text.hpp"
#include "house/process_maker.hpp"
#include "house/server_reports.hpp"
#include "house/vault_bell.hpp"
#include "servers/diagnosis.hpp"
#include "servers/json_text.hpp"
#include "wire/message.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <spdlog/spdlog.h>

#include <unistd.h>

namespace pfar::house {

using control::Request;
using Answer = boost::asio::awaitable<Result<std::string>>;
using Clock = std::chrono::steady_clock;

struct ServerRooms::Rooms {
    Rooms(boost::asio::io_context& context, House& opened)
        : executor(context.get_executor()), house(opened), record(opened), maker(executor, opened, record, worker),
          bell_events(executor) {}

    void open();
    void hear_bell();
    boost::asio::awaitable<void> look_at_vault();
    void hear(servers::Server const& server, servers::Happening const& happening);
    Result<std::shared_ptr<servers::Server>> named(Request const& request) const;
    [[nodiscard]] boost::json::array list(std::filesystem::path const& directory) const;

    Answer answer_list(Request request);
    Answer answer_status(Request request);
    Answer answer_tools(Request request);
    Answer answer_logs(Request request);
    Answer answer_restart(Request request);
    Answer answer_enable(Request request);
    Answer answer_disable(Request request);
    Answer answer_call(Request request);

    boost::asio::any_io_executor executor;
    House& house;
    Record record;
    Worker worker;
    ProcessMaker maker;
    std::shared_ptr<servers::Common const> common;
    std::unique_ptr<Roster> roster;
    std::optional<VaultBell> bell;
    boost::asio::posix::stream_descriptor bell_events;
    bool stopping = false;
};

namespace {

/// A text under a key of the params; empty if there is none.
std::string text_in(std::string const& params, std::string_view key) {
    return servers::string_in(servers::member_of(params, key));
}

std::string brief(servers::Server const& server) {
    return boost::json::serialize(boost::json::object{{"name", server.name()},
                                                      {"state", base::word_for(servers::state_words, server.state())},
                                                      {"reason", server.reason()}});
}

/// The arguments as they came.
std::string call_params(std::string const& tool, std::string const& arguments, std::uint64_t token) {
    return fmt::format(R"({{"name":{},"arguments":{},"_meta":{{"progressToken":{}}}}})", wire::quoted(tool),
                       arguments.empty() ? "{}" : arguments, token);
}

void make_directories(std::filesystem::path const& home) {
    for (auto const* const name : {"cache", "run", "state", "log"}) ::mkdir((home / name).c_str(), 0700);
    ::mkdir((home / "log/servers").c_str(), 0700);
    std::error_code error; // sockets and scratch directories of hosts that were killed
    for (std::filesystem::directory_iterator entry(home / "run", error), end; !error && entry != end;
         entry.increment(error)) {
        auto const name = entry->path().filename().native();
        std::error_code ignored;
        if (name.starts_with("socket-") || name.starts_with("pfar-tmp-"))
            std::filesystem::remove_all(entry->path(), ignored);
    }
}

} // namespace

void ServerRooms::Rooms::open() {
    make_directories(house.places.home);
    (void)record.open();
    auto made = std::make_shared<servers::Common>();
    made->executor = executor;
    made->start = [this](servers::StartTask task) { return maker.start(std::move(task)); };
    made->gate = std::make_shared<servers::StartGate>(executor);
    made->pool = std::make_shared<servers::Pool>(
        executor, static_cast<std::size_t>(std::max<std::int64_t>(0, house.settings.pool_max)));
    made->cache = house.places.home / "cache";
    made->logs = house.places.home / "log/servers";
    made->fingerprint = [this](config::SurveyedFile const& file) { return maker.fingerprint(file); };
    made->policy_key = [this](config::SurveyedFile const& file, std::string const& tool) {
        return maker.policy_key(file, tool);
    };
    made->told = [this](servers::Server const& server, servers::Happening const& happening) {
        hear(server, happening);
    };
    made->changed = [](servers::Server const&, std::string_view) {};
    common = std::move(made);
    auto listening = VaultBell::listen(house.places.home);
    if (listening)
        bell = std::move(*listening), bell_events.assign(::dup(bell->fd())), hear_bell();
    else
        spdlog::warn("{}", listening.error().what);
    roster = std::make_unique<Roster>(house, common);
}

void ServerRooms::Rooms::hear(servers::Server const& server, servers::Happening const& happening) {
    if (happening.outcome == "begun") return;
    auto const level = happening.kind == "crash" ? spdlog::level::warn : spdlog::level::info;
    spdlog::log(level, "{} {}{}{}", server.name(), happening.outcome, happening.words.empty() ? "" : ": ",
                happening.words);
    boost::json::object details{
        {"server", server.name()}, {"outcome", happening.outcome}, {"file", server.file()->found.file.native()}};
    if (!happening.words.empty()) details["why"] = happening.words;
    if (server.pid() != 0) details["pid"] = server.pid();
    record.add({happening.kind, std::move(details)});
    if (happening.outcome == "disabled")
        boost::asio::post(executor, [this] {
            if (!stopping) (void)roster->keep_disabled();
        });
}

void ServerRooms::Rooms::hear_bell() {
    bell_events.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [this](boost::system::error_code const& error) {
                               if (error) return;
                               if (bell->heard())
                                   boost::asio::co_spawn(executor, look_at_vault(), boost::asio::detached);
                               hear_bell();
                           });
}

boost::asio::awaitable<void> ServerRooms::Rooms::look_at_vault() {
    auto const entries = co_await maker.vault().entries(executor);
    if (stopping) co_return;
    auto const servers = roster->servers(); // a copy: they may change it
    for (auto const& [identity, server] : servers)
        server->vault_changed(entries ? *entries : std::map<std::string, std::string>());
}

Result<std::shared_ptr<servers::Server>> ServerRooms::Rooms::named(Request const& request) const {
    return roster->find(text_in(request.params, "server"), request.caller->directory());
}

/// All that are open; what belongs to another project is told so.
boost::json::array ServerRooms::Rooms::list(std::filesystem::path const& directory) const {
    std::map<std::pair<std::string, std::string>, boost::json::object> rows; // by name, then file
    for (auto const& [identity, server] : roster->servers())
        rows.emplace(std::pair(server->name(), identity), list_row(*server));
    for (auto const& idle : roster->idle())
        rows.emplace(std::pair(idle.file.found.name, idle.file.identity.native()), list_row(idle));
    auto const seen = roster->seen_from(directory);
    boost::json::array out;
    for (auto& [key, row] : rows) {
        row["here"] = directory.empty() || seen.contains(key.second);
        out.push_back(std::move(row));
    }
    return out;
}

Answer ServerRooms::Rooms::answer_list(Request request) {
    co_return boost::json::serialize(list(request.caller->directory()));
}

Answer ServerRooms::Rooms::answer_status(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    co_return boost::json::serialize(status_of(**server));
}

Answer ServerRooms::Rooms::answer_tools(Request request) {
    boost::json::array out;
    if (text_in(request.params, "server").empty()) {
        for (auto const& [identity, server] : roster->servers()) add_tools(out, *server, house.settings.approve);
    } else {
        auto const server = named(request);
        if (!server) co_return server.error();
        co_await (*server)->settled(Clock::now() + std::chrono::seconds(3));
        add_tools(out, **server, house.settings.approve);
    }
    co_return boost::json::serialize(out);
}

Answer ServerRooms::Rooms::answer_logs(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    auto const lines = servers::number_in(servers::member_of(request.params, "lines"));
    boost::json::object out{{"lines", boost::json::value_from((*server)->log().last(lines.value_or(100)))}};
    if (servers::member_of(request.params, "follow") == "true") {
        auto listener = [caller = std::weak_ptr(request.caller)](std::string const& line) {
            if (auto const here = caller.lock())
                (void)here->tell("log", fmt::format(R"({{"line":{}}})", wire::quoted(line)));
        };
        auto const number = (*server)->log().listen(std::move(listener));
        request.caller->when_gone([weak = std::weak_ptr(*server), number] {
            if (auto const here = weak.lock()) here->log().unlisten(number);
        });
    }
    co_return boost::json::serialize(out);
}

Answer ServerRooms::Rooms::answer_restart(Request request) {
    auto const late = Clock::now() + std::chrono::seconds(40);
    bool const waits = servers::member_of(request.params, "wait") != "false";
    std::vector<std::shared_ptr<servers::Server>> chosen;
    bool const all = text_in(request.params, "server") == "*";
    if (all) {
        for (auto const& [identity, server] : roster->servers()) chosen.push_back(server);
    } else {
        auto const server = named(request);
        if (!server) co_return server.error();
        chosen.push_back(*server);
    }
    for (auto const& server : chosen) server->restart("restarted by its owner");
    (void)roster->keep_disabled();
    boost::json::array rows;
    for (auto const& server : chosen) {
        if (waits) co_await server->settled(late);
        rows.push_back(boost::json::parse(brief(*server)));
    }
    co_return all ? boost::json::serialize(rows) : boost::json::serialize(rows.front());
}

Answer ServerRooms::Rooms::answer_enable(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    if (!(*server)->disabled().empty()) (*server)->restart("enabled by its owner");
    (void)roster->keep_disabled();
    co_await (*server)->settled(Clock::now() + std::chrono::seconds(40));
    co_return brief(**server);
}

Answer ServerRooms::Rooms::answer_disable(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    (*server)->disable(fmt::format("disabled by its owner; to start it again: pfar enable {}", (*server)->name()));
    auto const kept = roster->keep_disabled();
    auto const late = Clock::now() + std::chrono::seconds(12);
    co_await (*server)->resting(late);
    if (!kept) co_return kept.error();
    co_return brief(**server);
}

Answer ServerRooms::Rooms::answer_call(Request request) {
    auto const server = named(request);
    if (!server) co_return server.error();
    auto const begun = Clock::now();
    servers::Ask ask;
    ask.session = text_in(request.params, "session");
    ask.method = "tools/call";
    ask.tool = text_in(request.params, "tool");
    auto const tool = ask.tool;
    auto const arguments = std::string(servers::member_of(request.params, "arguments"));
    ask.params = [tool, arguments](std::uint64_t token) { return call_params(tool, arguments, token); };
    auto const watch = request.caller->when_gone([cancel = ask.cancel] { cancel->cancel("whoever asked has gone"); });
    auto told = co_await (*server)->ask(std::move(ask));
    request.caller->no_matter(watch);
    auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
    bool const failed = !told || told->answer.is_error || servers::says_error(told->answer.payload);
    record.add(
        {"call", {{"server", (*server)->name()}, {"tool", tool}, {"outcome", failed ? "error" : "ok"}, {"ms", took}}});
    if (!told) co_return told.error();
    auto const& answer = told->answer;
    if (!answer.is_error)
        co_return told->hint.empty() ? answer.payload : servers::with_hint(answer.payload, told->hint, false);
    co_return fail(Errc::refused, fmt::format("{} answered with an error: {}{}", (*server)->name(),
                                              servers::error_words(answer.payload), told->hint));
}

ServerRooms::ServerRooms(std::unique_ptr<Rooms> rooms) : rooms_(std::move(rooms)) {}
ServerRooms::~ServerRooms() = default;

Result<std::unique_ptr<ServerRooms>> ServerRooms::open(boost::asio::io_context& context, House& house) {
    auto rooms = std::make_unique<Rooms>(context, house);
    rooms->open();
    return std::unique_ptr<ServerRooms>(new ServerRooms(std::move(rooms)));
}

void ServerRooms::add_methods(control::Methods& methods) {
    auto* const rooms = rooms_.get();
    methods["list"] = [rooms](Request request) { return rooms->answer_list(std::move(request)); };
    methods["status"] = [rooms](Request request) { return rooms->answer_status(std::move(request)); };
    methods["tools"] = [rooms](Request request) { return rooms->answer_tools(std::move(request)); };
    methods["logs"] = [rooms](Request request) { return rooms->answer_logs(std::move(request)); };
    methods["restart"] = [rooms](Request request) { return rooms->answer_restart(std::move(request)); };
    methods["enable"] = [rooms](Request request) { return rooms->answer_enable(std::move(request)); };
    methods["disable"] = [rooms](Request request) { return rooms->answer_disable(std::move(request)); };
    methods["call"] = [rooms](Request request) { return rooms->answer_call(std::move(request)); };
}

void ServerRooms::open_directory(std::filesystem::path const& directory) {
    rooms_->roster->open_directory(directory);
}

void ServerRooms::reload() {
    auto const reloaded = reload_settings(rooms_->house);
    if (!reloaded) spdlog::error("{}", reloaded.error().what);
    rooms_->common->pool->use(static_cast<std::size_t>(std::max<std::int64_t>(0, rooms_->house.settings.pool_max)));
    rooms_->maker.vault().forget();
    rooms_->roster->refresh();
}

bool ServerRooms::busy() const {
    auto const& servers = rooms_->roster->servers();
    return std::any_of(servers.begin(), servers.end(), [](auto const& entry) { return entry.second->in_flight() > 0; });
}

std::string ServerRooms::list_json() const {
    return boost::json::serialize(rooms_->list({}));
}

boost::asio::awaitable<void> ServerRooms::stop() {
    rooms_->stopping = true;
    rooms_->bell_events.close();
    co_await rooms_->roster->stop();
    boost::asio::steady_timer timer(rooms_->executor);
    for (int tries = 0; rooms_->maker.alive() > 0 && tries < 300; ++tries) {
        timer.expires_after(std::chrono::milliseconds(10));
        boost::system::error_code ignored;
        co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
}

} // namespace pfar::house
