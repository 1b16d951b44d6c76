// What agents are told of pfar's own tools.
#include "house/own_tools.hpp"

namespace pfar::house {
namespace {

constexpr char const* connect_tool =
    R"({"name":"connect","title":"Connect a service","description":"Connect a service (Notion, GitHub, ...) so that its tools become available: pfar )"
    R"(installs its MCP server in a sandbox and asks the user for what it needs. The user has to agree. Never ask the user for a credential and never )"
    R"(pass one: pfar shows the user a page for it. If the answer says that it waits for the user, call it again with the same arguments afterwards.",)"
    R"("inputSchema":{"type":"object","properties":{"service":{"type":"string","maxLength":200,"description":"The service's name, such as notion"},)"
    R"("answers":{"type":"object","description":"Answers to what the last call asked for, by name; never a credential","additionalProperties":{"type":"string",)"
    R"("maxLength":1000}}},"required":["service"],"additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":false}})";
constexpr char const* status_tool =
    R"({"name":"status","title":"What is connected","description":"Which services are connected, whether they run, and which could be connected",)"
    R"("inputSchema":{"type":"object","properties":{"server":{"type":"string","maxLength":100,"description":"Only this one"}},"additionalProperties":false},)"
    R"("annotations":{"readOnlyHint":true}})";
constexpr char const* disconnect_tool =
    R"({"name":"disconnect","title":"Disconnect a service","description":"Disconnect a service: its tools go away, its package and its data are removed; its )"
    R"(credential stays in the vault. The user has to agree.","inputSchema":{"type":"object","properties":{"service":{"type":"string","maxLength":200}},)"
    R"("required":["service"],"additionalProperties":false},"annotations":{"readOnlyHint":false,"destructiveHint":true}})";

} // namespace

pipeline::OfferPtr own_offer() {
    auto out = std::make_shared<pipeline::Offer>();
    out->identity = OwnTools::identity, out->name = "pfar";
    out->label = base::Label::open, out->taint = base::Taint::clean;
    out->write_down = config::WriteDown::allow; // it is the owner's own, who is asked about every word anyway
    out->known = true;
    for (auto const* const tool : {"connect", "disconnect"}) out->rules[tool].approve = base::Approve::always;
    pipeline::fill_offer(*out, {{connect_tool, disconnect_tool, status_tool}, {}, {}, {}, "", "{\"tools\":{}}"},
                         [](std::string const&, std::string const&) { return true; });
    for (auto& tool : out->tools) tool.once = true;
    return out;
}

} // namespace pfar::house
