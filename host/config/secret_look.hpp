// What a value in somebody's configuration looks like: a credential, a stand-in for one, or plain. A guess, and meant to err towards the vault.
//
// Judged by the name it goes under and by the value itself: known beginnings of tokens, randomness, a password in a URL. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::config {

enum class Look : std::uint8_t { plain, secret, placeholder };

/// Of an environment variable. [any thread]
Look look_of(std::string_view variable, std::string_view value);

/// "postgres://u:password@h/db" in three; the views are the value's own.
struct Login {
    std::string_view before, password, behind;
};
/// None if there is no password in it, or more in it than that one that looks secret.
std::optional<Login> login_in(std::string_view value);

/// What stands for a value that is not known yet: "<YOUR_TOKEN>", "${input:token}", "YOUR_API_KEY", "ghp_xxxx".
bool is_placeholder(std::string_view value);

/// The first argument that has a credential in it, as --token VALUE, --token=VALUE, NAME=VALUE, a URL or the value alone. [any thread]
std::optional<std::size_t> secret_argument(std::vector<std::string> const& args);

/// Whether something of this name is a credential, whatever its value.
bool names_secret(std::string_view name);
/// Of what people and agents say: a credential that is known by its beginning, by its name (--token X, TOKEN=X), or by the word before it:
/// "password: X", "the token is X". [any thread]
bool tells_secret(std::string_view text);
/// The same, and whatever is too random to be a name or an address.
bool shows_secret(std::string_view text);

} // namespace pfar::config
