// Words that only a running host knows, for shell completion: quickly or not at all, and nothing is started, made or said for it.
#include "base/paths.hpp"
#include "cli/candidates.hpp"
#include "control/client.hpp"
#include "control/members.hpp"

#include <algorithm>

namespace pfar::cli {
namespace {

constexpr std::chrono::milliseconds at_most{300};

Result<std::string> ask_quickly(char const* method) {
    PFAR_TRY(home, base::home());
    std::error_code error;
    if (!std::filesystem::exists(home / "run" / control::socket_name, error))
        return fail(Errc::not_found, "no host runs");
    PFAR_TRY(run, control::RunDirectory::open(home));
    PFAR_TRY(own, control::own_identity(PFAR_VERSION));
    PFAR_TRY(client, control::Client::connect(run));
    PFAR_TRY(greeting, client.hello(own, std::filesystem::current_path(error), at_most));
    return client.ask({method, "{}", at_most});
}

/// Others could mean something to the shell.
bool is_plain(std::string const& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char byte) {
        return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
               std::string_view("-._").find(byte) != std::string_view::npos;
    });
}

std::vector<std::string> words_of(char const* method, char const* key) {
    std::vector<std::string> words;
    if (auto const answer = ask_quickly(method))
        for (auto const row : control::elements_of(*answer))
            if (auto word = control::string_in(control::member_of(row, key)); is_plain(word))
                words.push_back(std::move(word));
    return words;
}

} // namespace

std::vector<std::string> approval_ids() {
    return words_of("approvals", "id");
}

std::vector<std::string> tool_names() {
    return words_of("tools", "name");
}

} // namespace pfar::cli
