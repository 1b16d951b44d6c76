// KeyHolder: has, gets and forgets the key that opens a vault, whichever kind it is.
//
// A passphrase's key is in this object after unlock(), or in the kernel keyring, where it is looked for every time: so
// `pfar vault lock` and the end of its time hold for other processes too. A command's key stays in this object, so that
// it is asked once. A key file is read every time.
#pragma once

#include "options.hpp"

namespace pfar::vault_file {

struct DataKey {
    Secret key;
    bool by_next = false; // it was KEYFILE.new that opened it
};

/// A key that no vault has yet.
struct NewKey {
    Header header;
    Secret data_key;
    Secret key;      // wraps the data key
    Secret key_file; // what KEYFILE will hold; empty for other kinds
};

class KeyHolder {
public:
    void configure(Options options) { options_ = std::move(options); }
    [[nodiscard]] Options const& options() const { return options_; }

    /// Errc::locked if somebody has to unlock it, Errc::refused if what there is does not open it; with the remedy. May
    /// run the command.
    Result<DataKey> data_key(Header const& header);
    /// Whether data_key() would have a passphrase's key.
    [[nodiscard]] bool has_key_of(Header const& header) const;
    /// Whether this process keeps the key itself.
    [[nodiscard]] bool holds(Header const& header) const { return held_.vault_id == header.vault_id; }
    /// For how long: "unlocked for 7 h 59 min".
    [[nodiscard]] std::string held_text(Header const& header) const;

    /// Errc::refused if it is not this vault's passphrase; otherwise its key is offered and held.
    Result<void> unlock(Header const& header, Secret const& passphrase);
    /// Forgets what is in memory and, for that vault, in the keyring.
    Result<void> forget(Header const& header);
    void forget_memory() { held_ = {}; }

    /// Of the kind that the settings say; a passphrase has to be given. Errc::invalid if it is too short. May run the
    /// command.
    Result<NewKey> new_key(Secret const& passphrase) const;
    /// Of the key file that there is, or of one that is made. The caller holds the lock, and there is no vault yet.
    Result<NewKey> first_file_key() const;
    /// A passphrase's key waits in the keyring, for as long as the settings say.
    void offer(Header const& header, Secret const& key);
    /// This process keeps the key of a vault, unless a file does.
    void hold(Header const& header, Secret key);

private:
    struct Held {
        std::string vault_id;
        Secret key;
    };
    Result<DataKey> from_file(Header const& header) const;
    Result<DataKey> from_passphrase(Header const& header) const;
    Result<DataKey> from_command(Header const& header);
    [[nodiscard]] std::optional<Secret> unwrap_held(Header const& header) const;

    Options options_;
    Held held_;
    std::string no_keyring_; // why the key is not in the keyring
};

} // namespace pfar::vault_file
