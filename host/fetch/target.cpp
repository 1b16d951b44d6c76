#include "fetch/target.hpp"

#include "base/host_name.hpp"
#include "base/text.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace pfar::fetch {
namespace {

constexpr std::size_t most_url_bytes = 8192;

using Parts = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part_of(Parts const& parts, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(parts.get(), part, &text, flags) != CURLUE_OK) return {};
    std::string out(text);
    curl_free(text);
    return out;
}

Error refused_url(std::string_view url, std::string_view why) {
    return fail(Errc::refused,
                fmt::format("the URL {} is refused: {}", base::printable(base::whole_text(url, 200)), why));
}

/// What curl reads as one thing and others as another.
char const* fault_of_text(std::string_view url) {
    if (url.size() > most_url_bytes) return "it is longer than 8 KiB";
    bool const control = std::any_of(url.begin(), url.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (control) return "it has control characters in it";
    if (url.find('\\') != std::string_view::npos) return "it has a backslash in it; write %5C";
    auto const slashes = url.find("//"); // curl would take one or three as well
    bool const is_plain = slashes != std::string_view::npos && slashes > 0 && url.find(':') == slashes - 1;
    if (!is_plain || url.substr(slashes + 2).starts_with('/')) return "it does not begin with https:// and a host";
    return nullptr;
}

char const* fault_of(CURLUcode code) {
    if (code == CURLUE_USER_NOT_ALLOWED)
        return "it has a user or a password in it; credentials come from pfar's vault and nowhere else";
    if (code == CURLUE_UNSUPPORTED_SCHEME || code == CURLUE_BAD_SCHEME)
        return "only https:// and http:// can be asked for";
    return curl_url_strerror(code);
}

} // namespace

Result<Target> read_target(std::string_view url) {
    if (auto const* const fault = fault_of_text(url)) return refused_url(url.substr(0, url.find('@')), fault);
    Parts const parts(curl_url(), curl_url_cleanup);
    auto const code =
        curl_url_set(parts.get(), CURLUPART_URL, std::string(url).c_str(), CURLU_DISALLOW_USER | CURLU_URLENCODE);
    // A password is not repeated: what follows the first @ or the scheme is left out.
    if (code != CURLUE_OK)
        return refused_url(code == CURLUE_USER_NOT_ALLOWED ? url.substr(0, url.find("://") + 3) : url, fault_of(code));
    Target out;
    out.scheme = part_of(parts, CURLUPART_SCHEME);
    if (out.scheme != "https" && out.scheme != "http") return refused_url(url, fault_of(CURLUE_UNSUPPORTED_SCHEME));
    if (!part_of(parts, CURLUPART_ZONEID).empty())
        return refused_url(url, "an address with a zone is not for everybody the same");
    auto const host = base::canonical_host(part_of(parts, CURLUPART_HOST));
    if (!host) return refused_url(url, host.error().what);
    out.host = host->name;
    bool const six = out.host.find(':') != std::string::npos;
    curl_url_set(parts.get(), CURLUPART_HOST, (six ? '[' + out.host + ']' : out.host).c_str(), 0);
    curl_url_set(parts.get(), CURLUPART_FRAGMENT, nullptr, 0);
    auto const port = part_of(parts, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    std::from_chars(port.data(), port.data() + port.size(), out.port);
    out.url = part_of(parts, CURLUPART_URL);
    if (out.url.empty() || out.port == 0) return refused_url(url, "it cannot be written as one");
    return out;
}

Result<Target> target_below(Target const& base, std::string_view path) {
    if (path.empty()) return base; // whether it ends in a / is its owner's word
    std::string url = base.url.substr(0, base.url.find('?'));
    while (url.ends_with('/')) url.pop_back();
    if (path.starts_with('/')) path.remove_prefix(1);
    PFAR_TRY(out, read_target(url + (path.starts_with('?') ? "" : "/") + std::string(path)));
    if (!is_same_origin(base, out)) return refused_url(path, "it leads away from the server's own host");
    return out;
}

Result<Target> with_query(Target const& target, std::string_view query) {
    if (query.empty()) return target;
    return read_target(fmt::format("{}{}{}", target.url, target.url.find('?') == std::string::npos ? '?' : '&', query));
}

bool is_same_origin(Target const& a, Target const& b) {
    return a.scheme == b.scheme && a.host == b.host && a.port == b.port;
}

Result<void> check_stays(Target const& from, Target const& to) {
    if (from.host != to.host)
        return fail(Errc::refused, fmt::format("{} is another host than {}, and this server speaks to that one only",
                                               to.host, from.host));
    if (from.scheme == "https" && to.scheme != "https")
        return fail(Errc::refused, fmt::format("{} would be asked without TLS; use https://", to.host));
    return {};
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string out;
    for (char const c : text) {
        if (plain.find(c) != std::string_view::npos)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

} // namespace pfar::fetch
