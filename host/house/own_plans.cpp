// What the owner and the agent are told beforehand: what would be done, what is there, what it is for.
#include "base/text.hpp"
#include "house/flow_arguments.hpp"
#include "house/own_tools.hpp"
#include "house/own_words.hpp"
#include "house/registries.hpp"
#include "wire/json_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pfar::house {
namespace {

namespace json = boost::json;

/// To be copied into a shell, so not of whatever an agent likes.
std::string command_words(std::string const& service) {
    bool const plain = !service.empty() && service.front() != '-' && service.size() <= 100 &&
                       std::all_of(service.begin(), service.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 ||
                                  std::string_view("@/.:_-").find(static_cast<char>(c)) != std::string_view::npos;
                       });
    return plain ? ": pfar connect " + service : "";
}

} // namespace

Result<std::optional<std::string>> OwnTools::explain(pipeline::Call const& call) const {
    using Words = std::optional<std::string>;
    if (call.offer->identity != identity || call.subject == "status") return Words("");
    auto const service = wire::string_in(wire::member_of(call.arguments, "service"));
    auto const running = running_.find(Key(call.standing->id, call.subject + " " + service));
    if (running != running_.end() && running->second->arguments == object_in(call.arguments)) return Words();
    if (running != running_.end() && !running->second->flow->ended()) return under_way_otherwise();
    auto const found = find_known(parts_.house, service);
    if (!found && found.error().code != Errc::not_found && call.subject != "disconnect") return found.error();
    if (call.subject == "disconnect") {
        auto const name = connected_name(service, found ? found->name : "");
        if (name.empty()) return fail(Errc::refused, "no such service is connected; pfar__status tells which ones are");
        return Words(fmt::format("it removes {}, its package and its data", name));
    }
    auto const answers = wire::member_of(call.arguments, "answers");
    if (found && !found->not_yet.empty()) return fail(Errc::refused, found->not_yet);
    if (found) {
        PFAR_CHECK(check_answers(*found, answers, bool(call.ask)));
        auto const there = connected_name(found->name, "");
        return Words(plan_words(*found, answers) + (there.empty() ? "" : chosen_words(there, answers)));
    }
    if (!parts_.house.settings.connect_agent_unknown)
        return fail(
            Errc::refused,
            fmt::format(
                "{} is not one of the services that pfar knows; the user can connect it in a terminal{} (or set "
                "connect.agent_unknown = true in pfar.toml)",
                wire::quoted(base::printable(service)), command_words(service)));
    PFAR_CHECK(check_unknown(service, answers));
    return Words(unknown_words(service, answers));
}

/// Of one that is connected, under this name or under that of its template; empty if it is not.
std::string OwnTools::connected_name(std::string const& service, std::string const& known) const {
    boost::system::error_code bad;
    auto const list = json::parse(parts_.list_json(), bad);
    std::string out;
    if (!bad && list.is_array())
        for (auto const& row : list.get_array()) {
            auto const name = text_at(row.as_object(), "name");
            if (name == service) return name; // whatever else is known by it
            if (!known.empty() && name == known) out = name;
        }
    return out;
}

std::string OwnTools::status_text(std::string_view arguments) const {
    auto const only = wire::string_in(wire::member_of(arguments, "server"));
    boost::system::error_code bad;
    auto const list = json::parse(parts_.list_json(), bad);
    std::string out;
    std::set<std::string> connected;
    if (!bad && list.is_array())
        for (auto const& row : list.get_array()) {
            auto const name = text_at(row.as_object(), "name"), reason = text_at(row.as_object(), "reason");
            connected.insert(name);
            if (!only.empty() && name != only) continue;
            out += fmt::format("{}: {}{}\n", name, text_at(row.as_object(), "state"),
                               reason.empty() ? "" : ", " + base::printable(reason));
        }
    if (out.empty())
        out = only.empty() ? "Nothing is connected.\n" : fmt::format("{} is not connected.\n", base::printable(only));
    if (only.empty()) {
        auto names = known_names(parts_.house);
        std::erase_if(names, [&](auto const& name) { return connected.contains(name); });
        out += fmt::format("Can be connected: {}.\n", fmt::join(names, ", "));
        for (auto const& trouble : registry_troubles(parts_.house)) out += fmt::format("Left out: {}.\n", trouble.what);
    }
    return out;
}

/// For whoever is asked for a secret: what it is for, whatever the agent says about it.
std::pair<std::string, std::string> OwnTools::about(std::string const& service, std::string_view arguments) const {
    auto const found = find_known(parts_.house, service);
    auto const answers = wire::member_of(arguments, "answers");
    if (found) return {found->title, "pfar " + plan_words(*found, answers).substr(3) + "."};
    return {base::printable(service), "An agent asked for it: " + unknown_words(service, answers) + "."};
}

} // namespace pfar::house
