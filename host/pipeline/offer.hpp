// Offer: what a server offers at this moment and what its file says about it: everything that a call is judged by. Never changes; a new one takes
// its place.
#pragma once

#include "base/terms.hpp"
#include "config/host_settings.hpp"
#include "config/server_spec.hpp"
#include "pipeline/schema.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pfar::pipeline {

/// Compiled when it is first needed: most tools are never called.
class SchemaSlot {
public:
    SchemaSlot() = default;
    explicit SchemaSlot(std::string json) : json_(std::move(json)) {}
    [[nodiscard]] bool there() const { return !json_.empty(); }
    /// One that takes everything if there is none, or none that can be compiled: then `trouble` says why.
    [[nodiscard]] Schema const& get() const;
    [[nodiscard]] std::string const& trouble() const { return trouble_; }

private:
    std::string json_;
    mutable std::shared_ptr<Schema const> made_;
    mutable std::string trouble_;
};

struct Tool {
    std::string name, public_name;
    std::string json; // as the server lists it
    std::string pin;  // digest of what the owner agrees to
    bool says_read_only = false, pinned = false;
    bool once = false; // a yes to it is for one call, whatever was said
    SchemaSlot input, output;
};

struct Prompt {
    std::string name, public_name, json;
};

struct Resource {
    std::string uri, json; // or the template's
};

struct Offer {
    std::string identity, name;
    std::string instructions, capabilities = "{}";
    base::Label label = base::Label::internal;
    base::Taint taint = base::Taint::raw;
    base::Approve approve = base::Approve::write;
    config::WriteDown write_down = config::WriteDown::ask;
    std::map<std::string, config::ToolRules> rules;
    std::vector<Tool> tools;
    std::vector<Prompt> prompts;
    std::vector<Resource> resources, templates;
    std::map<std::string, std::size_t, std::less<>> tool_names, prompt_names, public_tools, public_prompts;
    std::string policy;                // digest of what an approval is bound to
    bool known = false;                // it has been asked what it offers
    std::vector<std::string> left_out; // of its lists, and why: sentences

    /// By its own name, or by the one that agents see.
    [[nodiscard]] Tool const* tool(std::string_view own) const;
    [[nodiscard]] Tool const* public_tool(std::string_view seen) const;
    [[nodiscard]] Prompt const* prompt(std::string_view own) const;
    [[nodiscard]] Prompt const* public_prompt(std::string_view seen) const;
    [[nodiscard]] base::Approve approve_of(std::string const& tool) const;
};
using OfferPtr = std::shared_ptr<Offer const>;

/// The lists as a server gave them: JSON texts.
struct Lists {
    std::vector<std::string> tools, prompts, resources, templates;
    std::string instructions, capabilities;
};

/// Adds what it offers. `pinned` says whether the owner agreed to a tool as it is. What has no usable name, or is not as MCP says, is left out.
void fill_offer(Offer& offer, Lists const& lists,
                std::function<bool(std::string const& tool, std::string const& pin)> const& pinned);

/// Of the file's words about labels, tools and approval, with the host's defaults.
void apply_rules(Offer& offer, config::ServerSpec const& spec, config::HostSettings const& settings);

/// What a pin covers: name, description, schemas, annotations; members in one order, so that only a change of meaning is one.
std::string pinned_text(std::string_view tool_json);

} // namespace pfar::pipeline
