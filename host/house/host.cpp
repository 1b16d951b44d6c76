// Built bottom-up and stopped top-down: the door is closed first, so that whoever comes now starts the next host; the lock goes last, with the process.
#include "house/host.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "control/launch.hpp"
#include "control/listener.hpp"
#include "control/systemd.hpp"
#include "house/agent_flow.hpp"
#include "house/host_report.hpp"
#include "house/live_table.hpp"
#include "house/record.hpp"
#include "house/server_rooms.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <spdlog/spdlog.h>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace pfar::house {
namespace {

using control::Request;
using Answer = boost::asio::awaitable<Result<std::string>>;

constexpr std::chrono::seconds stop_patience{12}, first_patience{10}; // the second: for whoever started us to come
constexpr std::chrono::milliseconds between_tables{200};
constexpr std::chrono::seconds between_clearings{10}; // who clears up leaves a connection, too
constexpr std::chrono::milliseconds soon{300};

class Host {
public:
    Host(HostTask const& task, control::RunDirectory run, control::HostLock lock, House house)
        : task_(task), run_(std::move(run)), lock_(std::move(lock)), house_(std::move(house)) {}

    Result<void> open();
    void run();
    /// On stderr, for a person.
    void say_ready() const;

private:
    control::Methods methods();
    HostFacts facts() const;
    Answer hello(Request request);
    Answer report(Request request);
    Answer reload(Request request);
    Answer stop(Request request);

    void wait_for_signal();
    void hear_signal(int number);
    void watch_idle();
    void look_at_flows();
    void draw();
    void leave(std::string const& why);
    boost::asio::awaitable<void> leave_rooms();
    void leave_at_once();
    void settle() {
        context_.restart();
        context_.poll();
    }

    HostTask const& task_;
    control::RunDirectory run_;
    control::HostLock lock_;
    House house_;
    Record record_{house_};
    std::chrono::system_clock::time_point since_ = std::chrono::system_clock::now();
    boost::asio::io_context context_{1};
    boost::asio::signal_set signals_{context_, SIGTERM, SIGINT, SIGHUP};
    boost::asio::steady_timer idle_{context_}, draw_{context_}, late_{context_}, flows_{context_};
    std::unique_ptr<ServerRooms> rooms_;
    std::unique_ptr<control::Listener> listener_;
    std::shared_ptr<LiveTable> table_; // the log has it too
    std::size_t connections_ = 0;
    std::chrono::steady_clock::time_point no_look_before_{};
    bool leaving_ = false, used_ = false, looked_ = false;
};

Result<void> Host::open() {
    if (task_.table) {
        table_ = std::make_shared<LiveTable>(STDERR_FILENO);
        base::log_lines_to([table = table_](std::string_view line) { table->log(line); });
    }
    wait_for_signal();
    PFAR_TRY(listener, control::Listener::open(context_.get_executor(), run_, lock_));
    listener_ = std::move(listener);
    PFAR_TRY(rooms, ServerRooms::open(context_, house_));
    rooms_ = std::move(rooms);
    record_.add({"host", {{"action", "start"}, {"pid", ::getpid()}, {"version", task_.identity.version}}});
    listener_->start(methods(), [this] {
        watch_idle();
        look_at_flows();
    });
    look_at_flows();
    watch_idle();
    if (table_) draw();
    spdlog::info("host: version {}, pid {}, home {}", task_.identity.version, ::getpid(), house_.places.home.native());
    return {};
}

void Host::say_ready() const {
    auto const line = fmt::format("pfar host: ready, {} servers, socket {}\n", count_servers(rooms_->list_json()),
                                  base::printable((run_.path() / control::socket_name).native()));
    if (table_)
        table_->log(line);
    else
        std::fputs(line.c_str(), stderr);
}

control::Methods Host::methods() {
    control::Methods out;
    rooms_->add_methods(out);
    out["hello"] = [this](Request request) { return hello(std::move(request)); };
    out["host"] = [this](Request request) { return report(std::move(request)); };
    out["reload"] = [this](Request request) { return reload(std::move(request)); };
    out["stop"] = [this](Request request) { return stop(std::move(request)); };
    return out;
}

HostFacts Host::facts() const {
    return {house_,
            task_.identity,
            since_,
            rooms_->list_json(),
            listener_->connections(),
            rooms_->sessions(),
            rooms_->busy(),
            task_.on_demand,
            rooms_->record_health()};
}

Answer Host::hello(Request request) {
    bool const idle = listener_->in_flight() <= 1 && !rooms_->busy(); // one is this
    rooms_->open_directory(request.caller->directory());
    co_return greeting(facts(), idle);
}

Answer Host::report(Request /*request*/) {
    co_return host_report(facts());
}

Answer Host::reload(Request /*request*/) {
    rooms_->reload();
    co_return std::string("{}");
}

Answer Host::stop(Request request) {
    leave(fmt::format("pid {} asked for it", request.caller->pid()));
    co_return std::string("{}");
}

void Host::wait_for_signal() {
    signals_.async_wait([this](auto const& error, int number) {
        if (error) return;
        hear_signal(number);
        wait_for_signal();
    });
}

void Host::hear_signal(int number) {
    if (number == SIGHUP) {
        spdlog::info("host: reads its files again");
        rooms_->reload();
    } else if (leaving_)
        leave_at_once();
    else
        leave(number == SIGINT ? "interrupted" : "terminated");
}

/// Nothing is connected and nothing is asked; whether calls run is looked at when the time is over.
void Host::watch_idle() {
    idle_.cancel();
    auto time = house_.settings.idle_exit;
    used_ = used_ || !listener_->idle();
    if (!task_.on_demand || time.count() == 0 || leaving_ || !listener_->idle()) return;
    if (!used_) time = std::max<std::chrono::milliseconds>(time, first_patience);
    idle_.expires_after(time);
    idle_.async_wait([this](auto const& error) {
        if (error || leaving_) return;
        if (listener_->idle() && !rooms_->busy())
            leave("idle");
        else
            watch_idle();
    });
}

/// A conversation that was killed leaves its connection, too.
void Host::look_at_flows() {
    auto const now = listener_->connections();
    bool const one_left = now < connections_;
    connections_ = now;
    auto const time = std::chrono::steady_clock::now();
    if (leaving_ || (!one_left && looked_)) return;
    looked_ = true;
    flows_.expires_at(std::max(time + soon, no_look_before_)); // its lock may go after its connection
    flows_.async_wait([this](auto const& error) {
        if (error || leaving_) return;
        bool const cleared = clear_after_flows(context_.get_executor(), house_.places.home);
        if (cleared) no_look_before_ = std::chrono::steady_clock::now() + between_clearings;
    });
}

void Host::draw() {
    table_->show(rooms_->list_json());
    draw_.expires_after(between_tables);
    draw_.async_wait([this](auto const& error) {
        if (!error) draw();
    });
}

void Host::leave(std::string const& why) {
    if (std::exchange(leaving_, true)) return;
    spdlog::info("host: stops: {}", why);
    control::notify_systemd("STOPPING=1");
    record_.add({"host", {{"action", "stop"}, {"pid", ::getpid()}, {"why", why}}});
    listener_->close_door();
    late_.expires_after(stop_patience);
    late_.async_wait([this](auto const& error) {
        if (!error) leave_at_once();
    });
    boost::asio::co_spawn(context_, leave_rooms(), [this](std::exception_ptr const& problem) {
        if (problem) leave_at_once();
        context_.stop();
    });
}

boost::asio::awaitable<void> Host::leave_rooms() {
    co_await rooms_->stop();
}

/// Every sandbox dies with us, and what we leave behind the next host clears away.
void Host::leave_at_once() {
    spdlog::warn("host: does not wait for its servers any longer");
    record_.close();
    if (table_) table_->finish();
    ::_exit(1);
}

void Host::run() {
    context_.run();
    draw_.cancel(), idle_.cancel(), late_.cancel(), flows_.cancel(), signals_.cancel();
    settle(); // what has an answer by now is told
    listener_.reset();
    settle();
    rooms_.reset();
    if (table_) table_->finish();
    record_.close();
    spdlog::info("host: stopped");
}

Result<House> house_for_host() {
    PFAR_TRY(house, open_house());
    if (count(house.settings_mistakes, config::Severity::error) == 0) return house;
    return fail(Errc::invalid, fmt::format("{} has mistakes, so no host is started; pfar check tells which",
                                           house.settings_file.native()));
}

/// The lock comes first: two that start at once must not both touch what is there.
Result<std::unique_ptr<Host>> open_host(HostTask const& task) {
    PFAR_TRY(home, base::home());
    PFAR_CHECK(base::prepare_home(home));
    PFAR_TRY(run, control::RunDirectory::open(home));
    PFAR_TRY(lock, control::HostLock::take(run, task.identity));
    PFAR_TRY(house, house_for_host());
    auto host = std::make_unique<Host>(task, std::move(run), std::move(lock), std::move(house));
    PFAR_CHECK(host->open());
    return host;
}

} // namespace

Result<void> run_host(HostTask task) {
    std::signal(SIGPIPE, SIG_IGN);
    ::mallopt(M_MMAP_THRESHOLD, 4 << 20); // a large message is given back when it is gone, also after the first one
    ::mallopt(M_TRIM_THRESHOLD, 4 << 20);
    auto const host = open_host(task);
    control::say_ready(std::move(task.ready), host ? Result<void>() : host.error());
    if (!host) return host.error();
    control::notify_systemd("READY=1");
    if (!task.on_demand) (*host)->say_ready();
    (*host)->run();
    return {};
}

} // namespace pfar::house
