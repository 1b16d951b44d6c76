// What comes back from a server, made ready for the session: judged by its schema, and marked with its label.
#pragma once

#include "pipeline/offer.hpp"

namespace pfar::pipeline {

/// A result, cut once.
struct Output {
    std::string_view meta, structured; // `_meta` and structuredContent as they stand there; may be empty
    bool says_error = false;
};

/// Errc::invalid if it is no object, or could be understood in two ways.
Result<Output> read_output(std::string_view result);

/// Errc::invalid with the JSON pointer of what breaks the tool's outputSchema.
Result<void> check_output(Tool const& tool, Output const& output);

/// Puts `_meta["pfar/label"]` behind everything else. What the server itself says under pfar/ is taken out. `output` is of this very result.
void put_label(std::string& result, Output const& output, base::Label label);

} // namespace pfar::pipeline
