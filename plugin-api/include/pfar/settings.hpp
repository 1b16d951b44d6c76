// Settings: a plugin's own table of pfar.toml ([plugins.NAME]), as plain values that can cross into a plugin.
#pragma once

#include <pfar/result.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pfar {

struct Setting;
using Settings = std::map<std::string, Setting, std::less<>>;

struct Setting {
    std::variant<bool, std::int64_t, double, std::string, std::vector<Setting>, Settings> value;
};

/// The value under `key`, or `fallback` if there is none; an error that names the key if it has another type.
template <class T> Result<T> setting(Settings const& settings, std::string_view key, T fallback) {
    auto const found = settings.find(key);
    if (found == settings.end()) return fallback;
    if (auto const* value = std::get_if<T>(&found->second.value)) return *value;
    return fail(Errc::invalid, std::string(key) + " has the wrong type");
}

/// Refuses a key that is not in `known`, so that a typing error does not pass for a setting.
inline Result<void> only(Settings const& settings, std::initializer_list<std::string_view> known) {
    for (auto const& [key, value] : settings)
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            std::string names;
            for (auto const name : known) names.append(names.empty() ? "" : ", ").append(name);
            return fail(Errc::invalid, "unknown setting " + key + "; it knows " + (names.empty() ? "none" : names));
        }
    return {};
}

} // namespace pfar
