// A schema and a value, a line break between them: whatever they are, the check ends and says something short; and "not" of a schema takes exactly what
// the schema does not.
#include "base/text.hpp"
#include "pipeline/schema.hpp"

#include <cstdlib>

using namespace pfar;
using pipeline::Duplicates;
using pipeline::Schema;

namespace {

void insist(bool holds) {
    if (!holds) std::abort();
}

void insist_on_words(Error const& error) {
    insist(!error.what.empty() && error.what.size() < 4000 && base::is_utf8(error.what));
}

/// No value: it cannot be told.
std::optional<bool> fits(std::string const& schema, std::string const& value) {
    auto const compiled = Schema::compile(schema);
    if (!compiled || !(*compiled)->unchecked().empty()) return {};
    auto const out = (*compiled)->check(value);
    if (!out && out.error().code == Errc::timeout) return {};
    return out.has_value();
}

/// References would lead elsewhere from within another schema.
void check_around(std::string const& schema, std::string const& value) {
    auto const alone = fits(schema, value), never = fits("false", value), always = fits("true", value);
    if (!alone || never == always || schema.find('$') != std::string::npos) return; // the second: it is no JSON
    auto const same = [&](std::string const& around, bool expected) {
        auto const out = fits(around, value);
        insist(!out || *out == expected);
    };
    same(R"({"not":)" + schema + "}", !*alone);
    same(R"({"allOf":[)" + schema + "]}", *alone);
    same(R"({"anyOf":[false,)" + schema + "]}", *alone);
    same(R"({"oneOf":[)" + schema + ",false]}", *alone);
    same(R"({"oneOf":[)" + schema + "," + schema + "]}", false);
    same(R"({"if":)" + schema + R"(,"then":false})", !*alone);
    same(R"({"$ref":"#/$defs/a","$defs":{"a":)" + schema + "}}", *alone);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string const input(reinterpret_cast<char const*>(data), size);
    auto const cut = std::min(input.find('\n'), input.size());
    auto const schema = input.substr(0, cut), value = input.substr(std::min(cut + 1, input.size()));
    auto const compiled = Schema::compile(schema);
    if (!compiled) {
        insist_on_words(compiled.error());
        insist(compiled.error().code == Errc::invalid);
        return 0;
    }
    for (auto const duplicates : {Duplicates::allow, Duplicates::refuse})
        if (auto const out = (*compiled)->check(value, duplicates); !out) insist_on_words(out.error());
    for (auto const& note : (*compiled)->unchecked())
        insist(!note.empty() && note.size() < 1000 && base::is_utf8(note));
    check_around(schema, value);
    return 0;
}
