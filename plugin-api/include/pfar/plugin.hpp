// Plugin: what every plugin is, and how the host recognises one without running any of its code.
//
// A plugin file says who it is twice: in an ELF note, which is read from the closed file (loading runs its constructors),
// and in one exported symbol of constant data, through which its object is made. PFAR_PLUGIN writes both.
#pragma once

#include <pfar/abi.hpp>
#include <pfar/result.hpp>
#include <pfar/settings.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#ifndef PFAR_PLUGIN_API_VERSION
#define PFAR_PLUGIN_API_VERSION 5
#endif

#define PFAR_EXPORT __attribute__((visibility("default")))

namespace pfar {

inline constexpr std::uint32_t plugin_api_version = PFAR_PLUGIN_API_VERSION;

enum class LogLevel { debug, info, warning, error };

/// What the host gives a plugin. Copy what you keep. `log` may be called from any thread, for as long as the plugin lives.
struct PluginContext {
    std::filesystem::path home;  // $PFAR_HOME; a plugin keeps its files in a directory of its own below it
    std::filesystem::path share; // read-only data that ships with the host
    std::filesystem::path shim;  // the program that both shipped backends start first inside the sandbox
    Settings settings;           // [plugins.NAME] of pfar.toml
    std::function<void(LogLevel, std::string_view)> log;
};

class PFAR_EXPORT Plugin {
public:
    Plugin() = default;
    Plugin(Plugin const&) = delete;
    Plugin& operator=(Plugin const&) = delete;
    virtual ~Plugin() = default;

    /// Called once, before any other function. Checks the settings and keeps them; touches nothing outside.
    /// An error refuses the plugin with that sentence; the host goes on without it. [main thread]
    virtual Result<void> configure(PluginContext const& context) { return only(context.settings, {}); }
};

/// The one symbol that a plugin exports, `pfar_plugin`: plain constant data, compared with the note before `create` is called.
struct PluginInfo {
    std::uint32_t api_version;
    char const *abi, *kind, *name, *version;
    Plugin* (*create)() noexcept; // null on failure; constructors do no work
    void (*destroy)(Plugin*) noexcept;
};

/// The ELF note as it lies in the file: section .note.pfar, owner "pfar", type 1.
struct PluginNote {
    std::uint32_t owner_size, body_size, type;
    char owner[8];
    std::uint32_t api_version;
    char abi[96], kind[16], name[32], version[32];
};

namespace detail {

template <std::size_t To, std::size_t From> constexpr void put(char (&to)[To], char const (&from)[From]) {
    static_assert(From <= To, "too long for the plugin note");
    for (std::size_t i = 0; i < From; ++i) to[i] = from[i];
}

template <std::size_t A, std::size_t K, std::size_t N, std::size_t V>
constexpr PluginNote make_note(char const (&abi)[A], char const (&kind)[K], char const (&name)[N],
                               char const (&version)[V]) {
    PluginNote note{};
    note.owner_size = 5;
    note.body_size = sizeof(PluginNote) - 20;
    note.type = 1;
    put(note.owner, "pfar");
    note.api_version = plugin_api_version;
    put(note.abi, abi);
    put(note.kind, kind);
    put(note.name, name);
    put(note.version, version);
    return note;
}

template <class T> Plugin* create() noexcept {
    try {
        return new T;
    } catch (...) {
        return nullptr;
    }
}

inline void destroy(Plugin* plugin) noexcept {
    delete plugin;
}

} // namespace detail
} // namespace pfar

/// Registers `Type` as this file's plugin: `PFAR_PLUGIN(MyBackend, "my-backend", "1.0.0")`, once, at namespace scope.
/// The kind is the interface's (`Type::kind`); the name is [a-z0-9-], at most 31 characters.
#define PFAR_PLUGIN(Type, plugin_name, plugin_version)                                                                 \
    [[gnu::section(".note.pfar"), gnu::used, gnu::aligned(4)]] static constexpr ::pfar::PluginNote pfar_plugin_note =  \
        ::pfar::detail::make_note(PFAR_ABI, Type::kind, plugin_name, plugin_version);                                  \
    extern "C" PFAR_EXPORT constinit ::pfar::PluginInfo const pfar_plugin {                                            \
        ::pfar::plugin_api_version, PFAR_ABI, Type::kind, plugin_name, plugin_version, &::pfar::detail::create<Type>,  \
            &::pfar::detail::destroy                                                                                   \
    }
