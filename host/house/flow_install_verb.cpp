// The verb that installs: what the owner has to decide meanwhile is asked here, so that no flow can forget it.
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/values.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_verbs.hpp"
#include "house/install.hpp"

#include <boost/json.hpp>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Done;

Result<Package> package_in(json::object const& table) {
    Package out;
    auto const npm = text_at(table, "npm"), pypi = text_at(table, "pypi");
    if (npm.empty() == pypi.empty()) return misuse("install", "a package: { npm = \"...\" } or { pypi = \"...\" }");
    out.source = npm.empty() ? Package::Source::pypi : Package::Source::npm;
    out.name = npm.empty() ? pypi : npm;
    out.version = text_at(table, "version"), out.entry = text_at(table, "entry");
    return out;
}

json::object installed_json(Installed const& installed) {
    json::array args(installed.args.begin(), installed.args.end());
    json::array skipped(installed.skipped_scripts.begin(), installed.skipped_scripts.end());
    return {{"command", installed.command},
            {"args", std::move(args)},
            {"version", installed.version},
            {"integrity", installed.integrity},
            {"skipped_scripts", std::move(skipped)}};
}

/// What somebody has put there by hand is not pfar's to replace.
Result<void> check_place(std::filesystem::path const& place) {
    std::error_code error;
    if (!std::filesystem::exists(place, error) || std::filesystem::exists(place / "pfar-package.json", error))
        return {};
    return fail(
        Errc::conflict,
        fmt::format("{} is there and was not installed by pfar; move it away first, since the package goes there",
                    base::printable(base::for_people(place))));
}

} // namespace

Result<Done> FlowVerbs::install(Arguments const& given) {
    auto const* const wanted = table_at(given, 0);
    auto const* const options = table_at(given, 1);
    InstallWish wish;
    if (wanted == nullptr || options == nullptr) return misuse("install", "a package and { server = \"name\" }");
    PFAR_TRY(package, package_in(*wanted));
    wish.package = std::move(package);
    wish.server = text_at(*options, "server");
    if (!config::parse_server_name(wish.server)) return misuse("install", "a server's name in { server = \"name\" }");
    PFAR_CHECK(journal_.claim(wish.server));
    PFAR_CHECK(check_place(setting_.house.places.home / "mcp-servers" / wish.server));
    wish.interrupted = setting_.interrupted;
    auto const chosen_once = std::make_shared<std::string>(); // it is looked at again after install scripts
    wish.choose = [this, chosen_once](std::vector<std::string> const& programs) -> Result<std::string> {
        if (!chosen_once->empty()) return *chosen_once;
        json::object const question{{"name", "program"},
                                    {"prompt", "The package has several programs. Which one is the server?"},
                                    {"choices", json::array(programs.begin(), programs.end())}};
        PFAR_TRY(chosen, ask({question}));
        return *chosen_once = std::string(chosen.value.as_string());
    };
    auto const progress = [this](std::string const& words) { setting_.talk.progress(words); };
    while (true) {
        std::string blocked;
        auto staged = Staged::install(setting_.house, wish, progress, blocked, setting_.record);
        if (!staged && !blocked.empty()) {
            flows::Question question;
            question.kind = flows::Question::Kind::yes_no;
            question.name = "registry_host";
            question.fallback = "no";
            question.prompt = fmt::format("The package comes from {}, which is not your package registry. May the "
                                          "installation reach it?",
                                          base::printable(blocked));
            PFAR_TRY(reply, setting_.talk.ask(question));
            if (reply.text != "yes") return staged.error();
            wish.hosts.push_back(blocked);
            continue;
        }
        if (!staged) { // what is wrong with a package is not the script's mistake
            auto const code = staged.error().code;
            return fail(code == Errc::invalid ? Errc::unsupported : code, staged.error().what);
        }
        if (!staged->facts().skipped_scripts.empty()) PFAR_CHECK(offer_scripts(*staged));
        PFAR_CHECK(journal_.changes_package(wish.server));
        PFAR_CHECK(staged->put_in_place());
        return Done{installed_json(staged->facts())};
    }
}

Result<void> FlowVerbs::offer_scripts(Staged& staged) {
    auto const& scripts = staged.facts().skipped_scripts;
    setting_.talk.say(fmt::format("Install scripts were not run: {}.", base::listed({scripts.begin(), scripts.end()})));
    json::object const wish{
        {"name", "install_scripts"},
        {"prompt", "Run them now, in the sandbox, without network and without secrets? Most servers work without."},
        {"yes_no", true},
        {"default", "no"}};
    PFAR_TRY(may, run("ask", {wish}));
    if (may.value != true) return {};
    PFAR_CHECK(staged.run_scripts(
        setting_.house, [this](std::string const& words) { setting_.talk.progress(words); }, setting_.record));
    return setting_.talk.say("They have run."), Result<void>();
}

} // namespace pfar::house
