// What to write instead of a value of the wrong type.
#pragma once

#include "config/document.hpp"

#include <string>

namespace pfar::config {

enum class Wanted : std::uint8_t { text, flag, number, texts, table, tables, size, duration };

/// "text in quotes", "true or false, without quotes": what belongs there, in words.
std::string in_words(Wanted wanted);

/// The line to write, made from what was meant where that can be told; `quote`: false if the value may be a secret.
std::string remedy(Wanted wanted, std::string const& key, Node const& given, bool quote);

} // namespace pfar::config
