#include "pipeline/schema.hpp"

#include "pipeline/schema_checker.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

/// In a second walk, because most values fit, and the first is faster for not having to say anything.
std::string reasons(schemas::Program const& program, schemas::Tree const& tree) {
    schemas::Findings findings;
    schemas::Budget budget;
    schemas::Checker(program, budget, &findings).fit(0, tree.root(), nullptr);
    return findings.empty() ? "it does not fit the schema" : findings.text(tree);
}

} // namespace

Schema::Schema(std::unique_ptr<schemas::Program const> program) : program_(std::move(program)) {}
Schema::~Schema() = default;

Result<std::shared_ptr<Schema const>> Schema::compile(std::string_view json) {
    PFAR_TRY(program, schemas::compile(json));
    return std::make_shared<Schema const>(std::move(program));
}

Result<void> Schema::check(std::string_view json, Duplicates duplicates) const {
    if (json.size() > most_instance_bytes)
        return fail(Errc::invalid, fmt::format("it is larger than {} MiB", most_instance_bytes / 1024 / 1024));
    PFAR_TRY(tree, schemas::Tree::parse(json, duplicates));
    schemas::Budget budget;
    auto const answer = schemas::Checker(*program_, budget, nullptr).fit(0, tree.root(), nullptr);
    if (budget.spent()) return fail(Errc::timeout, "checking it against the schema takes too long");
    if (answer == schemas::Fit::no) return fail(Errc::invalid, reasons(*program_, tree));
    return {};
}

std::vector<std::string> const& Schema::unchecked() const {
    return program_->unchecked;
}

} // namespace pfar::pipeline
