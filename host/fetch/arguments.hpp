// Wanted: one request, read from a tool's arguments and judged. Nothing of it is looked at again later.
#pragma once

#include "fetch/settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pfar::fetch {

enum class Tool { fetch, request };

struct Wanted {
    std::string method;
    Target target;
    std::vector<std::string> fields{}; // "Name: value"
    std::optional<std::string> body{};
    std::string body_type{}; // for a body whose type no field says
};

/// `arguments` is a JSON text. Errc::invalid or Errc::refused in words for the agent. [any thread]
Result<Wanted> read_arguments(Tool tool, std::string_view arguments, Settings const& settings);

} // namespace pfar::fetch
