#include "pipeline/schema_uri.hpp"

#include <charconv>
#include <optional>

namespace pfar::pipeline::schemas {
namespace {

struct Parts {
    std::string_view scheme, authority, path, query; // with their signs: "http:", "//host", "/a/b", "?q"
};

std::string_view cut(std::string_view& text, std::size_t size) {
    auto const out = text.substr(0, size);
    text.remove_prefix(out.size());
    return out;
}

Parts split(std::string_view uri) {
    Parts out;
    if (auto const colon = uri.find_first_of(":/?"); colon != std::string_view::npos && uri[colon] == ':')
        out.scheme = cut(uri, colon + 1);
    if (uri.starts_with("//")) out.authority = cut(uri, uri.find_first_of("/?", 2));
    out.path = cut(uri, uri.find('?'));
    out.query = uri;
    return out;
}

std::string without_dots(std::string_view path) {
    std::string out;
    bool last_is_dots = false;
    while (!path.empty()) {
        auto const slash = path.starts_with('/');
        auto const segment = cut(path, path.find('/', slash ? 1 : 0));
        auto const name = segment.substr(slash ? 1 : 0);
        last_is_dots = name == "." || name == "..";
        if (name == "..") out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
        if (!last_is_dots) out += segment;
    }
    return last_is_dots ? out + "/" : out;
}

std::string merged(Parts const& base, std::string_view path) {
    if (!base.authority.empty() && base.path.empty()) return "/" + std::string(path);
    auto const folder = base.path.rfind('/');
    return std::string(base.path.substr(0, folder == std::string_view::npos ? 0 : folder + 1)) + std::string(path);
}

std::string target(std::string_view base, std::string_view reference) {
    auto const from = split(base), to = split(reference);
    auto const join = [](std::string_view scheme, std::string_view authority, std::string const& path,
                         std::string_view query) {
        return std::string(scheme) + std::string(authority) + path + std::string(query);
    };
    if (!to.scheme.empty()) return join(to.scheme, to.authority, without_dots(to.path), to.query);
    if (!to.authority.empty()) return join(from.scheme, to.authority, without_dots(to.path), to.query);
    if (to.path.empty())
        return join(from.scheme, from.authority, std::string(from.path), to.query.empty() ? from.query : to.query);
    auto const path = to.path.starts_with('/') ? std::string(to.path) : merged(from, to.path);
    return join(from.scheme, from.authority, without_dots(path), to.query);
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    for (; !text.empty(); text.remove_prefix(1)) {
        unsigned code = 0;
        auto const digits = text.substr(1, 2);
        auto const [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        bool const encoded = text[0] == '%' && digits.size() == 2 && stop == digits.data() + 2 && error == std::errc();
        out += encoded ? static_cast<char>(code) : text[0];
        if (encoded) text.remove_prefix(2);
    }
    return out;
}

} // namespace

Reference resolve(std::string_view base, std::string_view reference) {
    auto const sharp = reference.find('#');
    auto const fragment = sharp == std::string_view::npos ? "" : reference.substr(sharp + 1);
    return {target(base, reference.substr(0, sharp)), percent_decoded(fragment)};
}

} // namespace pfar::pipeline::schemas
