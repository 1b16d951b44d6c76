#include "pipeline/canonical.hpp"

#include "pipeline/schema_tree.hpp"

#include <map>

namespace pfar::pipeline {
namespace {

using schemas::Kind;
using schemas::Value;

void append(std::string& out, char kind, std::string_view bytes) {
    out.append(1, kind).append(std::to_string(bytes.size())).append(":").append(bytes);
}

void append_object(std::string& out, Value object, std::string_view but);

void append(std::string& out, Value value) {
    if (value.is(Kind::object)) return append_object(out, value, "");
    if (value.is(Kind::string)) return append(out, 's', value.text());
    if (!value.is(Kind::array)) return append(out, 'v', value.written());
    append(out, 'a', std::to_string(value.count()));
    for (auto const element : value.elements()) append(out, element);
}

void append_object(std::string& out, Value object, std::string_view but) {
    std::map<std::string, Value> members;
    for (auto const member : object.members())
        if (auto key = member.key.text(); but.empty() || key != but) members.emplace(std::move(key), member.value);
    append(out, 'o', std::to_string(members.size()));
    for (auto const& [key, value] : members) append(out, 's', key), append(out, value);
}

} // namespace

std::string canonical_params(std::string_view params) {
    auto const tree = schemas::Tree::parse(params, Duplicates::refuse);
    if (!tree || !tree->root().is(Kind::object)) return std::string(params);
    std::string out;
    append_object(out, tree->root(), "_meta");
    return out;
}

} // namespace pfar::pipeline
