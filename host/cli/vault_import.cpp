// pfar vault import
#include "cli/json.hpp"
#include "cli/secret_prompt.hpp"
#include "cli/vault_open.hpp"

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/dotenv.hpp"
#include "house/shred.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace pfar::cli {
namespace {

constexpr std::size_t most_file = 1U << 20U;

struct Outcome {
    std::string variable, entry;
    std::string why_not; // empty: it was kept
};

Result<config::Dotenv> read_file(std::filesystem::path const& file) {
    base::Fd const fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!fd || ::fstat(fd.number(), &status) != 0)
        return fail(Errc::not_found, fmt::format("{} cannot be read: {}", file.native(), base::errno_text(errno)));
    if (!S_ISREG(status.st_mode)) return fail(Errc::invalid, file.native() + " is not a file");
    PFAR_TRY(text, read_secret(fd.number(), most_file));
    return config::read_dotenv(text.reveal());
}

/// "A,B" of every --only.
std::vector<std::string> only_names(Arguments const& arguments) {
    std::vector<std::string> names;
    for (std::string_view rest : arguments.all("only"))
        while (!rest.empty()) {
            auto const name = rest.substr(0, rest.find(','));
            if (!name.empty()) names.emplace_back(name);
            rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        }
    return names;
}

class Import {
public:
    Import(OpenedVault& opened, Arguments const& arguments, std::vector<Credential> const& there)
        : opened_(opened), arguments_(arguments), only_(only_names(arguments)) {
        for (auto const& entry : there) taken_.push_back(entry.name);
    }

    Result<Outcome> take(config::DotenvLine const& line) {
        Outcome out{line.name, config::entry_for(line.name), ""};
        if (!only_.empty() && std::find(only_.begin(), only_.end(), line.name) == only_.end()) {
            out.why_not = "not asked for";
        } else if (std::find(made_.begin(), made_.end(), out.entry) != made_.end()) {
            out.why_not = fmt::format("another variable became {} already", out.entry);
        } else if (!arguments_.has("replace") && std::find(taken_.begin(), taken_.end(), out.entry) != taken_.end()) {
            out.why_not = fmt::format("the vault has {} already; --replace replaces it", out.entry);
        } else if (line.value.size() > most_value) {
            out.why_not = "longer than 64 KiB";
        } else if (line.value.size() < 8 && (line.value.size() == 0 || !arguments_.has("short"))) {
            out.why_not =
                line.value.size() == 0 ? "empty" : "under 8 bytes, too short to be redacted; --short takes it";
        } else {
            PFAR_CHECK(opened_.vault.keep(out.entry, line.value));
            made_.push_back(out.entry);
            opened_.record.add({"vault", {{"action", "set"}, {"entry", out.entry}, {"outcome", "ok"}}});
        }
        return out;
    }

    [[nodiscard]] bool changed() const { return !made_.empty(); }

private:
    OpenedVault& opened_;
    Arguments const& arguments_;
    std::vector<std::string> only_, taken_, made_;
};

void print(std::vector<Outcome> const& outcomes, config::Dotenv const& file, Console& console) {
    for (auto const& outcome : outcomes)
        console.print(outcome.why_not.empty() ? fmt::format("{} is kept as {}\n", outcome.variable, outcome.entry)
                                              : fmt::format("{} is left out: {}\n", outcome.variable, outcome.why_not));
    for (auto const line : file.unread)
        console.complain(fmt::format("line {} was not understood and is left out; it should be NAME=value", line));
}

/// Only what is in the vault, all of it, may go.
int offer_shred(std::filesystem::path const& file, bool all_kept, Arguments const& arguments, Console& console) {
    if (arguments.has("keep")) return exit_ok;
    if (!all_kept) {
        if (!arguments.has("shred")) return exit_ok;
        console.complain("the file is left as it is, because not everything in it was kept");
        return exit_denied;
    }
    if (!arguments.has("shred") &&
        (!Console::can_ask() || !console.ask(fmt::format("Overwrite and remove {} now?", file.native())))) {
        console.note(fmt::format("{} still has the values in plain text\n", file.native()));
        return exit_ok;
    }
    if (auto const gone = house::shred(file); !gone) return failed(console, gone.error());
    console.note(
        fmt::format("{} was overwritten and removed; backups, snapshots and an SSD's spare blocks may still have it\n",
                    file.native()));
    return exit_ok;
}

boost::json::value as_json(std::vector<Outcome> const& outcomes, config::Dotenv const& file) {
    boost::json::array values, unread;
    for (auto const& outcome : outcomes)
        values.push_back(boost::json::object{{"variable", outcome.variable},
                                             {"entry", outcome.entry},
                                             {"kept", outcome.why_not.empty()},
                                             {"reason", outcome.why_not}});
    for (auto const line : file.unread) unread.emplace_back(line);
    return boost::json::object{{"values", std::move(values)}, {"unread_lines", std::move(unread)}};
}

} // namespace

int run_vault_import(Arguments const& arguments, Console& console) {
    std::filesystem::path const file = arguments.operands[0];
    auto const read = read_file(file);
    if (!read) return failed(console, read.error());
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    auto const there = opened->vault.list();
    if (!there) return failed(console, there.error());
    Import import(*opened, arguments, *there);
    std::vector<Outcome> outcomes;
    bool all_kept = read->unread.empty();
    for (auto const& line : read->values) {
        auto outcome = import.take(line);
        if (!outcome) return failed(console, outcome.error());
        all_kept = all_kept && outcome->why_not.empty();
        outcomes.push_back(std::move(*outcome));
    }
    if (import.changed() && !arguments.has("no-restart")) ring(*opened, console);
    if (arguments.has("json"))
        console.print(to_text(as_json(outcomes, *read)));
    else
        print(outcomes, *read, console);
    if (outcomes.empty() && read->unread.empty()) console.complain("there is no NAME=value in that file");
    return outcomes.empty() ? static_cast<int>(exit_config) : offer_shred(file, all_kept, arguments, console);
}

} // namespace pfar::cli
