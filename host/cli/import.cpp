// pfar import: servers that Claude Code, Cursor and VS Code start themselves, taken over one by one.
#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "cli/connect_commands.hpp"
#include "cli/conversation.hpp"
#include "cli/json.hpp"
#include "config/client_files.hpp"
#include "config/secret_look.hpp"
#include "house/import_server.hpp"
#include "house/imported_before.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <map>

namespace pfar::cli {
namespace {

namespace fs = std::filesystem;
using config::ClientEntry;
using config::ClientFile;

constexpr std::size_t most_client_file = std::size_t{32} << 20U; // Claude Code keeps its history there

/// This program, as a client has to call it.
std::string own_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).native();
}

/// What an entry of a client becomes.
struct Rewriting {
    std::string name;
    fs::path home; // pfar's own, if it is not the usual one; empty: it is
    bool has_type = false, disabled = false, had_secret = false;
};

std::string through_pfar(Rewriting const& wanted) {
    boost::json::object out;
    if (wanted.has_type) out["type"] = "stdio";
    out["command"] = own_path();
    out["args"] = boost::json::array{"serve", "--server", boost::json::string(wanted.name)};
    if (!wanted.home.empty()) out["env"] = {{"PFAR_HOME", wanted.home.native()}};
    if (wanted.disabled) out["disabled"] = true;
    return boost::json::serialize(out);
}

/// One that is not there yet: what was there before pfar changed it stays, and so does what was there before that.
fs::path backup_of(fs::path const& file) {
    std::error_code error;
    fs::path out = file.native() + ".pfar-backup";
    for (int number = 2; fs::exists(fs::symlink_status(out, error)); ++number)
        out = fmt::format("{}.pfar-backup-{}", file.native(), number);
    return out;
}

class Import {
public:
    Import(Conversation& conversation, Arguments const& arguments)
        : setting_(conversation.setting()), arguments_(arguments) {}

    int run() {
        house::clear_conversations(setting_);
        auto const files = wanted_files();
        if (files.empty()) {
            setting_.talk.say(
                "No configuration of Claude Code, Cursor or VS Code was found; name a file: pfar import FILE");
            return exit_unavailable;
        }
        for (auto const& file : files)
            if (!cancelled_) take_file(file);
        if (found_ == 0) setting_.talk.say("There is no server to import.");
        if (cancelled_) return exit_denied;
        return trouble_ ? static_cast<int>(exit_unavailable) : static_cast<int>(exit_ok);
    }

    [[nodiscard]] boost::json::array const& rows() const { return rows_; }

private:
    [[nodiscard]] std::vector<ClientFile> wanted_files() const {
        auto const& places = setting_.house.places;
        if (arguments_.operands.empty()) return config::client_files(places.user_home, places.directory);
        std::vector<ClientFile> out;
        for (auto const& name : arguments_.operands) {
            auto const path = (places.directory / name).lexically_normal();
            out.push_back({config::client_of(path), path,
                           path.filename() == ".mcp.json" || path.parent_path().filename() == ".vscode"});
        }
        return out;
    }

    void take_file(ClientFile const& file) {
        auto const text = base::read_file(file.path, most_client_file);
        auto const entries = text ? config::client_servers(*text) : Result<std::vector<ClientEntry>>(text.error());
        if (!entries) {
            setting_.talk.say(fmt::format("{}: {}", base::for_people(file.path), entries.error().what));
            trouble_ = true;
            return;
        }
        auto const inputs = config::client_inputs(*text);
        for (auto const& entry : *entries) {
            cancelled_ = cancelled_ || (setting_.interrupted && setting_.interrupted());
            if (cancelled_) return;
            take_entry(file, entry, inputs);
        }
    }

    void take_entry(ClientFile const& file, ClientEntry const& entry, std::vector<config::ClientInput> const& inputs) {
        auto wanted = config::read_client_config(entry.json);
        auto const shown =
            fmt::format("{} ({}, {}{})", base::printable(entry.name()), file.client, base::for_people(file.path),
                        entry.project.empty() ? "" : ", for " + base::for_people(entry.project));
        if (!wanted || wanted->size() != 1) {
            setting_.talk.say(fmt::format("{}: {}", shown, wanted ? "it is not one server" : wanted.error().what));
            return;
        }
        if (fs::path(wanted->front().command).filename() == "pfar") return; // it goes through pfar already
        ++found_;
        bool const disabled = wanted->front().disabled;
        auto const there =
            house::imported_before(setting_.house, wanted->front(), entry.name(), project_of(file, entry));
        if (there.empty() ? !agrees(fmt::format("Import {}{}?", shown, disabled ? ", which is disabled there" : ""),
                                    "import", "yes")
                          : !agrees(fmt::format("{} is imported already, as {}. Import it once more?", shown, there),
                                    "again", "no"))
            return;
        house::ImportWish wish;
        wish.inputs = inputs;
        wish.wanted = std::move(wanted->front()), wish.name = entry.name();
        wish.project = project_of(file, entry);
        auto const done = house::import_server(setting_, std::move(wish));
        cancelled_ = done && done->cancelled;
        trouble_ = trouble_ || !done || (done->name.empty() && !cancelled_);
        if (!done) return setting_.talk.say(done.error().what + ".");
        if (done->name.empty()) return;
        bool const rewritten =
            wants_rewriting(file) &&
            rewrite(file, entry.pointer, {done->name, unusual_home(), false, disabled, done->had_secret});
        rows_.push_back(
            boost::json::object{{"name", done->name}, {"from", file.path.native()}, {"rewritten", rewritten}});
    }

    static std::optional<fs::path> project_of(ClientFile const& file, ClientEntry const& entry) {
        if (!entry.project.empty()) return fs::path(entry.project);
        if (!file.project) return {};
        auto const directory = file.path.parent_path();
        bool const below = directory.filename() == ".vscode" || directory.filename() == ".cursor";
        return below ? directory.parent_path() : directory;
    }

    bool agrees(std::string const& prompt, std::string const& name, std::string const& fallback) {
        flows::Question question;
        question.kind = flows::Question::Kind::yes_no;
        question.name = name, question.prompt = prompt, question.fallback = fallback;
        for (int tries = 0; tries < 3; ++tries) {
            auto const reply = setting_.talk.ask(question);
            auto const word = !reply ? "cancel" : reply->text.empty() ? fallback : reply->text;
            if (house::gives_up(word)) return cancelled_ = true, false;
            if (word == "y" || word == "yes" || word == "Y" || word == "Yes") return true;
            if (word == "n" || word == "no" || word == "N" || word == "No") return false;
            question.wrong = "yes or no";
        }
        return false;
    }

    bool wants_rewriting(ClientFile const& file) {
        if (arguments_.has("rewrite")) return true;
        std::error_code error;
        auto const path = fs::canonical(file.path, error);
        return agrees(
            fmt::format("Let its entry in {} go through pfar from now on? The file as it {} is kept beside it "
                        "as {}",
                        base::for_people(file.path), backups_.contains(path) ? "was before" : "is now",
                        base::printable(backup_for(path).filename().native())),
            "rewrite", "no");
    }

    /// One a run: what it is by then was made by the run itself.
    [[nodiscard]] fs::path backup_for(fs::path const& path) const {
        auto const found = backups_.find(path);
        return found == backups_.end() ? backup_of(path) : found->second;
    }

    /// A client that knows nothing of the person's PFAR_HOME has to be told.
    [[nodiscard]] fs::path unusual_home() const {
        auto const& places = setting_.house.places;
        return places.home == places.user_home / ".pfar" ? fs::path() : places.home;
    }

    /// The file as it is by now, with this one entry changed.
    bool rewrite(ClientFile const& file, std::vector<std::string> const& pointer, Rewriting wanted) {
        auto const name = wanted.name;
        bool had_secret = wanted.had_secret;
        auto const done = try_rewrite(file.path, pointer, std::move(wanted));
        if (done) {
            auto const before = base::read_file(*done, most_client_file);
            had_secret = had_secret || !before || config::tells_secret(*before); // of its other entries
            setting_.talk.say(fmt::format("{} now starts {} through pfar; restart your client. {} {}",
                                          base::for_people(file.path), name, base::for_people(*done),
                                          had_secret ? "still has what was secret in it: remove it when all is well."
                                                     : "has it as it was before."));
            return true;
        }
        setting_.talk.say(fmt::format("{} was not changed: {}.", base::for_people(file.path), done.error().what));
        trouble_ = true;
        return false;
    }

    /// Where the backup is.
    Result<fs::path> try_rewrite(fs::path const& given, std::vector<std::string> const& pointer, Rewriting wanted) {
        std::error_code error;
        auto const path = fs::canonical(given, error); // a link stays one
        if (error) return fail(Errc::io, error.message());
        PFAR_TRY(text, base::read_file(path, most_client_file));
        PFAR_TRY(entries, config::client_servers(text));
        for (auto const& entry : entries)
            if (entry.pointer == pointer) wanted.has_type = entry.json.find("\"type\"") != std::string_view::npos;
        PFAR_TRY(changed, config::with_entry(text, pointer, through_pfar(wanted)));
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) return fail(Errc::io, base::errno_text(errno));
        auto const backup = backup_for(path);
        if (!backups_.contains(path)) PFAR_CHECK(base::write_file(backup, text, 0600));
        backups_.emplace(path, backup);
        PFAR_CHECK(base::write_file(path, changed, status.st_mode & 07777U));
        if (::geteuid() == 0 && ::chown(path.c_str(), status.st_uid, status.st_gid) != 0)
            return fail(Errc::io, base::errno_text(errno));
        return backup;
    }

    house::FlowSetting const& setting_;
    Arguments const& arguments_;
    boost::json::array rows_;
    std::map<fs::path, fs::path> backups_; // that this run has made
    int found_ = 0;
    bool trouble_ = false, cancelled_ = false;
};

} // namespace

int run_import(Arguments const& arguments, Console& console) {
    return hold_conversation(console, {{}, arguments.has("json")}, [&](Conversation& conversation, NextLine const&) {
        Import work(conversation, arguments);
        auto const code = work.run();
        if (arguments.has("json")) console.print(to_text(work.rows()));
        return code;
    });
}

} // namespace pfar::cli
