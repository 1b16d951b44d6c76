// Plain values first, then a section for each table: a file that a person would have written.
#include "config/table_text.hpp"

#include "config/document.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::config {
namespace {

namespace json = boost::json;

constexpr std::string_view usual_order[] = {
    "name",  "description", "label",     "allowed_domains", "allow_private", "stateful",
    "share", "taint",       "autostart", "state",           "command",       "args",
    "cwd",   "server",      "auth",      "files",           "env",           "pass",
    "set",   "sandbox",     "access",    "tools",           "timeouts"};

std::size_t place_of(std::string_view key) {
    return static_cast<std::size_t>(std::find(std::begin(usual_order), std::end(usual_order), key) - usual_order);
}

Result<Node> node_of(json::value const& value, int depth);

Result<Node> array_of(json::array const& items, int depth) {
    Array out;
    for (auto const& item : items) {
        PFAR_TRY(node, node_of(item, depth + 1));
        out.push_back(std::move(node));
    }
    return Node{{}, std::move(out)};
}

Result<Node> inline_table(json::object const& object, int depth) {
    Table out;
    for (auto const& [key, value] : object) {
        if (value.is_null()) continue;
        PFAR_TRY(node, node_of(value, depth + 1));
        out.push_back({std::string(key), {}, std::move(node)});
    }
    return Node{{}, std::move(out)};
}

Result<Node> node_of(json::value const& value, int depth) {
    if (depth > 8) return fail(Errc::invalid, "a server's table is nested too deeply");
    if (auto const* const text = value.if_string()) return Node{{}, std::string(*text)};
    if (auto const* const number = value.if_int64()) return Node{{}, *number};
    if (auto const* const number = value.if_double()) return Node{{}, *number};
    if (auto const* const flag = value.if_bool()) return Node{{}, *flag};
    if (auto const* const items = value.if_array()) return array_of(*items, depth);
    if (auto const* const object = value.if_object()) return inline_table(*object, depth);
    return fail(Errc::invalid, "a server's table has a value that a server file has no word for");
}

using Members = std::vector<json::key_value_pair const*>;

Members sorted(json::object const& table) {
    Members out;
    for (auto const& member : table)
        if (!member.value().is_null()) out.push_back(&member);
    std::stable_sort(out.begin(), out.end(),
                     [](auto const* a, auto const* b) { return place_of(a->key()) < place_of(b->key()); });
    return out;
}

Result<void> add_section(std::string& out, std::string const& name, json::object const& table) {
    auto const members = sorted(table);
    bool const has_values =
        std::any_of(members.begin(), members.end(), [](auto const* member) { return !member->value().is_object(); });
    if (!name.empty() && has_values) out += fmt::format("\n[{}]\n", name);
    for (auto const* const member : members) {
        if (member->value().is_object()) continue;
        PFAR_TRY(node, node_of(member->value(), 0));
        out += fmt::format("{} = {}\n", key_text(std::string(member->key())), to_toml(node));
    }
    for (auto const* const member : members) {
        auto const* const inner = member->value().if_object();
        if (inner == nullptr) continue;
        auto const key = key_text(std::string(member->key()));
        PFAR_CHECK(add_section(out, name.empty() ? key : fmt::format("{}.{}", name, key), *inner));
    }
    return {};
}

} // namespace

Result<std::string> table_text(json::object const& table) {
    std::string out;
    PFAR_CHECK(add_section(out, "", table));
    return out;
}

} // namespace pfar::config
