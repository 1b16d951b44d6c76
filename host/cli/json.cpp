// Boost.JSON writes one line; lists and objects are broken up here.
#include "cli/json.hpp"

#include "base/text.hpp"

#include <boost/json.hpp>

namespace pfar::cli {
namespace {

/// It may go to a terminal: what would move or colour something there is escaped, which JSON allows for any character.
std::string serialized(boost::json::value const& value) {
    return base::printable(boost::json::serialize(value));
}

void write(std::string& out, boost::json::value const& value, std::string const& indent) {
    auto const deeper = indent + "  ";
    char const* between = "";
    if (auto const* const list = value.if_array(); list != nullptr && !list->empty()) {
        out += "[";
        for (auto const& item : *list)
            out.append(between).append("\n").append(deeper), write(out, item, deeper), between = ",";
        out.append("\n").append(indent).append("]");
    } else if (auto const* const object = value.if_object(); object != nullptr && !object->empty()) {
        out += "{";
        for (auto const& [key, item] : *object) {
            out.append(between).append("\n").append(deeper).append(serialized(boost::json::string(key))).append(": ");
            write(out, item, deeper);
            between = ",";
        }
        out.append("\n").append(indent).append("}");
    } else
        out += serialized(value);
}

} // namespace

std::string to_text(boost::json::value const& value) {
    std::string out;
    write(out, value, "");
    return out + "\n";
}

} // namespace pfar::cli
