// A tool's arguments from a command line: key=value by the tool's own schema, and whole JSON objects.
#pragma once

#include <pfar/result.hpp>

#include <boost/json/fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pfar::cli {

struct TypedArguments {
    std::optional<std::string> whole; // --args
    std::vector<std::string> pairs;   // key=value; these win
};

/// An object on one line, numbers as they were typed. `schema`: null if it is not known. Errc::invalid: which one is wrong, and how. Pure.
Result<std::string> call_arguments(TypedArguments const& typed, boost::json::value const& schema);

} // namespace pfar::cli
