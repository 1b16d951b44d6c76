#include "options.hpp"

namespace pfar::vault_file {

namespace {

constexpr std::int64_t most_minutes = 43200; // 30 days

/// The vault's own files would be replaced by the key, or the key by them.
bool is_vaults_own(std::filesystem::path const& root, std::filesystem::path const& key_file) {
    auto const name = key_file.filename().string();
    return key_file.parent_path() == root &&
           (name.front() == '.' || name == "secrets" || name == "used" || name == "lock");
}

Result<std::filesystem::path> key_file_from(PluginContext const& context, std::filesystem::path const& root) {
    PFAR_TRY(text, setting<std::string>(context.settings, "key_file", "vault/key"));
    if (text.empty() || text.front() == '~' || text.back() == '/')
        return fail(Errc::invalid, "key_file names a file, absolute or relative to $PFAR_HOME, without ~");
    auto path = (context.home / text).lexically_normal();
    if (path.filename().empty() || path.filename() == ".." || is_vaults_own(root, path))
        return fail(Errc::invalid, "key_file " + text + " is not a place for a key; let it be vault/key, or elsewhere");
    return path;
}

Result<KeyKind> kind_from(Settings const& settings, std::string const& command) {
    PFAR_TRY(text, setting<std::string>(settings, "key_from", command.empty() ? "file" : "command"));
    if (text == "command" && command.empty())
        return fail(Errc::invalid, "key_from = \"command\" needs key_command, such as \"pass show pfar\"");
    for (auto const& [name, kind] : {std::pair("file", KeyKind::file), std::pair("passphrase", KeyKind::passphrase),
                                     std::pair("command", KeyKind::command)})
        if (text == name) return kind;
    return fail(Errc::invalid, "key_from is \"file\", \"passphrase\" or \"command\"");
}

Result<std::string> command_from(Settings const& settings) {
    PFAR_TRY(command, setting<std::string>(settings, "key_command", ""));
    if (settings.contains("key_command") && command.find_first_not_of(" \t\r\n") == std::string::npos)
        return fail(Errc::invalid,
                    "key_command is empty; it is a command that prints the key, such as \"pass show pfar\"");
    if (command.find('\0') != std::string::npos) return fail(Errc::invalid, "key_command has a null byte in it");
    return command;
}

Result<std::chrono::minutes> unlock_time_from(Settings const& settings) {
    PFAR_TRY(minutes, setting<std::int64_t>(settings, "unlock_minutes", 480));
    if (minutes >= 0 && minutes <= most_minutes) return std::chrono::minutes(minutes);
    return fail(Errc::invalid, "unlock_minutes is 1 to 43200 (30 days), or 0 to unlock for one process only");
}

} // namespace

Result<Options> options_from(PluginContext const& context) {
    PFAR_CHECK(only(context.settings, {"key_from", "key_file", "key_command", "unlock_minutes"}));
    auto const root = (context.home / "vault").lexically_normal();
    PFAR_TRY(key_file, key_file_from(context, root));
    PFAR_TRY(command, command_from(context.settings));
    PFAR_TRY(kind, kind_from(context.settings, command));
    PFAR_TRY(time, unlock_time_from(context.settings));
    return Options{root, std::move(key_file), kind, std::move(command), time};
}

char const* name_of(KeyKind kind) {
    return kind == KeyKind::file ? "a key file" : kind == KeyKind::passphrase ? "a passphrase" : "key_command";
}

} // namespace pfar::vault_file
