// The object that others hold is a handle; what lives on the loop is shared with its handlers and ends by itself, last of all the control group.
#include "house/process.hpp"

#include "base/files.hpp"
#include "base/redact_stream.hpp"
#include "base/text.hpp"
#include "house/process_words.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace pfar::house {
namespace {

using Clock = std::chrono::steady_clock;
using Descriptor = boost::asio::posix::stream_descriptor;
using spawn::Note;
constexpr std::size_t errors_a_second = 1U << 20U;

class Life : public std::enable_shared_from_this<Life> {
public:
    Life(boost::asio::any_io_executor const& executor, ProcessParts parts, std::shared_ptr<std::size_t> ending)
        : executor_(executor), parts_(std::move(parts)), notes_(executor, ::dup(child().notes())), errors_(executor),
          watch_(executor), pause_(executor), ending_count_(std::move(ending)) {
        if (parts_.facts.redactor && !parts_.facts.redactor->empty()) redacting_.emplace(*parts_.facts.redactor);
    }

    void begin() {
        ++*ending_count_;
        errors_.assign(parts_.errors.release());
        hear_soon();
        read_errors_soon();
        watch_soon();
    }

    ProcessParts& parts() { return parts_; }
    [[nodiscard]] boost::asio::any_io_executor const& executor() const { return executor_; }
    spawn::Child& child() { return parts_.started.sandbox.child(); }
    [[nodiscard]] bool over() const { return over_.has_value(); }

    void when_ended(servers::Process::Ended ended) {
        ended_ = std::move(ended);
        if (over_) boost::asio::post(executor_, [self = shared_from_this()] { self->tell(); });
    }

    void kill() {
        if (!over_) child().kill();
    }

private:
    void hear_soon() {
        notes_.async_wait(Descriptor::wait_read, [self = shared_from_this()](boost::system::error_code const& error) {
            if (!error && !self->over_) self->hear();
        });
    }

    void hear() {
        if (!child().has_note()) return hear_soon();
        auto const note = parts_.started.sandbox.next();
        auto const limit = parts_.wish.sandbox.memory_limit;
        if (!note) return end({"the sandbox cannot be heard: " + note.error().what});
        if (note->kind == Note::Kind::ended)
            return end(ending_of(note->value, WIFSIGNALED(note->value) && parts_.started.sandbox.ran_out(), limit));
        if (note->kind == Note::Kind::gone)
            return end(parts_.started.sandbox.ran_out() ? ending_of(SIGKILL, true, limit)
                                                        : servers::Ending{"the sandbox was killed from outside"});
        if (note->kind == Note::Kind::failed) return end({explain(*note, parts_.wish.command)});
        hear_soon();
    }

    void watch_soon() {
        auto const every = parts_.started.sandbox.watch_every();
        if (!every) return;
        watch_.expires_after(*every);
        watch_.async_wait([self = shared_from_this()](boost::system::error_code const& error) {
            if (error || self->over_) return;
            if (self->parts_.started.sandbox.watch())
                return self->end(ending_of(SIGKILL, true, self->parts_.wish.sandbox.memory_limit));
            self->watch_soon();
        });
    }

    void read_errors_soon() {
        errors_.async_wait(Descriptor::wait_read, [self = shared_from_this()](boost::system::error_code const& error) {
            if (!error) self->read_errors();
        });
    }

    /// A mebibyte a second is kept, what is above that is left out, and above 64 it waits.
    void read_errors() {
        char buffer[16 << 10];
        auto const got = ::read(errors_.native_handle(), buffer, sizeof buffer);
        if (got <= 0 && !(got < 0 && (errno == EAGAIN || errno == EINTR))) return finish_errors();
        auto const now = Clock::now();
        if (now - second_ >= std::chrono::seconds(1)) begin_second(now);
        if (got > 0 && in_second_ < errors_a_second) pass(std::string_view(buffer, static_cast<std::size_t>(got)));
        in_second_ += got > 0 ? static_cast<std::size_t>(got) : 0;
        if (in_second_ < 64 * errors_a_second || over_) return read_errors_soon();
        pause_.expires_at(second_ + std::chrono::seconds(1));
        pause_.async_wait([self = shared_from_this()](boost::system::error_code const&) { self->read_errors_soon(); });
    }

    void begin_second(Clock::time_point now) {
        if (in_second_ > errors_a_second)
            parts_.said(fmt::format("\n[{} bytes of its stderr were left out]\n", in_second_ - errors_a_second));
        second_ = now, in_second_ = 0;
    }

    void pass(std::string_view chunk) {
        if (!redacting_) return parts_.said(chunk);
        parts_.said(redacting_->feed(chunk));
    }

    void finish_errors() {
        if (!errors_.is_open()) return;
        if (redacting_) parts_.said(redacting_->finish());
        boost::system::error_code ignored;
        errors_.close(ignored);
    }

    /// What is in the pipe now was said before the end.
    void drain_errors() {
        char buffer[16 << 10];
        for (int rounds = 0; errors_.is_open() && rounds < 16; ++rounds) {
            auto const got = ::read(errors_.native_handle(), buffer, sizeof buffer);
            if (got <= 0) break;
            pass(std::string_view(buffer, static_cast<std::size_t>(got)));
        }
        finish_errors();
    }

    void end(servers::Ending how) {
        over_ = std::move(how);
        watch_.cancel();
        pause_.cancel();
        drain_errors();
        boost::system::error_code ignored;
        notes_.close(ignored);
        child().kill();
        boost::asio::co_spawn(executor_, clean_up(shared_from_this()), [](std::exception_ptr const&) {});
        if (ended_) boost::asio::post(executor_, [self = shared_from_this()] { self->tell(); });
    }

    void tell() {
        if (auto const ended = std::exchange(ended_, nullptr)) ended(*over_);
    }

    /// Nobody is waited for while others could be served.
    static boost::asio::awaitable<void> clean_up(std::shared_ptr<Life> self) {
        auto const executor = self->executor_;
        auto const late = Clock::now() + std::chrono::seconds(2);
        if (self->child().first_exit() >= 0) co_await readable(executor, self->child().first_exit(), late);
        if (self->child().launcher_exit() >= 0) co_await readable(executor, self->child().launcher_exit(), late);
        self->child().end();
        self->parts_.way_out->close();
        if (self->parts_.started.scratch) (void)base::remove_tree(*self->parts_.started.scratch);
        self->parts_.socket.reset();
        --*self->ending_count_;
    }

    boost::asio::any_io_executor executor_;
    ProcessParts parts_;
    Descriptor notes_, errors_;
    boost::asio::steady_timer watch_, pause_;
    std::shared_ptr<std::size_t> ending_count_;
    std::optional<base::RedactingStream> redacting_;
    std::optional<servers::Ending> over_;
    servers::Process::Ended ended_;
    Clock::time_point second_{};
    std::size_t in_second_ = 0;
};

class ServerProcess final : public servers::Process {
public:
    explicit ServerProcess(std::shared_ptr<Life> life) : life_(std::move(life)) {}
    ~ServerProcess() override { life_->kill(); }

    [[nodiscard]] Facts const& facts() const override { return life_->parts().facts; }
    boost::asio::awaitable<Result<wire::Ends>> connect(Clock::time_point late) override {
        auto const life = life_;
        if (!life->parts().socket) co_return std::move(life->parts().ends);
        auto const over = [life] { return life->over(); };
        co_return co_await life->parts().socket->connect(life->executor(), late, over);
    }
    void when_ended(Ended ended) override { life_->when_ended(std::move(ended)); }
    void signal(int number) override {
        if (!life_->over()) life_->child().pass(number);
    }
    void kill() override { life_->kill(); }
    [[nodiscard]] std::vector<servers::BlockedDomain> blocked() const override {
        return blocked_domains(life_->parts().way_out->blocked(), life_->parts().wish.name);
    }
    bool use(config::ServerSpec const& spec) override {
        auto& wish = life_->parts().wish;
        if (wish.domains.empty() && !wish.egress_anyway) return spec.allowed_domains.empty();
        wish.domains = spec.allowed_domains;
        wish.allow_private = spec.allow_private;
        life_->parts().way_out->use(wish);
        return true;
    }

private:
    std::shared_ptr<Life> life_;
};

} // namespace

std::unique_ptr<servers::Process> make_process(boost::asio::any_io_executor const& executor, ProcessParts parts,
                                               std::shared_ptr<std::size_t> ending) {
    auto const life = std::make_shared<Life>(executor, std::move(parts), std::move(ending));
    life->begin();
    return std::make_unique<ServerProcess>(life);
}

boost::asio::awaitable<bool> readable(boost::asio::any_io_executor executor, int descriptor,
                                      std::chrono::steady_clock::time_point late) {
    auto const waiting =
        std::make_shared<Descriptor>(executor, ::dup(descriptor)); // we may be gone when the time comes
    boost::asio::steady_timer bound(executor, late);
    auto const in_time = std::make_shared<bool>(true);
    bound.async_wait([waiting, in_time](boost::system::error_code const& error) {
        if (error) return;
        *in_time = false;
        waiting->cancel();
    });
    boost::system::error_code ignored;
    co_await waiting->async_wait(Descriptor::wait_read,
                                 boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    bound.cancel();
    co_return *in_time;
}

} // namespace pfar::house
