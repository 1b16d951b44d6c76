#include "key_holder.hpp"

#include "key_command.hpp"
#include "key_file.hpp"
#include "keyring.hpp"
#include "stretch.hpp"

#include <algorithm>

namespace pfar::vault_file {

namespace {

constexpr std::chrono::seconds command_patience{60};
constexpr std::size_t least_passphrase = 8;

std::string hours_and_minutes(Time until) {
    auto const left =
        std::max(std::chrono::ceil<std::chrono::minutes>(until - std::chrono::system_clock::now()).count(), 0L);
    if (left < 60) return std::to_string(left) + " min";
    auto text = std::to_string(left / 60) + " h";
    if (left % 60 != 0) text.append(" ").append(std::to_string(left % 60)).append(" min");
    return text;
}

std::optional<Secret> unwrap_by_file(Header const& header, std::optional<Secret> const& key) {
    if (!key) return std::nullopt;
    return unwrap(header, derive_salted(*key, header.salt));
}

NewKey with_data_key(Header header, Secret key) {
    NewKey made{std::move(header), random_key(), std::move(key), {}};
    wrap(made.header, made.key, made.data_key);
    return made;
}

NewKey of_file_key(Secret file_key) {
    auto header = new_header(KeyKind::file);
    auto key = derive_salted(file_key, header.salt);
    auto made = with_data_key(std::move(header), std::move(key));
    made.key_file = std::move(file_key);
    return made;
}

} // namespace

Result<DataKey> KeyHolder::data_key(Header const& header) {
    if (header.kind == KeyKind::file) return from_file(header);
    return header.kind == KeyKind::passphrase ? from_passphrase(header) : from_command(header);
}

Result<DataKey> KeyHolder::from_file(Header const& header) const {
    PFAR_TRY(key, load_key(options_.key_file));
    if (auto data = unwrap_by_file(header, key)) return DataKey{std::move(*data)};
    auto const next = load_key(next_key_of(options_.key_file));
    if (auto data = next ? unwrap_by_file(header, *next) : std::nullopt) return DataKey{std::move(*data), true};
    auto const path = options_.key_file.string(), root = options_.root.string();
    if (key) return fail(Errc::refused, path + " is not the key of the vault in " + root + "; put the right key back");
    return fail(Errc::io, path + " is missing, and the vault in " + root +
                              " cannot be read without it; put the key back, or move the vault away to start anew");
}

Result<DataKey> KeyHolder::from_passphrase(Header const& header) const {
    if (auto data = unwrap_held(header)) return DataKey{std::move(*data)};
    auto const waiting = find_in_keyring(header.vault_id);
    if (auto data = waiting ? unwrap(header, waiting->key) : std::nullopt) return DataKey{std::move(*data)};
    return fail(Errc::locked, "the vault is locked; run: pfar vault unlock");
}

Result<DataKey> KeyHolder::from_command(Header const& header) {
    if (auto data = unwrap_held(header)) return DataKey{std::move(*data)};
    if (options_.key_command.empty())
        return fail(Errc::invalid,
                    "the vault opens with what a command prints, and pfar.toml names none; set key_command in "
                    "[plugins.vault-file]");
    PFAR_TRY(words, run_key_command(options_.key_command, command_patience));
    PFAR_TRY(key, stretch(header, words));
    auto data = unwrap(header, key);
    if (!data)
        return fail(Errc::refused,
                    "what key_command prints is not the vault's key; let it print the one that the vault was "
                    "made with");
    held_ = Held{header.vault_id, std::move(key)};
    return DataKey{std::move(*data)};
}

std::optional<Secret> KeyHolder::unwrap_held(Header const& header) const {
    if (held_.vault_id != header.vault_id) return std::nullopt;
    return unwrap(header, held_.key);
}

bool KeyHolder::has_key_of(Header const& header) const {
    return from_passphrase(header).has_value();
}

std::string KeyHolder::held_text(Header const& header) const {
    if (auto const waiting = find_in_keyring(header.vault_id))
        return "unlocked for " + hours_and_minutes(waiting->until);
    if (held_.vault_id != header.vault_id) return "locked";
    return "unlocked for this process only" + (no_keyring_.empty() ? "" : " (" + no_keyring_ + ")");
}

Result<void> KeyHolder::unlock(Header const& header, Secret const& passphrase) {
    PFAR_TRY(key, stretch(header, passphrase));
    if (!unwrap(header, key)) return fail(Errc::refused, "that is not the vault's passphrase");
    offer(header, key);
    hold(header, std::move(key));
    return {};
}

Result<void> KeyHolder::forget(Header const& header) {
    if (held_.vault_id == header.vault_id) forget_memory();
    return header.kind == KeyKind::passphrase ? drop_from_keyring(header.vault_id) : Result<void>();
}

Result<NewKey> KeyHolder::new_key(Secret const& passphrase) const {
    if (options_.key_from == KeyKind::file) return of_file_key(random_key());
    auto header = new_header(options_.key_from);
    if (options_.key_from == KeyKind::passphrase) {
        if (passphrase.size() < least_passphrase)
            return fail(Errc::invalid, "a passphrase for the vault has at least 8 characters; choose a longer one");
        PFAR_TRY(key, stretch(header, passphrase));
        return with_data_key(std::move(header), std::move(key));
    }
    PFAR_TRY(words, run_key_command(options_.key_command, command_patience));
    PFAR_TRY(key, stretch(header, words));
    return with_data_key(std::move(header), std::move(key));
}

Result<NewKey> KeyHolder::first_file_key() const {
    PFAR_TRY(present, load_key(options_.key_file));
    if (present) {
        drop_next_key(options_.key_file);
        return of_file_key(std::move(*present));
    }
    PFAR_TRY(made, make_key(options_.key_file));
    return of_file_key(std::move(made));
}

void KeyHolder::offer(Header const& header, Secret const& key) {
    no_keyring_.clear();
    if (header.kind != KeyKind::passphrase) return;
    auto const put = options_.unlock_time.count() > 0 ? put_in_keyring(header.vault_id, key, options_.unlock_time)
                                                      : drop_from_keyring(header.vault_id);
    if (!put) no_keyring_ = put.error().what;
}

void KeyHolder::hold(Header const& header, Secret key) {
    if (header.kind != KeyKind::file) held_ = Held{header.vault_id, std::move(key)};
}

} // namespace pfar::vault_file
