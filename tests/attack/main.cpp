// pfar-attack: tries what a hostile program would try. Bare it is its own control; `pfar doctor --attack` runs it in sandboxes.
#include "scene.hpp"
#include "stage.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

using namespace attack;

namespace {

constexpr int exit_success = 0, exit_refused = 10, exit_untried = 11, exit_usage = 64;

int usage() {
    std::fputs("usage: pfar-attack list\n"
               "       pfar-attack scene DIR                           what is attacked; until stdin closes\n"
               "       pfar-attack try NAME KEY=VALUE...               one attempt, with the scene's facts\n"
               "       pfar-attack check NAME KEY=VALUE...             whether an attempt took effect, looked at from "
               "outside\n"
               "       pfar-attack outlive KEY=VALUE... -- COMMAND...  kills COMMAND: does what it started live on?\n"
               "       pfar-attack row NUMBER PFAR DIR BACKEND...      one row: the control, then each backend\n",
               stderr);
    return exit_usage;
}

int list() {
    for (auto const& row : all_rows()) {
        std::printf("%s\t%s\t%s\t%s", row.name, row.group, row.what, row.refusals);
        if (row.no_control_user != nullptr) std::printf("\tno-control-user=%s", row.no_control_user);
        if (row.no_control_root != nullptr) std::printf("\tno-control-root=%s", row.no_control_root);
        std::printf("\n");
    }
    return 0;
}

Facts facts_from(char** arguments) {
    Facts facts;
    for (; *arguments != nullptr && std::strcmp(*arguments, "--") != 0; ++arguments)
        if (char const* const equals = std::strchr(*arguments, '='))
            facts[std::string(*arguments, static_cast<std::size_t>(equals - *arguments))] = equals + 1;
    return facts;
}

int tell(Outcome const& outcome, FILE* stream) {
    static constexpr struct {
        char const* word;
        int code;
    } kinds[] = {{"success", exit_success}, {"refused", exit_refused}, {"untried", exit_untried}};
    auto const& kind = kinds[static_cast<int>(outcome.verdict)];
    bool const with_how = outcome.verdict != Verdict::success;
    std::fprintf(stream, "pfar-attack: %s%s%s %s\n", kind.word, with_how ? " " : "",
                 with_how ? outcome.how.c_str() : "", outcome.detail.c_str());
    std::fflush(stream);
    return kind.code;
}

int attempt(Row const& row, Facts const& facts) {
    ::alarm(20);
    ::signal(SIGPIPE, SIG_IGN);
    auto const outcome = row.attempt(facts);
    int const code = tell(outcome, row.staging == Staging::flood_output ? stderr : stdout);
    ::_exit(code); // threads of a bomb may still wait
}

int outlive(char** arguments) {
    auto const facts = facts_from(arguments);
    std::vector<std::string> start, environment;
    while (*arguments != nullptr && std::strcmp(*arguments, "--") != 0) ++arguments;
    if (*arguments == nullptr || arguments[1] == nullptr) return usage();
    for (++arguments; *arguments != nullptr; ++arguments) start.emplace_back(*arguments);
    for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
    return tell(outlives(facts, start, environment), stdout);
}

} // namespace

int main(int argc, char** argv) {
    std::string_view const command = argc > 1 ? argv[1] : "";
    if (command == "list") return list();
    if (command == "scene" && argc == 3) return run_scene(argv[2]);
    if (command == "victim" && argc == 4) return run_victim(argv + 2);
    if (command == "outlive") return outlive(argv + 2);
    if (command == "row" && argc >= 5)
        return run_row(std::strtoul(argv[2], nullptr, 10), argv[3], argv[4], {argv + 5, argv + argc});
    Row const* const row = argc > 2 ? find_row(argv[2]) : nullptr;
    if (row != nullptr && command == "try") return attempt(*row, facts_from(argv + 3));
    if (row != nullptr && command == "check")
        return row->took_effect != nullptr && row->took_effect(facts_from(argv + 3)) ? 0 : exit_refused;
    return usage();
}
