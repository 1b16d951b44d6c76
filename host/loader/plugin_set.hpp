// PluginSet: every plugin that this host uses, found, checked, configured and held.
//
// The owner's own override the shipped ones of the same kind and name. A plugin that is refused is a sentence in `refused`;
// it never takes the host or the other plugins down.
#pragma once

#include "config/host_settings.hpp"
#include "loader/guarded_call.hpp"
#include "loader/load_plugin.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pfar::loader {

/// Where plugins come from, and what they are given.
struct PluginSources {
    std::filesystem::path shipped, home, share, shim;
    config::HostSettings const* settings; // not owned; used during load only
    std::string_view only_kind{};         // of no other kind is anything loaded; empty: all
    std::string only_name{};              // and no other plugin of that kind; empty: all
};

struct Refusal {
    std::filesystem::path path;
    std::string kind, name; // empty if the file was refused before they were known
    std::string why;        // the whole sentence
};

class PluginSet {
public:
    /// [main thread, may block]
    static PluginSet load(PluginSources const& sources);

    [[nodiscard]] std::vector<LoadedPlugin> const& all() const { return plugins_; } // by kind, then name
    [[nodiscard]] std::vector<Refusal> const& refused() const { return refused_; }
    [[nodiscard]] std::vector<std::string_view> names(std::string_view kind) const;
    [[nodiscard]] LoadedPlugin const* find(std::string_view kind, std::string_view name) const;

    /// The plugin of T's kind and that name. Errc::not_found says which there are. The set keeps it. [main thread]
    template <class T> Result<T*> get(std::string_view name) const {
        auto const* const loaded = find(T::kind, name);
        if (loaded == nullptr) return no_such(T::kind, name);
        return static_cast<T*>(loaded->object.get()); // the kind was checked when it was loaded
    }

private:
    void add(std::filesystem::path const& given, PluginSources const& sources);
    bool configure(LoadedPlugin const& plugin, PluginSources const& sources);
    [[nodiscard]] Error no_such(std::string_view kind, std::string_view name) const;

    std::vector<LoadedPlugin> plugins_;
    std::vector<Refusal> refused_;
};

} // namespace pfar::loader
