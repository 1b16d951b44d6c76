#include "gateway/secret_page.hpp"

#include "base/files.hpp"
#include "gateway/http_logins.hpp"
#include "gateway/http_sessions.hpp"
#include "gateway/secret_form.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sodium.h>
#include <sys/socket.h>

#include <cerrno>

namespace pfar::gateway {
namespace {

constexpr std::size_t most_form = 128U << 10U, most_connections = 8;

HttpLimits limits_of_page() {
    HttpLimits out;
    out.connections = most_connections;
    out.form = out.body = most_form;
    out.body_pause = out.unread = out.idle = std::chrono::seconds(10);
    out.body_time = std::chrono::seconds(30);
    return out;
}

Result<base::Fd> loopback_socket() {
    base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket && ::bind(socket.number(), reinterpret_cast<sockaddr const*>(&place), sizeof place) == 0 &&
        ::listen(socket.number(), 16) == 0)
        return socket;
    return fail(Errc::io, fmt::format("there is no port on 127.0.0.1 for the page that asks for a secret: {}; enter it "
                                      "in a terminal with pfar vault set",
                                      base::errno_text(errno)));
}

unsigned loopback_port(base::Fd const& socket) {
    sockaddr_in place{};
    socklen_t size = sizeof place;
    ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&place), &size);
    return ntohs(place.sin_port);
}

/// Browsers say it with every form.
bool is_own_form(HttpRequest const& head, std::string const& authority) {
    auto const site = head.field("sec-fetch-site");
    if (!site.empty() && site != "same-origin") return false;
    auto const type = head.field("content-type");
    return lower_case(trimmed(type.substr(0, type.find(';')))) == "application/x-www-form-urlencoded" &&
           (!head.has("origin") || head.field("origin") == "http://" + authority);
}

} // namespace

Result<std::shared_ptr<SecretPage>> SecretPage::open(boost::asio::any_io_executor const& executor,
                                                     SecretRequest request, Got got) {
    if (::sodium_init() < 0) return fail(Errc::internal, "libsodium cannot be used here");
    PFAR_TRY(socket, loopback_socket());
    auto page = std::make_shared<SecretPage>(executor, std::move(socket), std::move(request), std::move(got));
    page->start();
    return page;
}

SecretPage::SecretPage(boost::asio::any_io_executor const& executor, base::Fd socket, SecretRequest request, Got got)
    : limits_(limits_of_page()), socket_(executor), tick_(executor), request_(std::move(request)), got_(std::move(got)),
      authority_(fmt::format("127.0.0.1:{}", loopback_port(socket))), path_('/' + random_id(24)), mark_(random_id(24)),
      url_("http://" + authority_ + path_), until_(HttpConnection::Clock::now() + request_.life) {
    socket_.assign(socket.release());
}

SecretPage::~SecretPage() {
    close();
    for (auto const& connection : std::exchange(connections_, {})) {
        connection->close();
        connection->forget_site();
    }
}

void SecretPage::start() {
    accept_soon();
    look_later();
}

void SecretPage::close() {
    settle(State::cancelled, fail(Errc::refused, "the page that asks for the secret was closed; ask again"));
    boost::system::error_code ignored;
    socket_.close(ignored);
    for (auto const& connection : std::unordered_set(connections_)) connection->close_soon();
}

void SecretPage::done(Result<void> const& outcome) {
    last_word_ = outcome ? "The value was accepted. You can close this page." : outcome.error().what;
}

/// The first word counts. Told later: whoever hears it may drop the page.
void SecretPage::settle(State state, Result<Secret> result) {
    if (state_ != State::asking) return;
    state_ = state;
    boost::asio::post(socket_.get_executor(), [got = std::exchange(got_, nullptr), said = std::move(result)]() mutable {
        if (got) got(std::move(said));
    });
}

HttpReply SecretPage::over() const {
    if (!last_word_.empty()) return secret_notice(410, request_.title, last_word_);
    if (state_ == State::expired)
        return secret_notice(410, request_.title,
                             "The time for this page is over. Ask for a new one where it came from.");
    if (state_ == State::cancelled) return secret_notice(410, request_.title, "This was cancelled. Nothing was kept.");
    return secret_notice(410, request_.title, "This page was used already. It can be used once.");
}

HttpSite::Verdict SecretPage::judge(HttpRequest const& head) {
    if (head.field("host") != authority_) return {plain_reply(403, "this Host is not served here")};
    if (!is_same_text(head.path, path_)) return {plain_reply(404, "there is nothing here")}; // nobody guesses 192 bits
    if (state_ != State::asking) return {over()};
    if (head.method == "GET") return {{}, 0, true};
    if (head.method != "POST") {
        auto refusal = plain_reply(405, "use GET or POST here");
        refusal.fields.emplace_back("Allow", "GET, POST");
        return {std::move(refusal)};
    }
    if (!is_own_form(head, authority_)) return {plain_reply(403, "this is no form of this page; load it again")};
    return {{}, most_form, true};
}

void SecretPage::serve(HttpClient const& client, HttpRequest request) {
    auto reply = answer(request);
    request.body.wipe();
    client->reply(std::move(reply));
}

HttpReply SecretPage::answer(HttpRequest const& request) {
    if (state_ != State::asking) return over(); // another connection was faster
    if (request.method == "GET") return secret_form(request_, mark_, "");
    auto const form = request.body.view();
    if (auto const mark = form_value(form, "mark"); !mark || !is_same_text(*mark, mark_))
        return plain_reply(403, "this form is not of this page; load it again");
    if (form_value(form, "act") == "cancel") {
        settle(State::cancelled, fail(Errc::refused, "the person cancelled; nothing was entered"));
        return secret_notice(200, request_.title, "Cancelled. Nothing was kept. You can close this page.");
    }
    auto value = posted_secret(request_, form);
    if (!value) return secret_form(request_, mark_, value.error().what);
    settle(State::taken, std::move(value));
    return secret_notice(200, request_.title,
                         "Thank you, pfar has it. You can close this page; it goes on where you came from.");
}

void SecretPage::refuse_later(HttpClient const& client) {
    auto const timer = std::make_shared<boost::asio::steady_timer>(socket_.get_executor(), limits_.penance);
    timer->async_wait([timer, weak = std::weak_ptr(client)](auto const& /*error*/) {
        if (auto const refused = weak.lock()) refused->speak();
    });
}

void SecretPage::gone(HttpClient const& client) {
    connections_.erase(client);
}

void SecretPage::accept_soon() {
    if (accepting_ || !socket_.is_open()) return;
    accepting_ = true;
    socket_.async_wait(boost::asio::posix::descriptor_base::wait_read, [weak = weak_from_this()](auto const& error) {
        auto const self = weak.lock();
        if (!self) return;
        self->accepting_ = false;
        if (!error) self->accept_some();
    });
}

/// If there is no room the next look tries again.
void SecretPage::accept_some() {
    if (connections_.size() >= limits_.connections && !make_room()) return;
    base::Fd socket(::accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
        HttpSite& site = *this;
        auto const connection =
            std::make_shared<HttpConnection>(socket_.get_executor(), std::move(socket), nullptr, site, limits_);
        if (connection->open()) {
            connections_.insert(connection);
            connection->start();
        }
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        return;
    accept_soon();
}

bool SecretPage::make_room() {
    HttpClient worst;
    for (auto const& connection : connections_)
        if (connection->dispensable() > (worst ? worst->dispensable() : 0) ||
            (worst && connection->dispensable() == worst->dispensable() && connection->since() < worst->since()))
            worst = connection;
    if (!worst) return false;
    worst->close();
    worst->forget_site();
    connections_.erase(worst);
    return true;
}

void SecretPage::look_later() {
    tick_.expires_after(limits_.tick);
    tick_.async_wait([weak = weak_from_this()](auto const& error) {
        if (auto const self = weak.lock(); self && !error) self->look();
    });
}

void SecretPage::look() {
    auto const now = HttpConnection::Clock::now();
    for (auto const& connection : std::unordered_set(connections_)) connection->look(now);
    if (now >= until_) settle(State::expired, fail(Errc::timeout, "nobody entered the secret in time; ask again"));
    accept_soon();
    if (socket_.is_open() || !connections_.empty()) look_later();
}

} // namespace pfar::gateway
