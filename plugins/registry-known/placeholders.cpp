// One walk for both: the pieces of plain text, and the names between them.
#include "placeholders.hpp"

namespace pfar::registry_known {

namespace {

template <class Plain, class Name> bool walk_placeholders(std::string_view text, Plain plain, Name name) {
    while (true) {
        auto const open = text.find("${");
        plain(text.substr(0, open));
        if (open == std::string_view::npos) return true;
        text.remove_prefix(open + 2);
        auto const close = text.find('}');
        if (close == std::string_view::npos) return false;
        name(text.substr(0, close));
        text.remove_prefix(close + 1);
    }
}

} // namespace

std::optional<std::vector<std::string>> placeholders(std::string_view text) {
    std::vector<std::string> names;
    bool const closed = walk_placeholders(
        text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
    if (!closed) return std::nullopt;
    return names;
}

std::string filled(std::string_view text, std::string_view stand_in) {
    std::string out;
    walk_placeholders(
        text, [&](std::string_view plain) { out += plain; }, [&](std::string_view) { out += stand_in; });
    return out;
}

} // namespace pfar::registry_known
