#include "pipeline/schema_words.hpp"

#include "base/text.hpp"

#include "pipeline/schema_number.hpp"

namespace pfar::pipeline::schemas {

std::string shown(std::string_view text, std::size_t most) {
    if (text.size() <= most) return base::printable(text);
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80) --most;
    return base::printable(text.substr(0, most)) + "...";
}

std::string_view kind_name(Value value) {
    switch (value.kind()) {
    case Kind::null:
        return "null";
    case Kind::boolean:
        return "boolean";
    case Kind::number:
        return is_integer(value.written()) ? "integer" : "number";
    case Kind::string:
        return "string";
    case Kind::array:
        return "array";
    case Kind::object:
        return "object";
    }
    return "";
}

void Findings::add(Value where, std::string what) {
    if (!full()) list_.push_back({where.place(), std::move(what)});
}

std::string Findings::text(Tree const& tree) const {
    std::string out;
    for (auto const& [place, what] : list_) {
        auto const pointer = tree.pointer_to(place);
        out += (out.empty() ? "" : "; ") + pointer + (pointer.empty() ? "" : ": ") + what;
    }
    return out;
}

} // namespace pfar::pipeline::schemas
