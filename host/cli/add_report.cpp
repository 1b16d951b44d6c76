#include "cli/add_report.hpp"

#include "base/text.hpp"
#include "cli/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace pfar::cli {
namespace {

using boost::json::array;
using boost::json::object;
using house::Kept;

std::string shown(std::filesystem::path const& path) {
    return base::printable(base::for_people(path));
}

std::vector<std::string> entries_of(config::AuthValue const& value) {
    std::vector<std::string> out;
    for (auto const& piece : value.pieces)
        if (piece.secret) out.push_back(piece.text);
    return out;
}

Kept kept_of(house::Added const& added, std::string const& entry) {
    auto const found = added.entries.find(entry);
    return found == added.entries.end() ? Kept::unknown : found->second;
}

void tell_notes(Console& console, house::Prepared const& file, house::NewServer const& server) {
    for (auto const& note : server.notes) console.complain(fmt::format("note: {}: {}", server.spec.name, note));
    for (auto const& warning : file.warnings)
        console.complain(fmt::format("warning: {}: {}", server.spec.name, warning));
}

std::string command_line(config::LaunchSpec const& server) {
    auto runs = server.command;
    for (auto const& argument : server.args) runs += " " + argument;
    for (auto at = runs.find("$${"); at != runs.npos; at = runs.find("$${", at + 2)) runs.erase(at, 1);
    return base::printable(runs.size() > 160 ? runs.substr(0, 160) + "..." : runs);
}

class Report {
public:
    Report(Console& console, house::AddWish const& wish, house::Added const& added)
        : console_(console), wish_(wish), added_(added) {}

    void print_one(std::size_t index) {
        auto const& file = added_.files[index];
        auto const& spec = wish_.servers[index].spec;
        console_.print(fmt::format("{} is {} ({})\n", console_.paint(Colour::bold, spec.name),
                                   file.replaced ? "replaced" : "added", shown(file.found.file)));
        if (file.replaced) line("before", fmt::format("kept as {}.bak", shown(file.found.file)));
        line("runs", command_line(spec.server));
        print_reach(spec);
        print_files(spec);
        for (auto const& value : spec.auth) print_secret(value);
        if (file.found.origin == config::Origin::project)
            line("trusted", "with this content; a change waits for pfar trust");
        if (file.shadowed) line("but", fmt::format("{} comes first in this project", shown(*file.shadowed)));
        if (file.shadows) line("instead", fmt::format("of {}", shown(*file.shadows)));
        tell_notes(console_, file, wish_.servers[index]);
    }

private:
    void line(char const* what, std::string const& text) { console_.print(fmt::format("  {:<9}{}\n", what, text)); }

    void print_reach(config::ServerSpec const& spec) {
        for (auto const& rule : spec.allowed_domains) line("reaches", to_text(rule));
        if (!spec.allowed_domains.empty()) return;
        line("reaches", spec.auth.empty()
                            ? "nothing on the network"
                            : fmt::format("nothing on the network, though it gets a credential; pfar allow {} DOMAIN "
                                          "lets it",
                                          spec.name));
    }

    void print_files(config::ServerSpec const& spec) {
        if (spec.access) {
            for (auto const& grant : spec.access->files)
                line(grant.rights.writes() ? "writes" : "reads", shown(grant.path));
            return;
        }
        if (!spec.stateful) return line("files", "none, but what [tools.NAME.access] grants to a tool");
        if (wish_.project) return line("writes", fmt::format("{} (the project, without .pfar)", shown(*wish_.project)));
        if (spec.server.cwd) return line("writes", fmt::format("{} (its cwd)", shown(*spec.server.cwd)));
        line("files", "none of yours");
    }

    void print_secret(config::AuthValue const& value) {
        for (auto const& entry : entries_of(value)) {
            auto const kept = kept_of(added_, entry);
            auto const how =
                kept == Kept::now      ? std::string("kept in the vault just now")
                : kept == Kept::before ? std::string("in the vault already")
                : kept == Kept::missing
                    ? fmt::format("not there yet, and it does not start without: pfar vault set {}", entry)
                    : fmt::format("the vault was not asked, being locked; if it is not there: pfar vault set {}",
                                  entry);
            line("gets", fmt::format("{} from vault:{} ({})", value.name, entry, how));
        }
    }

    Console& console_;
    house::AddWish const& wish_;
    house::Added const& added_;
};

array secrets_json(config::ServerSpec const& spec, house::Added const& added) {
    constexpr char const* words[] = {"kept", "there", "missing", "unknown"};
    array out;
    for (auto const& value : spec.auth)
        for (auto const& entry : entries_of(value))
            out.push_back(object{{"variable", value.name},
                                 {"entry", entry},
                                 {"state", words[static_cast<std::size_t>(kept_of(added, entry))]}});
    return out;
}

object server_json(house::Prepared const& file, house::NewServer const& server, house::Added const& added) {
    auto const& spec = server.spec;
    array domains, files, notes, args;
    for (auto const& rule : spec.allowed_domains) domains.emplace_back(to_text(rule));
    if (spec.access)
        for (auto const& grant : spec.access->files)
            files.push_back(object{{"path", base::printable(grant.path.native())}, {"write", grant.rights.writes()}});
    for (auto const* const sentences : {&server.notes, &file.warnings})
        for (auto const& sentence : *sentences) notes.emplace_back(sentence);
    for (auto const& argument : spec.server.args) args.emplace_back(base::printable(argument));
    return {{"name", spec.name},
            {"file", base::printable(file.found.file.native())},
            {"replaced", file.replaced.has_value()},
            {"command", base::printable(spec.server.command)},
            {"args", std::move(args)},
            {"domains", std::move(domains)},
            {"files", std::move(files)},
            {"secrets", secrets_json(spec, added)},
            {"notes", std::move(notes)}};
}

} // namespace

void print_added(Console& console, house::AddWish const& wish, house::Added const& added) {
    Report report(console, wish, added);
    for (std::size_t i = 0; i < added.files.size(); ++i) report.print_one(i);
    bool const one = wish.servers.size() == 1;
    console.print(one ? fmt::format("next: pfar status {}\n", wish.servers[0].spec.name) : "next: pfar list\n");
}

std::string added_json(house::AddWish const& wish, house::Added const& added) {
    array out;
    for (std::size_t i = 0; i < added.files.size(); ++i)
        out.push_back(server_json(added.files[i], wish.servers[i], added));
    return to_text(object{{"servers", std::move(out)}});
}

void show_drafts(Console& console, house::AddWish const& wish, std::vector<house::Prepared> const& files, bool json) {
    array out;
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto const& file = files[i];
        if (json) {
            out.push_back(object{
                {"name", file.found.name}, {"file", base::printable(file.found.file.native())}, {"text", file.text}});
            continue;
        }
        console.print(fmt::format("{}# {}\n{}", i > 0 ? "\n" : "", shown(file.found.file), file.text));
        tell_notes(console, file, wish.servers[i]);
    }
    if (json) console.print(to_text(object{{"servers", std::move(out)}, {"dry_run", true}}));
}

} // namespace pfar::cli
