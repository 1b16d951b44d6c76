#include "servers/instance.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>

namespace pfar::servers {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds for_itself{5000}, for_the_signal{3000}, for_the_kernel{5000}, for_a_moment{500},
    for_exit{1000}, for_last_words{100};

StartFailure::Where place_of(Errc code) {
    if (code == Errc::locked) return StartFailure::Where::locked;
    if (code == Errc::not_found) return StartFailure::Where::missing;
    if (code == Errc::unsupported || code == Errc::refused || code == Errc::invalid)
        return StartFailure::Where::refused;
    return StartFailure::Where::spawn;
}

} // namespace

std::string last_words(std::vector<std::string> const& lines) {
    return lines.empty() ? "" : fmt::format("; its last words: {}", fmt::join(lines, " | "));
}

Instance::Instance(boost::asio::any_io_executor const& executor, std::unique_ptr<Process> process)
    : executor_(executor), process_(std::move(process)), change_(executor) {}

Instance::~Instance() {
    if (session_) session_->close(fail(Errc::unavailable, "it was ended"));
}

boost::asio::awaitable<Instance::Begun> Instance::begin(boost::asio::any_io_executor executor, StartProcess start,
                                                        Task task) {
    auto process = co_await start(std::move(task.start));
    if (!process) co_return StartFailure{place_of(process.error().code), process.error().what};
    auto const self = std::make_shared<Instance>(executor, std::move(*process));
    self->listen();
    task.made(*self);
    auto const& facts = self->process_->facts();
    SessionTask session{task.name, facts.roots, facts.access, task.timeouts,
                        [own = facts.redactor, known = facts.known] {
                            auto all = known ? known() : nullptr;
                            return all ? all : own;
                        }};
    auto ends = co_await self->process_->connect(Clock::now() + task.timeouts.start);
    if (!ends) {
        auto failure = co_await self->failure(ends.error(), task);
        co_return failure;
    }
    self->session_ = Session::make(executor, std::move(*ends), std::move(session));
    task.heard.ended = [weak = std::weak_ptr(self)] {
        if (auto const here = weak.lock()) here->give_up("it closed its output");
    };
    auto const initialized = co_await self->session_->initialize(std::move(task.heard));
    if (initialized) co_return self;
    auto failure = co_await self->failure(initialized.error(), task);
    co_return failure;
}

/// How it failed to start, with all that is known once it is gone.
boost::asio::awaitable<StartFailure> Instance::failure(Error error, Task const& task) {
    auto const self = shared_from_this();
    if (error.code != Errc::timeout) co_await ended(Clock::now() + std::chrono::seconds(1));
    bool const by_itself = ending_ && error.code != Errc::timeout;
    StartFailure out{StartFailure::Where::handshake, by_itself ? ending_->words : error.what};
    out.words += blocked_words();
    out.last = last_words(task.last_words());
    if (out.last.empty()) out.last = "; it said nothing on stderr";
    co_await stop("it did not start", false);
    co_return out;
}

void Instance::listen() {
    process_->when_ended([weak = weak_from_this()](Ending const& ending) {
        if (auto const self = weak.lock()) self->end(ending);
    });
}

/// What it said before it ended is still in the pipe and counts; those who wait for more are told soon after.
void Instance::end(Ending ending) {
    if (killed_) ending.words = given_up_;
    ending_ = std::move(ending);
    change_.ring();
    for (auto const& heard : std::exchange(on_end_, {})) heard(*this);
    auto const timer = std::make_shared<boost::asio::steady_timer>(
        executor_, given_up_.empty() ? for_last_words : std::chrono::milliseconds(0));
    timer->async_wait([timer, self = shared_from_this()](boost::system::error_code const&) {
        if (self->session_)
            self->session_->close(fail(Errc::unavailable, fmt::format("it ended: {}", self->ending_->words)));
        self->told_ = true;
        self->change_.ring();
    });
}

void Instance::on_end(std::function<void(Instance const&)> heard) {
    if (ending_) return heard(*this);
    on_end_.push_back(std::move(heard));
}

boost::asio::awaitable<std::optional<Ending>> Instance::ended(Clock::time_point late) {
    auto const self = shared_from_this();
    while (!ending_ && Clock::now() < late) co_await change_.until(late);
    co_return ending_;
}

void Instance::give_up(std::string words) {
    if (ending_ || !given_up_.empty()) return;
    given_up_ = std::move(words);
    auto const timer = std::make_shared<boost::asio::steady_timer>(executor_, for_exit);
    timer->async_wait([timer, weak = weak_from_this()](boost::system::error_code const&) {
        auto const self = weak.lock();
        if (!self || self->ending_) return;
        self->killed_ = true;
        self->process_->kill();
    });
}

void Instance::kill(std::string words) {
    if (ending_) return;
    if (given_up_.empty()) given_up_ = std::move(words);
    killed_ = true;
    process_->kill();
}

boost::asio::awaitable<void> Instance::stop(std::string why, bool patiently) {
    auto const self = shared_from_this();
    if (!ending_) {
        if (session_) session_->peer().close_output();
        given_up_ = why;
        auto const patience = patiently ? for_itself : for_a_moment;
        co_await ended(Clock::now() + patience);
    }
    if (!ending_ && patiently) {
        process_->signal(SIGTERM);
        co_await ended(Clock::now() + for_the_signal);
    }
    if (!ending_) killed_ = true, process_->kill();
    if (!ending_) co_await ended(Clock::now() + for_the_kernel);
    for (auto const late = Clock::now() + for_the_kernel; ending_ && !told_ && Clock::now() < late;)
        co_await change_.until(late);
    if (session_) session_->close(fail(Errc::unavailable, why));
}

std::string Instance::blocked_words() const {
    std::string out;
    for (auto const& blocked : process_->blocked())
        if (!blocked.domain.empty())
            out += fmt::format("; it was kept from {}{}", base::printable(blocked.domain),
                               blocked.remedy.empty() ? "" : fmt::format(" (to allow it: {})", blocked.remedy));
    return out;
}

} // namespace pfar::servers
