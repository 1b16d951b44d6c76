#include "fetch/tools.hpp"

#include "wire/message.hpp"
#include "wire/revisions.hpp"

#include <fmt/format.h>

namespace pfar::fetch {
namespace {

constexpr std::string_view common =
    R"("path":{"type":"string","description":"Below the base, such as /v1/users"},"url":{"type":"string","description":"Instead of path: the whole URL, of the same host"},)"
    R"("query":{"type":"object","description":"Names and values for the query, encoded here; an array repeats its name"},)"
    R"("headers":{"type":"object","description":"Further header fields; those of authentication are added by pfar","additionalProperties":{"type":"string"}})";

std::string place_of(Settings const& settings) {
    return settings.base ? "from " + settings.base->url : "from the hosts that this server may reach";
}

std::string fetch_tool(Settings const& settings) {
    return fmt::format(
        R"({{"name":"fetch","title":"Read by HTTP","description":{},"inputSchema":{{"type":"object","properties":{{"method":{{"type":"string","enum":["GET","HEAD"],"default":"GET"}},{}}},"additionalProperties":false}},)"
        R"("annotations":{{"title":"Read by HTTP","readOnlyHint":true,"openWorldHint":true}}}})",
        wire::quoted(fmt::format("Reads {} with GET or HEAD. Give path or url. Text and JSON come back as they are; at "
                                 "most {} bytes of a body.",
                                 place_of(settings), settings.most_bytes)),
        common);
}

std::string request_tool(Settings const& settings) {
    return fmt::format(
        R"({{"name":"request","title":"Write by HTTP","description":{},"inputSchema":{{"type":"object","properties":{{"method":{{"type":"string","pattern":"^[A-Za-z]{{1,20}}$","description":"POST, PUT, PATCH, DELETE or another"}},{},)"
        R"("body":{{"description":"A text, sent as it is, or any JSON value"}}}},"required":["method"],"additionalProperties":false}},)"
        R"("annotations":{{"title":"Write by HTTP","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}}})",
        wire::quoted(fmt::format("Sends any method to the same place as fetch, which reads {}; use it to change "
                                 "something there. Give path or url.",
                                 place_of(settings))),
        common);
}

} // namespace

std::string tools_text(Settings const& settings) {
    return fmt::format(R"({{"tools":[{},{}]}})", fetch_tool(settings), request_tool(settings));
}

std::string greeting_text(Settings const& settings, std::string_view revision) {
    return fmt::format(
        R"({{"protocolVersion":"{}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"pfar-http","version":"{}"}},"instructions":{}}})",
        wire::is_revision(revision) ? revision : wire::revisions.back(), PFAR_VERSION,
        wire::quoted("HTTP " + place_of(settings) + ": fetch reads, request writes."));
}

} // namespace pfar::fetch
