// One row: a scene of its own, the bare control, then each backend. What is printed is for the host to read.
#include "scene.hpp"
#include "stage.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

namespace fs = std::filesystem;

struct Cell {
    std::string outcome, how, detail; // refused, succeeded, unexpected, untried
};

struct Play {
    Row const& row;
    Facts facts;
    std::string pfar;
    std::vector<std::string> environment;
};

bool contains(std::string const& list, std::string const& word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// The last `pfar-attack: success DETAIL` or `pfar-attack: refused HOW DETAIL`; false if it said nothing.
bool said(std::string const& text, Outcome& outcome) {
    static std::string const mark = "pfar-attack: ";
    auto const at = text.rfind(mark);
    if (at == std::string::npos) return false;
    auto const line = text.substr(at + mark.size(), text.find_first_of("\r\n", at) - at - mark.size());
    auto const space = line.find(' ');
    auto const rest = space == std::string::npos ? "" : line.substr(space + 1);
    auto const word = line.substr(0, space);
    if (word == "success") {
        outcome = success(rest);
        return true;
    }
    auto const end = rest.find(' ');
    outcome = {word == "refused" ? Verdict::refused : Verdict::untried, rest.substr(0, end),
               end == std::string::npos ? "" : rest.substr(end + 1)};
    return true;
}

std::string last_line(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    auto line = text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return line.substr(0, 300);
}

Cell judge(Play const& play, Ending const& ending) {
    Outcome outcome{};
    if (!said(ending.text, outcome)) {
        bool const killed = ending.status > 128;
        if (killed && contains(play.row.refusals, "killed"))
            return {"refused", "killed", "status " + std::to_string(ending.status)};
        return {"untried", "", "status " + std::to_string(ending.status) + ": " + last_line(ending.text)};
    }
    if (outcome.verdict == Verdict::untried) return {"untried", outcome.how, outcome.detail};
    if (outcome.verdict == Verdict::success && play.row.took_effect != nullptr && !play.row.took_effect(play.facts))
        outcome = refused_as("bounded", outcome.detail + ", without effect outside");
    if (outcome.verdict == Verdict::success) return {"succeeded", "", outcome.detail};
    return {contains(play.row.refusals, outcome.how) ? "refused" : "unexpected", outcome.how, outcome.detail};
}

/// What is put before the attempt: nothing for the control.
std::vector<std::string> command(Play const& play, std::string const& backend, bool again) {
    auto const granted = fact(play.facts, "granted");
    if (backend.empty()) return {};
    std::vector<std::string> out{play.pfar, "exec", "--backend", backend, "--write", granted};
    if (again) out.insert(out.end(), {"--write", granted + "/swap"});
    if (play.row.memory != nullptr) out.insert(out.end(), {"--memory", play.row.memory});
    out.push_back("--");
    return out;
}

Ending attempt(Play const& play, std::string const& backend, char const* phase) {
    auto facts = play.facts;
    if (backend.empty()) facts["control"] = "1";
    facts["phase"] = phase;
    Performance performance{command(play, backend, phase[0] == '2'), play.environment, play.row.staging,
                            fact(facts, "pfar_home") + "/vault/secret", backend.empty()};
    for (auto const& argument : {fact(facts, "program"), std::string("try"), std::string(play.row.name)})
        performance.argv.push_back(argument);
    for (auto const& argument : as_arguments(facts)) performance.argv.push_back(argument);
    if (play.row.staging != Staging::flood_output && play.row.staging != Staging::flood_errors)
        performance.unbounded = false;
    return perform(performance);
}

Cell restarted(Play const& play, std::string const& backend) {
    auto cell = judge(play, attempt(play, backend, "1"));
    if (cell.outcome == "succeeded") {
        auto const second = attempt(play, backend, "2");
        Outcome outcome{};
        bool const spoke = said(second.text, outcome);
        cell = !spoke && !backend.empty() && second.status < 128 ? Cell{"refused", "pfar", last_line(second.text)}
                                                                 : judge(play, second);
    }
    restore_swap(play.facts);
    return cell;
}

Cell outlived(Play const& play, std::string const& backend) {
    auto start = command(play, backend, false);
    if (backend.empty()) start = {"/bin/sh", "-c", "\"$@\" & wait", "sh"};
    auto const outcome = outlives(play.facts, start, play.environment);
    if (outcome.verdict == Verdict::success) return {"succeeded", "", outcome.detail};
    return {outcome.verdict == Verdict::refused ? "refused" : "untried", outcome.how, outcome.detail};
}

Cell play_in(Play const& play, std::string const& backend) {
    if (play.row.staging == Staging::restart) return restarted(play, backend);
    if (play.row.staging == Staging::outlive) return outlived(play, backend);
    return judge(play, attempt(play, backend, "0"));
}

void print(std::string const& column, Cell const& cell) {
    std::printf("%s\t%s\t%s\t%s\n", column.c_str(), cell.outcome.c_str(), cell.how.c_str(), cell.detail.c_str());
}

/// The owner's plugins and settings are used, but from a home that may be attacked.
void borrow_home(Facts const& facts) {
    char const* const home = std::getenv("PFAR_HOME");
    std::error_code error;
    if (home == nullptr) return;
    fs::copy(fs::path(home) / "plugins", fact(facts, "pfar_home") + "/plugins", fs::copy_options::recursive, error);
    fs::copy(fs::path(home) / "pfar.toml", fact(facts, "pfar_home") + "/pfar.toml", error);
}

Facts parse_ready(std::string const& line) {
    Facts facts;
    for (auto at = line.find(' '); at != std::string::npos;) {
        auto const end = line.find(' ', at + 1);
        auto const word = line.substr(at + 1, end == std::string::npos ? end : end - at - 1);
        if (auto const equals = word.find('='); equals != std::string::npos)
            facts[word.substr(0, equals)] = word.substr(equals + 1);
        at = end;
    }
    return facts;
}

/// The scene as a process of its own: its death takes its children along.
struct Scene {
    explicit Scene(std::string const& directory) {
        int in[2], out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::execl("/proc/self/exe", "pfar-attack", "scene", directory.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        input_ = in[1];
        std::string line;
        for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) line += c;
        ::close(out[0]);
        facts = parse_ready(line);
    }
    Scene(Scene const&) = delete;
    Scene& operator=(Scene const&) = delete;
    ~Scene() {
        ::close(input_);
        ::waitpid(pid_, nullptr, 0);
    }
    Facts facts;

private:
    pid_t pid_ = -1;
    int input_ = -1;
};

Cell control(Play const& play) {
    auto const cell = play_in(play, "");
    if (cell.outcome == "succeeded") return {"works", "", cell.detail};
    char const* const reason = ::geteuid() == 0 ? play.row.no_control_root : play.row.no_control_user;
    if (reason != nullptr) return {"none", cell.how, reason};
    return {"broken", cell.how, cell.detail};
}

} // namespace

int run_row(std::size_t index, std::string const& pfar, std::string const& directory,
            std::vector<std::string> const& backends) {
    if (index >= all_rows().size()) return 12;
    Scene const scene(directory);
    if (scene.facts.empty()) return 1;
    borrow_home(scene.facts);
    auto secret = slurp(fact(scene.facts, "pfar_home") + "/vault/secret");
    secret.pop_back();
    Play const play{all_rows()[index],
                    scene.facts,
                    pfar,
                    {"PFAR_HOME=" + fact(scene.facts, "pfar_home"), "HOME=" + fact(scene.facts, "home"),
                     "PATH=/usr/local/bin:/usr/bin:/bin", "PFAR_ATTACK_SECRET=" + secret}};
    std::printf("row\t%s\t%s\t%s\n", play.row.name, play.row.group, play.row.what);
    print("bare", control(play));
    for (auto const& backend : backends) print(backend, play_in(play, backend));
    return 0;
}

} // namespace attack
