// The attack suite: what a hostile program inside a sandbox would try, each attempt a row of one table.
//
// A row runs twice: bare, where it has to work (the control proves that the attempt is a real one), and inside a sandbox, where
// it has to be refused in the way that the row names. Facts about what is attacked come from the scene as KEY=VALUE. The secret
// itself is told only as a digest, so that finding it anywhere inside is a find.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attack {

using Facts = std::map<std::string, std::string, std::less<>>;

enum class Verdict { success, refused, untried };

struct Outcome {
    Verdict verdict;
    std::string how; // an errno's name, "killed", "bounded"
    std::string detail;
};

/// How a row is staged around its attempt.
enum class Staging {
    plain,
    terminal,     // on a terminal of its own
    flood_output, // nobody reads its stdout
    flood_errors, // nobody reads its stderr
    restart,      // twice (phase=1, phase=2), and the second start is granted a place that the first could change
    outlive,      // whoever started it is killed
};

struct Row {
    char const *name, *group, *what;
    char const* refusals; // what counts as properly refused inside
    Outcome (*attempt)(Facts const&);
    bool (*took_effect)(Facts const&) = nullptr; // looked at from outside; null: the attempt itself can tell
    Staging staging = Staging::plain;
    char const* memory = nullptr; // of pfar exec
    char const *no_control_user = nullptr, *no_control_root = nullptr;
};

using Rows = std::vector<Row>;
Rows file_rows();
Rows metadata_rows();
Rows set_uid_rows();
Rows mount_rows();
Rows device_rows();
Rows process_rows();
Rows memory_access_rows();
Rows namespace_rows();
Rows kernel_rows();
Rows ipc_rows();
Rows terminal_rows();
Rows network_rows();
Rows packet_rows();
Rows unix_socket_rows();
Rows resource_rows();
Rows memory_rows();

/// All of them, in the order of groups.
Rows const& all_rows();
Row const* find_row(std::string_view name);

Outcome success(std::string detail);
/// By the errno of the call that has just failed.
Outcome refused(std::string detail);
Outcome refused_as(std::string how, std::string detail);
Outcome untried(std::string detail);
/// Success if `result` is not negative.
Outcome judged(long result, std::string detail);
/// For calls with senseless arguments: success if they were looked at, that is, if permission was not the reason of the failure.
Outcome past_permission(long result, std::string detail);

std::string const& fact(Facts const& facts, std::string_view key); // empty if there is none
long number(Facts const& facts, std::string_view key);             // 0 if there is none
bool is_control(Facts const& facts);

/// In the control: namespaces of its own, so that an ordinary user may do what root may, and root harms nobody. Else nothing.
bool own_namespaces(Facts const& facts, int flags);

/// True if `text` has the scene's secret in it.
bool has_secret(Facts const& facts, std::string_view text);
std::string digest(std::string_view text);
inline constexpr char secret_mark[] = "pfar-attack-secret-"; // followed by 16 hexadecimal digits

std::string slurp(std::string const& path, std::size_t limit = 1 << 20); // errno says why it is empty
bool spill(std::string const& path, std::string_view text, int flags = 0);
Outcome reads_secret(Facts const& facts, std::string const& path);

/// Runs `work` in a child; its return value (0: success, else an errno), or -signal.
int in_child(std::function<int()> const& work);
Outcome judged_child(int result, std::string detail);
void sleep_ms(int milliseconds);

/// Appends a byte to GRANTED/heartbeat every 50 ms until GRANTED/stop is there, 20 s at most.
void beat(Facts const& facts);
/// True if the heartbeat goes on; `within` bounds the look at it.
bool beats(Facts const& facts, int within_ms);
void stop_beating(Facts const& facts);

} // namespace attack
