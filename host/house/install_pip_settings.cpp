#include "house/install_pip_settings.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "house/install_outside.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

constexpr std::size_t most_pip_authorities = 3U << 20U;
using PipWords = std::map<std::string, std::string>;

/// A string as python writes it.
std::string from_python(std::string_view text) {
    if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return std::string(text);
    std::string out;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const escaped = text[i] == '\\' && i + 1 < text.size();
        if (escaped) ++i;
        out += escaped && text[i] == 'n' ? '\n' : text[i];
    }
    return out;
}

/// "global.index-url='https://...'", one a line.
PipWords words_of(std::string_view listed) {
    PipWords out;
    while (!listed.empty()) {
        auto const line = listed.substr(0, listed.find('\n'));
        listed.remove_prefix(std::min(listed.size(), line.size() + 1));
        if (auto const equals = line.find('='); equals != std::string_view::npos)
            out.insert_or_assign(std::string(line.substr(0, equals)), from_python(line.substr(equals + 1)));
    }
    return out;
}

/// The environment wins over what is said for `pip install`, and that over what is said for all.
std::string pip_value(PipWords const& words, std::string const& key) {
    for (auto const* const section : {":env:.", "install.", "global."})
        if (auto const found = words.find(section + key); found != words.end()) return found->second;
    return "";
}

Result<void> add_index(PipSettings& out, std::string const& url) {
    auto parsed = parse_source(url);
    if (!parsed)
        return fail(Errc::invalid,
                    "pip's index is no http:// or https:// URL; correct it: pip config set global.index-url URL");
    if (!parsed->login.empty()) out.logins.push_back(parsed->login);
    out.indexes.push_back(std::move(*parsed));
    return {};
}

std::vector<std::string> spaced(std::string_view text) {
    std::vector<std::string> out;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        if (text.empty()) return out;
        out.emplace_back(text.substr(0, text.find_first_of(" \t\r\n")));
        text.remove_prefix(out.back().size());
    }
}

/// Where pip looks if nobody told it, and the host that has the files there: only pip itself knows.
std::vector<std::string> usual_index(servers::OwnerFacts const& owner, std::filesystem::path const& python) {
    constexpr auto const* question =
        "from pip._internal.models.index import PyPI as i; print(i.simple_url, i.file_storage_domain)";
    auto const told = ask_outside(owner, {python.native(), "-c", question}, std::chrono::seconds(30));
    return told && told->status == 0 ? spaced(told->output) : std::vector<std::string>();
}

} // namespace

Result<PipSettings> read_pip_settings(servers::OwnerFacts const& owner, std::filesystem::path const& python) {
    PFAR_TRY(ended, ask_outside(owner, {python.native(), "-m", "pip", "config", "list"}, std::chrono::seconds(30)));
    if (ended.status != 0)
        return fail(Errc::unsupported,
                    fmt::format("{} has no pip, which installs PyPI packages; run: apt install python3-pip",
                                base::printable(python.native())));
    auto const words = words_of(ended.output);
    PipSettings out;
    auto const index = pip_value(words, "index-url");
    auto const usual = usual_index(owner, python);
    if (index.empty() && usual.size() < 2)
        return fail(Errc::unsupported, "pip does not tell its index; set one: pip config set global.index-url URL");
    PFAR_CHECK(add_index(out, index.empty() ? usual[0] : index));
    out.file = "[global]\n";
    if (!index.empty()) out.file += fmt::format("index-url = {}\n", index);
    if (auto const extra = spaced(pip_value(words, "extra-index-url")); !extra.empty()) {
        out.file += "extra-index-url =\n";
        for (auto const& url : extra) {
            PFAR_CHECK(add_index(out, url));
            out.file += fmt::format("    {}\n", url);
        }
    }
    auto const own = usual.size() < 2 ? std::optional<SourceUrl>() : parse_source(usual[0]);
    if (own && own->host == out.indexes.front().host) PFAR_CHECK(add_index(out, fmt::format("https://{}/", usual[1])));
    if (auto const trusted = spaced(pip_value(words, "trusted-host")); !trusted.empty())
        out.file += fmt::format("trusted-host = {}\n", fmt::join(trusted, " "));
    out.proxy = pip_value(words, "proxy");
    auto const certificates = pip_value(words, "cert");
    if (certificates.empty()) return out;
    auto text = base::read_file(certificates, most_pip_authorities);
    if (!text) return fail(text.error().code, fmt::format("pip's cert: {}", text.error().what));
    out.authorities = std::move(*text);
    out.file += fmt::format("cert = {}/ca.pem\n", secrets_inside);
    return out;
}

} // namespace pfar::house
