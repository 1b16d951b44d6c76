#include "control/connection.hpp"

#include "base/surrogates.hpp"
#include "base/text.hpp"
#include "control/errors.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <fcntl.h>

namespace pfar::control {
namespace {

constexpr std::uint64_t most_troubles = 100;

wire::Ends ends_of(base::Fd& socket) {
    base::Fd other(::fcntl(socket.number(), F_DUPFD_CLOEXEC, 3));
    return {std::move(socket), std::move(other)};
}

Result<std::filesystem::path> directory_in(std::string_view params) {
    boost::system::error_code bad;
    auto const parsed = boost::json::parse(params, bad);
    auto const* const object = bad ? nullptr : parsed.if_object();
    auto const* const directory = object != nullptr ? object->if_contains("directory") : nullptr;
    if (directory == nullptr || !directory->is_string() || !directory->get_string().starts_with('/'))
        return fail(Errc::invalid, "hello has no directory, an absolute path; say {\"directory\": \"/\"}");
    return std::filesystem::path(std::string_view(directory->get_string())).lexically_normal();
}

} // namespace

Connection::Connection(boost::asio::any_io_executor const& executor, std::shared_ptr<Desk> desk, Beginning beginning)
    : executor_(executor), desk_(std::move(desk)), beginning_(std::move(beginning)),
      peer_(executor, ends_of(beginning_.socket)), hello_timer_(executor) {}

void Connection::start() {
    wire::Peer::Heard heard; // `this`: the peer is ours and says nothing once it is closed
    heard.request = [this](wire::Message const& message) { hear(message); };
    heard.notification = [](wire::Message const&) {};
    heard.trouble = [this](std::string const& what) {
        spdlog::debug("control: pid {} said {}", beginning_.pid, what);
        if (peer_.troubles() > most_troubles) close();
    };
    heard.too_long = [this] { close(); }; // whoever waits for an answer hears of it
    heard.ended = [this] { end(); };
    peer_.start(std::move(heard));
    wait_for_hello();
}

void Connection::wait_for_hello() {
    hello_timer_.expires_after(beginning_.patience);
    hello_timer_.async_wait([weak = weak_from_this()](auto const& error) {
        auto const self = weak.lock();
        if (!error && self && !self->greeted_) self->close();
    });
}

void Connection::hear(wire::Message const& message) {
    if (desk_->leaving && message.method == "hello") return close();
    if (auto const admitted = admit(message); !admitted)
        return peer_.refuse(message.id, error_object(admitted.error()));
    auto const found = desk_->methods.find(message.method);
    if (found != desk_->methods.end()) return run(message, found->second);
    (void)peer_.take_descriptors();
    peer_.refuse(message.id, wire::method_not_found,
                 fmt::format("this host has no {}", base::printable(message.method)));
}

/// Hello is said once, and before everything else.
Result<void> Connection::admit(wire::Message const& message) {
    if (message.method != "hello")
        return greeted_ ? Result<void>() : fail(Errc::invalid, "the first request has to be hello");
    if (greeted_) return fail(Errc::invalid, "hello was said already");
    PFAR_TRY(directory, directory_in(message.payload));
    directory_ = std::move(directory);
    greeted_ = true;
    hello_timer_.cancel();
    return {};
}

void Connection::run(wire::Message const& message, Method const& method) {
    Request request{std::string(message.method), std::string(message.payload.empty() ? "{}" : message.payload),
                    peer_.take_descriptors(), shared_from_this()};
    ++desk_->in_flight, ++in_flight_;
    if (desk_->changed) desk_->changed();
    auto done = [self = shared_from_this(), id = std::string(message.id)](std::exception_ptr const& problem,
                                                                          Result<std::string> const& answer) {
        --self->desk_->in_flight, --self->in_flight_;
        if (!problem)
            self->answer(id, answer);
        else
            self->answer(id, fail(Errc::internal, "a bug in the host: see its log"));
        if (problem) try {
                std::rethrow_exception(problem);
            } catch (std::exception const& bug) {
                spdlog::error("control: a method threw: {}", bug.what());
            }
        if (self->desk_->changed) self->desk_->changed();
    };
    boost::asio::co_spawn(executor_, method(std::move(request)), std::move(done));
}

void Connection::answer(std::string const& id, Result<std::string> const& answer) {
    if (ended_) return;
    if (answer)
        peer_.answer(id, base::with_whole_pairs(*answer).value_or(*answer)); // commands read it with a stricter parser
    else
        peer_.refuse(id, error_object(answer.error()));
}

Result<void> Connection::tell(std::string_view method, std::string_view params_json) {
    if (ended_) return fail(Errc::unavailable, "the caller is gone");
    return peer_.tell(method, base::with_whole_pairs(params_json).value_or(std::string(params_json)));
}

std::uint64_t Connection::when_gone(std::function<void()> gone) {
    if (ended_)
        boost::asio::post(executor_, std::move(gone));
    else
        gone_.emplace(++next_gone_, std::move(gone));
    return next_gone_;
}

void Connection::close() {
    if (ended_) return;
    peer_.close(fail(Errc::unavailable, "the connection was closed"));
    end();
}

/// Told later, and then with nothing of ours on the stack: who hears it may drop us.
void Connection::end() {
    if (std::exchange(ended_, true)) return;
    hello_timer_.cancel();
    boost::asio::post(executor_, [self = shared_from_this()] {
        self->peer_.close(fail(Errc::unavailable, "the caller is gone"));
        for (auto const& [number, gone] : std::exchange(self->gone_, {})) gone();
        if (auto const gone = std::exchange(self->beginning_.gone, {})) gone();
    });
}

} // namespace pfar::control
