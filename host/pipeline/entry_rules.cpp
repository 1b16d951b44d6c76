#include "pipeline/entry_rules.hpp"

#include "pipeline/schema.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

/// Members that all kinds have, then those of one.
std::shared_ptr<Schema const> rules(std::string_view own) {
    constexpr std::string_view common = R"~(
        "name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"_meta":{"type":"object"},
        "icons":{"type":"array","items":{"type":"object","required":["src"],"properties":{"src":{"type":"string"},
            "mimeType":{"type":"string"},"sizes":{"type":"array","items":{"type":"string"}},"theme":{"enum":["light","dark"]}}}})~";
    return *Schema::compile(fmt::format(R"({{"type":"object","properties":{{{},{}}}}})", common, own));
}

constexpr std::string_view of_tools = R"~(
    "inputSchema":{"type":"object","required":["type"],"properties":{"type":{"const":"object"},
        "properties":{"type":"object","additionalProperties":{"type":"object"}},"required":{"type":"array","items":{"type":"string"}}}},
    "outputSchema":{"type":"object","required":["type"],"properties":{"type":{"const":"object"},
        "properties":{"type":"object","additionalProperties":{"type":"object"}},"required":{"type":"array","items":{"type":"string"}}}},
    "annotations":{"type":"object","properties":{"title":{"type":"string"},"readOnlyHint":{"type":"boolean"},
        "destructiveHint":{"type":"boolean"},"idempotentHint":{"type":"boolean"},"openWorldHint":{"type":"boolean"}}},
    "execution":{"type":"object","properties":{"taskSupport":{"enum":["required","optional","forbidden"]}}})~";

constexpr std::string_view of_prompts = R"~(
    "arguments":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},
        "title":{"type":"string"},"description":{"type":"string"},"required":{"type":"boolean"}}}})~";

constexpr std::string_view of_resources = R"~(
    "uri":{"type":"string"},"uriTemplate":{"type":"string"},"mimeType":{"type":"string"},"size":{"type":"number"},
    "annotations":{"type":"object","properties":{"audience":{"type":"array","items":{"enum":["user","assistant"]}},
        "priority":{"type":"number","minimum":0,"maximum":1},"lastModified":{"type":"string"}}})~";

} // namespace

Result<void> check_entry(EntryKind kind, std::string_view json) {
    static auto const tools = rules(of_tools), prompts = rules(of_prompts), resources = rules(of_resources);
    auto const& schema = kind == EntryKind::tool ? tools : kind == EntryKind::prompt ? prompts : resources;
    return schema->check(json);
}

} // namespace pfar::pipeline
