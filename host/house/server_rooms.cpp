// Built bottom-up: the record, the worker, whoever makes processes, what all servers share, the roster. Stopped top-down.
#include "house/rooms.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <spdlog/spdlog.h>

#include <sys/stat.h>
#include <unistd.h>

namespace pfar::house {
namespace {

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
    made->changed = [this](servers::Server const& server, std::string_view kind) { gateway->changed(server, kind); };
    made->notified = [this](servers::Server const& server, servers::Notice const& notice) {
        gateway->notified(server, notice);
    };
    common = std::move(made);
    auto listening = VaultBell::listen(house.places.home);
    if (listening)
        bell = std::move(*listening), bell_events.assign(::dup(bell->fd())), hear_bell();
    else
        spdlog::warn("{}", listening.error().what);
    GatewayRoom::Parts parts{executor, house, record, [this] { return roster.get(); },
                             [this] { return boost::json::serialize(list({})); }};
    gateway = std::make_unique<GatewayRoom>(std::move(parts));
    roster = std::make_unique<Roster>(house, common);
    roster->changed = [this] { gateway->roster_changed(); };
}

void ServerRooms::Rooms::hear(servers::Server const& server, servers::Happening const& happening) {
    gateway->happened(server, happening);
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
    methods["settle_record"] = [rooms](Request const&) { return rooms->answer_settle_record(); };
    rooms->gateway->add_methods(methods);
}

void ServerRooms::open_directory(std::filesystem::path const& directory) {
    rooms_->roster->open_directory(directory);
}

void ServerRooms::reload() {
    auto const reloaded = reload_settings(rooms_->house);
    if (!reloaded) spdlog::error("{}", reloaded.error().what);
    rooms_->common->pool->use(static_cast<std::size_t>(std::max<std::int64_t>(0, rooms_->house.settings.pool_max)));
    rooms_->record.settings_changed();
    rooms_->maker.vault().forget();
    rooms_->gateway->settings_changed();
    rooms_->roster->refresh();
}

bool ServerRooms::busy() const {
    if (rooms_->gateway->busy()) return true;
    auto const& servers = rooms_->roster->servers();
    return std::any_of(servers.begin(), servers.end(), [](auto const& entry) { return entry.second->in_flight() > 0; });
}

std::size_t ServerRooms::sessions() const {
    return rooms_->gateway->sessions();
}

Result<void> ServerRooms::record_health() const {
    return rooms_->record.health();
}

std::string ServerRooms::list_json() const {
    return boost::json::serialize(rooms_->list({}));
}

boost::asio::awaitable<void> ServerRooms::stop() {
    rooms_->stopping = true;
    rooms_->gateway->close("the host is stopping");
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
