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

struct ImportFile {
    config::Dotenv content;
    struct stat seen {};
};

/// A file, or a pipe such as the shell makes of <(command).
Result<ImportFile> read_file(std::filesystem::path const& file) {
    base::Fd const fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    ImportFile out;
    if (!fd || ::fstat(fd.number(), &out.seen) != 0)
        return fail(Errc::not_found, fmt::format("{} cannot be read: {}", file.native(), base::errno_text(errno)));
    if (!S_ISREG(out.seen.st_mode) && !S_ISFIFO(out.seen.st_mode))
        return fail(Errc::invalid, file.native() + " is not a file");
    ::fcntl(fd.number(), F_SETFL, 0);
    PFAR_TRY(text, read_secret(fd.number(), most_file));
    out.content = config::read_dotenv(text.reveal());
    return out;
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
        } else if (line.expands) {
            out.why_not = "it has a $NAME in it that a shell would replace; put it in 'single quotes' if it is meant "
                          "as it is";
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
    for (auto const& name : file.repeated)
        console.complain(fmt::format("{} stands there more than once; the last value is taken", name));
    for (auto const line : file.unread)
        console.complain(fmt::format("line {} was not understood and is left out; it should be NAME=value", line));
}

/// Only what is in the vault, all of it, may go.
int offer_shred(struct stat const& seen, bool all_kept, Arguments const& arguments, Console& console) {
    std::filesystem::path const file = arguments.operands[0];
    if (arguments.has("keep") || !S_ISREG(seen.st_mode)) return exit_ok;
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
    if (auto const gone = house::shred(file, seen); !gone) return failed(console, gone.error());
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

/// Those of --only that the file does not have.
bool has_all_wanted(Arguments const& arguments, config::Dotenv const& file, Console& console) {
    bool all = true;
    for (auto const& name : only_names(arguments)) {
        bool const there =
            std::any_of(file.values.begin(), file.values.end(), [&](auto const& line) { return line.name == name; });
        if (!there) console.complain(fmt::format("there is no {} in that file", base::printable(name)));
        all = all && there;
    }
    return all;
}

/// What was kept before an error is kept, and told.
std::optional<Error> take_all(Import& import, config::Dotenv const& file, std::vector<Outcome>& outcomes) {
    for (auto const& line : file.values) {
        auto outcome = import.take(line);
        if (!outcome) return fail(outcome.error().code, fmt::format("{}: {}", line.name, outcome.error().what));
        outcomes.push_back(std::move(*outcome));
    }
    return {};
}

} // namespace

int run_vault_import(Arguments const& arguments, Console& console) {
    auto const read = read_file(arguments.operands[0]);
    if (!read) return failed(console, read.error());
    auto const& file = read->content;
    if (file.values.empty() && file.unread.empty()) {
        console.complain("there is no NAME=value in that file");
        return exit_config;
    }
    if (!has_all_wanted(arguments, file, console)) return exit_config;
    int code = exit_ok;
    auto const opened = open_vault(console, code);
    if (!opened) return code;
    auto const there = opened->vault.list();
    if (!there) return failed(console, there.error());
    Import import(*opened, arguments, *there);
    std::vector<Outcome> outcomes;
    auto const error = take_all(import, file, outcomes);
    if (import.changed() && !arguments.has("no-restart")) ring(*opened, console);
    if (arguments.has("json"))
        console.print(to_text(as_json(outcomes, file)));
    else
        print(outcomes, file, console);
    if (error) return failed(console, *error);
    bool const all_kept =
        file.unread.empty() && file.repeated.empty() &&
        std::all_of(outcomes.begin(), outcomes.end(), [](auto const& one) { return one.why_not.empty(); });
    return outcomes.empty() ? static_cast<int>(exit_config) : offer_shred(read->seen, all_kept, arguments, console);
}

} // namespace pfar::cli
