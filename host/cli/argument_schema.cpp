// References and alternatives are followed to a depth and a number that no honest schema exceeds.
#include "cli/argument_schema.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace pfar::cli {
namespace {

using boost::json::object;
using boost::json::value;

constexpr unsigned most_depth = 8;
constexpr std::size_t most_leaves = 64;

value const* in(object const& schema, std::string_view key) {
    return schema.if_contains(key);
}

char const* type_name(value const& of) {
    if (of.is_string()) return "string";
    if (of.is_bool()) return "boolean";
    if (of.is_int64() || of.is_uint64()) return "integer";
    if (of.is_double()) return "number";
    if (of.is_array()) return "array";
    return of.is_object() ? "object" : "null";
}

/// Empty: it may be anything.
ArgumentSchema::Types types_in(object const& leaf) {
    ArgumentSchema::Types types;
    if (auto const* const type = in(leaf, "type"); type != nullptr && type->is_string())
        types.emplace(type->get_string());
    else if (type != nullptr && type->is_array())
        for (auto const& one : type->get_array()) types.emplace(one.is_string() ? one.get_string().c_str() : "");
    else if (auto const* const words = in(leaf, "enum"); words != nullptr && words->is_array())
        for (auto const& word : words->get_array()) types.emplace(type_name(word));
    else if (auto const* const only = in(leaf, "const"))
        types.emplace(type_name(*only));
    else if (in(leaf, "items") != nullptr)
        types.emplace("array");
    else if (in(leaf, "properties") != nullptr)
        types.emplace("object");
    return types;
}

} // namespace

value const* ArgumentSchema::member(std::string_view key) const {
    return root_.is_object() ? root_.get_object().if_contains(key) : nullptr;
}

value const* ArgumentSchema::property(std::string_view key) const {
    auto const* const properties = member("properties");
    auto const* const known =
        properties != nullptr && properties->is_object() ? in(properties->get_object(), key) : nullptr;
    if (known != nullptr) return known;
    auto const* const others = member("additionalProperties");
    return others != nullptr && others->is_object() ? others : nullptr;
}

bool ArgumentSchema::is_closed() const {
    auto const* const others = member("additionalProperties");
    return others != nullptr && others->is_bool() && !others->get_bool() && member("patternProperties") == nullptr;
}

std::vector<std::string_view> ArgumentSchema::names() const {
    std::vector<std::string_view> out;
    auto const* const properties = member("properties");
    if (properties != nullptr && properties->is_object())
        for (auto const& [key, schema] : properties->get_object()) out.push_back(key);
    return out;
}

void ArgumentSchema::add_leaves(value const* schema, Leaves& leaves, unsigned depth) const {
    if (schema == nullptr || !schema->is_object() || depth > most_depth || leaves.size() > most_leaves) return;
    auto const& said = schema->get_object();
    if (auto const* const reference = in(said, "$ref"); reference != nullptr && reference->is_string()) {
        std::string_view const pointer = reference->get_string();
        boost::system::error_code bad;
        if (pointer.starts_with('#')) add_leaves(root_.find_pointer(pointer.substr(1), bad), leaves, depth + 1);
        return;
    }
    if (types_in(said).empty())
        for (auto const* const way : {"anyOf", "oneOf", "allOf"})
            if (auto const* const parts = in(said, way); parts != nullptr && parts->is_array()) {
                for (auto const& part : parts->get_array()) add_leaves(&part, leaves, depth + 1);
                return;
            }
    leaves.push_back(&said);
}

ArgumentSchema::Leaves ArgumentSchema::leaves_of(value const* schema) const {
    Leaves leaves;
    add_leaves(schema, leaves, 0);
    return leaves;
}

ArgumentSchema::Types ArgumentSchema::types_of(value const* schema) const {
    Types types;
    for (auto const* const leaf : leaves_of(schema)) types.merge(types_in(*leaf));
    return types;
}

value const* ArgumentSchema::items_of(value const* schema) const {
    for (auto const* const leaf : leaves_of(schema))
        if (auto const* const items = in(*leaf, "items")) return items;
    return nullptr;
}

} // namespace pfar::cli
