#include "gateway/http_owner.hpp"

#include "gateway/http_page.hpp"

#include <fmt/format.h>

namespace pfar::gateway {
namespace {

HttpReply see_page(HttpFields fields = {}) {
    fields.emplace_back("Location", "/");
    return {303, {}, {}, std::move(fields)};
}

bool is_form(HttpRequest const& request) {
    auto const type = request.field("content-type");
    return lower_case(trimmed(type.substr(0, type.find(';')))) == "application/x-www-form-urlencoded";
}

} // namespace

bool HttpOwner::is_at(std::string_view path) {
    return path == "/" || path == "/login" || path == "/logout" || path == "/approve" || path == "/deny";
}

HttpLogins::Login* HttpOwner::login_of(HttpRequest const& request) {
    return logins_.find(cookie(request, cookie_name()), Clock::now());
}

HttpSite::Verdict HttpOwner::judge(HttpRequest const& head) {
    std::string_view const method = head.path == "/" ? "GET" : "POST";
    HttpSite::Verdict out{{}, limits_.form, login_of(head) != nullptr};
    if (!door_.has_owner())
        out.refusal = plain_reply(404, "the owner has no token, so there is no page");
    else if (head.method != method) {
        out.refusal = plain_reply(405, fmt::format("use {} here", method));
        out.refusal->fields.emplace_back("Allow", method);
    } else if (method == "POST" && (!door_.is_same_origin(head) || !is_form(head)))
        out.refusal = plain_reply(403, "this is no form of pfar's own page");
    return out;
}

HttpReply HttpOwner::answer(HttpRequest const& request) {
    if (request.path == "/login") return log_in(request);
    auto* const login = login_of(request);
    if (request.path == "/") return login == nullptr ? login_page(200, "") : page(*login);
    if (login == nullptr) return login_page(403, "You are not logged in any more.");
    auto const form = form_value(request.body.view(), "form");
    if (!form || !is_same_text(*form, login->form))
        return plain_reply(403, "this form is not of your page; load it again");
    return request.path == "/logout" ? log_out(request) : decide(request, *login);
}

HttpReply HttpOwner::page(HttpLogins::Login& login) const {
    auto const text = [](auto const& room) { return room ? room() : std::string("[]"); };
    return owners_page({text(rooms_.servers), text(rooms_.approvals), text(rooms_.blocked), login.form,
                        std::exchange(login.notice, {})});
}

/// The right token gets in however many wrong ones others have tried: it is too long to be guessed, and nobody shall lock the owner out.
HttpReply HttpOwner::log_in(HttpRequest const& request) {
    auto const now = Clock::now();
    auto const token = form_value(request.body.view(), "token");
    if (!token || !door_.is_owners_token(trimmed(*token)))
        return logins_.forgives(now) ? login_page(403, "That is not the owner's token.")
                                     : login_page(429, "Too many wrong tokens; wait a minute.");
    auto const& login = logins_.begin(now);
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(limits_.login).count();
    return see_page({{"Set-Cookie", fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", cookie_name(),
                                                login.cookie, seconds, door_.has_tls() ? "; Secure" : "")}});
}

HttpReply HttpOwner::log_out(HttpRequest const& request) {
    logins_.end(cookie(request, cookie_name()));
    return see_page({{"Set-Cookie", fmt::format("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict{}", cookie_name(),
                                                door_.has_tls() ? "; Secure" : "")}});
}

HttpReply HttpOwner::decide(HttpRequest const& request, HttpLogins::Login& login) const {
    auto const id = form_value(request.body.view(), "id").value_or("");
    bool const for_session = form_value(request.body.view(), "for") == "session";
    bool const approves = request.path == "/approve";
    auto const done = approves ? rooms_.approve(id, for_session) : rooms_.deny(id);
    if (!done)
        login.notice = done.error().what;
    else
        login.notice = !approves ? "Denied." : for_session ? "Approved for this session." : "Approved once.";
    return see_page();
}

} // namespace pfar::gateway
