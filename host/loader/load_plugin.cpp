// Each check makes the next one safe to perform. The note is read first, because loading runs the file's constructors.
//
// The library is opened by its path, not by a descriptor: nobody else can exchange it (only_ours judged every directory above),
// and /proc/self/fd/N would hide it from debuggers, break $ORIGIN, and make dlopen confuse two plugins that had the same number.
#include "loader/load_plugin.hpp"

#include "base/ownership.hpp"
#include "base/text.hpp"

#include <pfar/credential_store.hpp>
#include <pfar/egress_filter.hpp>
#include <pfar/sandbox_backend.hpp>
#include <pfar/server_registry.hpp>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pfar::loader {
namespace {

constexpr std::array<std::string_view, 4> kinds{SandboxBackend::kind, EgressFilter::kind, CredentialStore::kind,
                                                ServerRegistry::kind};

Error refuse(std::filesystem::path const& path, std::string_view why) {
    return fail(Errc::refused, fmt::format("{} {}", path.native(), why));
}

bool is_name(std::string_view name) {
    return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

Result<void> check_identity(std::filesystem::path const& path, PluginIdentity const& plugin) {
    if (plugin.api_version != plugin_api_version)
        return refuse(path,
                      fmt::format("({} \"{}\") speaks plugin API {}, this host {}; rebuild it with this host's headers",
                                  base::printable(plugin.kind), base::printable(plugin.name), plugin.api_version,
                                  plugin_api_version));
    if (plugin.abi != PFAR_ABI)
        return refuse(
            path,
            fmt::format("({} \"{}\") was built as {}, this host as {}; rebuild it with the same compiler and Boost",
                        base::printable(plugin.kind), base::printable(plugin.name), base::printable(plugin.abi),
                        PFAR_ABI));
    if (!is_known_kind(plugin.kind))
        return refuse(path,
                      fmt::format("is of the unknown kind \"{}\"; a plugin is one of {}", base::printable(plugin.kind),
                                  base::listed({kinds.begin(), kinds.end()}, "or")));
    if (!is_name(plugin.name))
        return refuse(path, fmt::format("calls itself \"{}\"; a plugin's name is small letters, digits and -",
                                        base::printable(plugin.name)));
    return {};
}

/// The error_code overload loses the reason; only the exception has dlerror's text.
Result<std::shared_ptr<boost::dll::shared_library>> open_library(std::filesystem::path const& path) {
    try {
        return std::make_shared<boost::dll::shared_library>(path, boost::dll::load_mode::rtld_now |
                                                                      boost::dll::load_mode::rtld_local);
    } catch (std::exception const& problem) {
        return refuse(path, fmt::format("could not be loaded: {}", base::printable(problem.what())));
    }
}

bool agrees(PluginInfo const& info, PluginIdentity const& note) {
    return info.api_version == note.api_version && info.abi == note.abi && info.kind == note.kind &&
           info.name == note.name && info.version == note.version && info.create != nullptr && info.destroy != nullptr;
}

} // namespace

bool is_known_kind(std::string_view kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Result<LoadedPlugin> load_plugin(std::filesystem::path const& given) {
    PFAR_TRY(path, base::only_ours(given, base::Strictness::strict));
    auto note = read_plugin_note(path);
    if (!note) return refuse(path, note.error().what);
    PFAR_CHECK(check_identity(path, *note));

    PFAR_TRY(library, open_library(path));
    if (!library->has("pfar_plugin"))
        return refuse(path, "has no symbol pfar_plugin; register the plugin with PFAR_PLUGIN");
    auto const& info = library->get<PluginInfo const>("pfar_plugin");
    if (!agrees(info, *note)) return refuse(path, "says one thing in its note and another in pfar_plugin; rebuild it");

    LoadedPlugin loaded{std::move(*note), path, library, {info.create(), info.destroy}};
    if (!loaded.object)
        return refuse(path, fmt::format("({} \"{}\") could not be created: its constructor failed",
                                        loaded.identity.kind, loaded.identity.name));
    return loaded;
}

} // namespace pfar::loader
