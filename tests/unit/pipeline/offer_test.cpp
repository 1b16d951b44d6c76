// Offers: what a server lists becomes what a call is judged by; and pins, which a change of meaning must not slip by.
#include "pipeline/offer.hpp"

#include "base/digest.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using namespace pfar;
using pipeline::fill_offer;
using pipeline::Lists;
using pipeline::Offer;
using pipeline::pinned_text;

namespace {

Offer filled(std::vector<std::string> tools, bool pinned = true) {
    Offer out;
    out.name = "fs", out.identity = "/mcp/fs.toml";
    Lists lists;
    lists.tools = std::move(tools);
    fill_offer(out, lists, [&](std::string const&, std::string const&) { return pinned; });
    return out;
}

std::string pin_of(std::string const& json) {
    return base::sha256(pinned_text(json));
}

} // namespace

TEST_CASE("a tool has what it says about itself, and is found by its own name and by the public one") {
    auto const offer =
        filled({R"({"name":"read.it","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"x":1e400})",
                R"({"name":"write","annotations":{}})"});
    REQUIRE(offer.tools.size() == 2);
    CHECK(offer.known);
    CHECK(offer.tools[0].says_read_only);
    CHECK_FALSE(offer.tools[1].says_read_only);
    CHECK(offer.tools[0].input.there());
    CHECK_FALSE(offer.tools[0].output.there());
    CHECK(offer.tool("read.it") == offer.tools.data());
    CHECK(offer.public_tool("fs__read_it") == offer.tools.data());
    CHECK(offer.tool("fs__read_it") == nullptr); // each form has its own map
    CHECK(offer.tool("fs__read.it") == nullptr);
    CHECK(offer.tool("") == nullptr);
}

TEST_CASE("an entry that a strict client would refuse is left out, told, and spoils nothing") {
    Lists lists;
    for (auto const* const bad :
         {R"("inputSchema":null)", R"("inputSchema":true)", R"("inputSchema":{})", R"("inputSchema":{"type":"string"})",
          R"("inputSchema":{"type":"object","properties":[1]})",
          R"("inputSchema":{"type":"object","properties":{"a":1}})",
          R"("inputSchema":{"type":"object","required":"x"})", R"("description":5)", R"("title":[1])",
          R"("annotations":{"readOnlyHint":"yes"})", R"("annotations":3)", R"("icons":5)", R"("icons":[{}])",
          R"("execution":"x")", R"("_meta":5)", R"("outputSchema":{"type":"array"})"})
        lists.tools.push_back(fmt::format(R"({{"name":"bad{}",{}}})", lists.tools.size(), bad));
    auto const count = lists.tools.size();
    lists.tools.emplace_back(R"({"name":"good","inputSchema":{"type":"object","$defs":{}}})");
    lists.prompts = {R"({"name":"p","arguments":"x"})", R"({"name":"q","description":1})", R"({"name":"r"})"};
    lists.resources = {R"({"uri":"a://1","name":3})", R"({"uri":"a://2"})",
                       R"({"uri":"a://3","name":"x","size":"big"})"};
    lists.templates = {R"({"uriTemplate":"a://{x}","mimeType":{}})", R"({"uriTemplate":"b://{x}","name":"b"})"};
    Offer offer;
    offer.name = "fs";
    fill_offer(offer, lists, [](std::string const&, std::string const&) { return true; });
    REQUIRE((offer.tools.size() == 1 && offer.tools[0].name == "good"));
    CHECK(offer.prompts.size() == 1);
    REQUIRE(offer.resources.size() == 1);
    CHECK(offer.resources[0].json == R"({"uri":"a://2","name":"a://2"})"); // clients insist on one
    CHECK(offer.templates.size() == 1);
    CHECK(offer.left_out.size() == count + 5);
    CHECK(offer.left_out[0].starts_with("its tool bad0 is left out, because it is not as MCP says: /inputSchema"));
}

TEST_CASE("what has no usable name is left out, and nothing of it throws") {
    CHECK(filled({"{}", "[]", "3", "", R"({"name":""})", R"({"name":7})", R"({"name":"\ud800"})", R"({"name":"a")",
                  "\xff", R"({"title":"x"})"})
              .tools.empty());
    Offer offer;
    Lists lists;
    lists.prompts = {R"({"name":""})", R"({"name":"p"})"};
    lists.resources = {R"({"uri":""})", R"({"uri":"file:///x"})", "null"};
    lists.templates = {R"({"uriTemplate":"file:///{p}"})", R"({"uri":"wrong"})"};
    fill_offer(offer, lists, [](auto const&, auto const&) { return true; });
    CHECK(offer.prompts.size() == 1);
    CHECK(offer.resources.size() == 1);
    CHECK(offer.templates.size() == 1);
}

TEST_CASE("a pin covers name, description, schemas and annotations, and nothing but their meaning") {
    std::string const base =
        R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["x","y"]},"annotations":{"readOnlyHint":true}})";
    auto const pin = pin_of(base);
    CHECK(
        pin ==
        pin_of(
            R"( { "annotations": {"readOnlyHint" : true}, "inputSchema":{"required":["x","y"],"type":"object"},"description":"\u0064", "name":"a" ,"_meta":{"v":2}, "icons":[] })"));
    for (
        auto const* const other :
        {R"({"name":"b","description":"d","inputSchema":{"type":"object","required":["x","y"]},"annotations":{"readOnlyHint":true}})",
         R"({"name":"a","description":"D","inputSchema":{"type":"object","required":["x","y"]},"annotations":{"readOnlyHint":true}})",
         R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["y","x"]},"annotations":{"readOnlyHint":true}})",
         R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["x","y"]},"annotations":{"readOnlyHint":false}})",
         R"({"name":"a","description":"d","inputSchema":{"type":"object","required":["x","y"]},"outputSchema":{},"annotations":{"readOnlyHint":true}})",
         R"({"name":"a","inputSchema":{"type":"object","required":["x","y"]},"annotations":{"readOnlyHint":true}})"})
        CHECK(pin != pin_of(other));
}

TEST_CASE("whether a tool is pinned is asked with its name and its pin") {
    Offer offer;
    Lists lists;
    lists.tools = {R"({"name":"a"})"};
    std::string asked;
    fill_offer(offer, lists, [&](std::string const& tool, std::string const& pin) {
        asked = tool + " " + pin;
        return false;
    });
    CHECK(asked == "a " + pin_of(R"({"name":"a"})"));
    CHECK_FALSE(offer.tools.at(0).pinned);
}

TEST_CASE("a hint that stands there in two spellings is not one for the pin and another for the judge") {
    std::string const harmless = R"({"name":"rm","annotations":{"readOnlyHint":false,"read\u004fnlyHint":false}})";
    std::string const changed = R"({"name":"rm","annotations":{"readOnlyHint":true,"read\u004fnlyHint":false}})";
    auto const offer = filled({changed});
    bool const slipped =
        pin_of(harmless) == pin_of(changed) && !offer.tools.empty() && offer.tools.at(0).says_read_only;
    CHECK_FALSE(slipped);
}

TEST_CASE("a schema that stands there in two spellings is not one for the pin and another for the check") {
    std::string const strict =
        R"({"name":"q","inputSchema":{"required":["where"]},"inputSch\u0065ma":{"required":["where"]}})";
    std::string const loose = R"({"name":"q","inputSchema":{},"inputSch\u0065ma":{"required":["where"]}})";
    auto const offer = filled({loose});
    bool const slipped =
        pin_of(strict) == pin_of(loose) && !offer.tools.empty() && offer.tools.at(0).input.get().check("{}");
    CHECK_FALSE(slipped);
}

TEST_CASE("a tool that cannot be read has no pin that another such tool has too") {
    CHECK(pin_of(R"({"name":"a","description":"harmless \ud800"})") !=
          pin_of(R"({"name":"a","description":"delete all \ud800"})"));
}

TEST_CASE("of two tools of one name only one is offered") {
    auto const offer = filled({R"({"name":"a","description":"read"})", R"({"name":"a","description":"write"})"});
    CHECK(offer.tools.size() == 1);
}

TEST_CASE("a tool's public name leads to it, whatever another calls itself") {
    auto const offer = filled({R"({"name":"x"})", R"({"name":"fs__x"})"});
    REQUIRE(offer.tools.at(0).public_name == "fs__x");
    CHECK(offer.public_tool(offer.tools.at(0).public_name) == offer.tools.data());
}

TEST_CASE("a schema that cannot be compiled takes everything and says why; one that is not there takes everything") {
    pipeline::SchemaSlot const broken(R"({"$ref":"#/nowhere"})"), none;
    CHECK(broken.get().check("{}"));
    CHECK_FALSE(broken.trouble().empty());
    CHECK(none.get().check("{}"));
    CHECK(none.trouble().empty());
    CHECK(&broken.get() == &broken.get()); // compiled once
}

TEST_CASE("the owner's rules are the file's, then the host's; each of them changes the policy") {
    config::ServerSpec spec;
    spec.name = "fs";
    config::HostSettings settings;
    auto const policy = [&] {
        Offer offer;
        offer.identity = "/mcp/fs.toml";
        apply_rules(offer, spec, settings);
        return offer.policy;
    };
    std::set<std::string> seen{policy()};
    spec.label = base::Label::secret, seen.insert(policy());
    spec.taint = base::Taint::clean, seen.insert(policy());
    settings.approve = base::Approve::never, seen.insert(policy());
    settings.write_down = config::WriteDown::allow, seen.insert(policy());
    spec.tools["rm"].approve = base::Approve::always, seen.insert(policy());
    spec.tools["rm"].semantics = base::Semantics::read, seen.insert(policy());
    CHECK(seen.size() == 7);
    CHECK(policy() == policy());
    Offer offer;
    apply_rules(offer, spec, settings);
    CHECK(offer.approve_of("rm") == base::Approve::always);
    CHECK(offer.approve_of("ls") == base::Approve::never);
}
