#include "fetch/transfer.hpp"

#include "base/text.hpp"
#include "fetch/header_rules.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cctype>

namespace pfar::fetch {
namespace {

constexpr unsigned most_redirects = 5;
constexpr std::size_t most_head_bytes = 64U << 10U;

void append(std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>& list, std::string const& field) {
    if (auto* const longer = curl_slist_append(list.get(), field.c_str())) {
        static_cast<void>(list.release());
        list.reset(longer);
    }
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    return text;
}

bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

} // namespace

std::string_view Response::field(std::string_view name) const {
    auto const found =
        std::find_if(fields.begin(), fields.end(), [&](auto const& field) { return field.first == name; });
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

Transfer::Transfer(Wanted wanted, Settings const& settings)
    : wanted_(std::move(wanted)), settings_(settings), late_(Clock::now() + settings.timeout),
      easy_(curl_easy_init(), curl_easy_cleanup), fields_(nullptr, curl_slist_free_all) {}

Result<void> Transfer::leg() {
    if (!easy_) return fail(Errc::internal, "libcurl cannot be used here; there may be too little memory");
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(late_ - Clock::now()).count();
    if (left <= 0) return failure(CURLE_OPERATION_TIMEDOUT);
    response_ = Response();
    response_.url = wanted_.target.url;
    head_bytes_ = 0;
    curl_easy_reset(easy_.get());
    curl_easy_setopt(easy_.get(), CURLOPT_URL, wanted_.target.url.c_str());
    curl_easy_setopt(easy_.get(), CURLOPT_TIMEOUT_MS,
                     static_cast<long>(left)); // of everything, names and connecting included
    set_connection();
    set_method();
    set_fields();
    return {};
}

void Transfer::set_connection() {
    auto* const easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    // Through the filter's tunnel always: what we say to the peer is none of the proxy's business, and its refusal is no reply of the peer's.
    curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY,
                     ""); // 127.0.0.1 is the owner's, if that may be reached, and not the sandbox's own
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
    if (!settings_.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, settings_.ca_file.c_str());
    if (!settings_.ca_directory.empty()) curl_easy_setopt(easy, CURLOPT_CAPATH, settings_.ca_directory.c_str());
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, trouble_);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::hear_field);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::hear_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
}

void Transfer::set_method() {
    auto* const easy = easy_.get();
    auto const& method = wanted_.method;
    bool const bodied =
        wanted_.body || method == "POST" || method == "PUT" || method == "PATCH"; // these say that it is empty
    if (bodied) {
        auto const& body = wanted_.body ? *wanted_.body : wanted_.body.emplace();
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
    } else if (method == "HEAD")
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    if (method != "HEAD") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void Transfer::set_fields() {
    fields_.reset();
    append(fields_, "Expect:");
    bool has_type = false, has_agent = false;
    for (auto const& field : wanted_.fields) {
        auto const name = std::string_view(field).substr(0, field.find_first_of(":;"));
        bool const type = is_same_field(name, "content-type");
        has_type = has_type || type, has_agent = has_agent || is_same_field(name, "user-agent");
        if (!type || wanted_.body) append(fields_, field);
    }
    if (!has_agent) append(fields_, "User-Agent: pfar-http/" PFAR_VERSION);
    if (!has_type) append(fields_, "Content-Type:" + (wanted_.body_type.empty() ? "" : ' ' + wanted_.body_type));
    if (settings_.base && settings_.token.size() != 0 && is_same_origin(*settings_.base, wanted_.target)) {
        std::string line =
            settings_.auth_header + ": " + settings_.auth_scheme + (settings_.auth_scheme.empty() ? "" : " ");
        line += settings_.token.reveal();
        append(fields_, line);
        ::explicit_bzero(line.data(), line.size());
    }
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, fields_.get());
}

std::size_t Transfer::hear_field(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    transfer.head_bytes_ += one * count;
    if (transfer.head_bytes_ > most_head_bytes) return 0;
    transfer.hear_line({bytes, one * count});
    return one * count;
}

/// A new status line begins a new head: those of 100 Continue do not count.
void Transfer::hear_line(std::string_view line) {
    if (line.starts_with("HTTP/")) {
        response_.fields.clear();
        response_.status_line = without_blanks(line);
        return;
    }
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string name(without_blanks(line.substr(0, colon)));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    response_.fields.emplace_back(std::move(name), without_blanks(line.substr(colon + 1)));
}

std::size_t Transfer::hear_body(char* bytes, std::size_t one, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    auto& body = transfer.response_.body;
    auto const room = transfer.settings_.most_bytes - body.size();
    body.append(bytes, std::min(room, one * count));
    transfer.response_.cut = one * count > room;
    return transfer.response_.cut ? 0 : one * count; // enough: curl ends it
}

Result<bool> Transfer::ended(CURLcode code) {
    if (code != CURLE_OK && !(code == CURLE_WRITE_ERROR && response_.cut)) return failure(code);
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<unsigned>(status);
    return is_redirect(response_.status) && follow();
}

/// False if it must not be followed; the response then says why.
bool Transfer::follow() {
    char const* place = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &place);
    if (place == nullptr) return false;
    auto next = read_target(place);
    auto const stays = next ? check_stays(wanted_.target, *next) : Result<void>(next.error());
    if (!stays)
        response_.note = "The redirect was not followed: " + stays.error().what + ".";
    else if (++redirects_ > most_redirects)
        response_.note = fmt::format("The redirect was not followed: it was number {}.", redirects_);
    if (!response_.note.empty()) return false;
    bool const as_get = response_.status == 303 || (response_.status < 303 && wanted_.method == "POST");
    if (as_get && wanted_.method != "HEAD") {
        wanted_.method = "GET";
        wanted_.body.reset();
        wanted_.body_type.clear();
    }
    wanted_.target = std::move(*next);
    return true;
}

Error Transfer::failure(CURLcode code) const {
    auto const& host = wanted_.target.host;
    long tunnel = 0;
    if (easy_) curl_easy_getinfo(easy_.get(), CURLINFO_HTTP_CONNECTCODE, &tunnel);
    if (tunnel == 403)
        return fail(Errc::refused, fmt::format("pfar's filter refused the connection to {}:{}; pfar status tells its "
                                               "owner why, and what would allow it",
                                               host, wanted_.target.port));
    if (code == CURLE_OPERATION_TIMEDOUT)
        return fail(Errc::timeout,
                    fmt::format("{} did not answer completely within {} s (PFAR_HTTP_TIMEOUT)", host,
                                std::chrono::duration_cast<std::chrono::seconds>(settings_.timeout).count()));
    std::string const why = trouble_[0] != '\0' ? trouble_ : curl_easy_strerror(code);
    return fail(Errc::unavailable, fmt::format("{} could not be asked: {}", host, base::printable(why)));
}

} // namespace pfar::fetch
