// Selection: which plugin of a kind is used, by name or by `auto`, and the reason in words.
#pragma once

#include "loader/plugin_set.hpp"

#include <pfar/sandbox_backend.hpp>

#include <string>
#include <vector>

namespace pfar::loader {

template <class T> struct Choice {
    T* plugin; // the set keeps it
    std::string name, why;
};

/// A backend and what it can keep here.
struct BackendChoice : Choice<SandboxBackend> {
    Guarantees guarantees;
};

/// Those of `require` that are not kept at all, for a sentence; empty if all are. [any thread]
std::string lacking(Guarantees const& has, std::vector<Promise> const& require);

/// What `auto` tries first: the faster one. Both shipped ones keep the same promises.
inline constexpr char const* first_backend = "landlock";

/// The backends that `wanted` may mean, best first: it alone, or for `auto` landlock, bwrap, then others by name. [main thread]
std::vector<std::string> backend_order(PluginSet const& plugins, std::string const& wanted);

/// `wanted` by name, which then has to keep every promise of `require`; or `auto`: landlock, bwrap, then others by name, the first
/// that keeps every promise there is, else the first that keeps those. Errc::unsupported says of each that was tried why it will not do. [main thread, may block: it launches]
Result<BackendChoice> choose_backend(PluginSet const& plugins, std::string const& wanted,
                                     std::vector<Promise> const& require, Launch const& launch);

/// For kinds that need no trying: `wanted` by name, or `auto`, which is `preferred` and never another: one that is missing or refused must not become
/// a different store or filter in silence. [main thread]
template <class T>
Result<Choice<T>> choose(PluginSet const& plugins, std::string const& wanted, std::string_view preferred) {
    auto const name = wanted != "auto" ? wanted : std::string(preferred);
    PFAR_TRY(plugin, plugins.get<T>(name));
    return Choice<T>{plugin, name, wanted != "auto" ? "named in pfar.toml" : "the default"};
}

} // namespace pfar::loader
