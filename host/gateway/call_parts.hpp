// What the params of a request for a server consist of, and what has to change in them.
#pragma once

#include "pipeline/pipeline.hpp"
#include "wire/splice.hpp"

namespace pfar::gateway {

/// Every name and every place it stands in, in `params` that the call has.
struct CallParts {
    std::string_view name, arguments, meta, token;
    std::string_view task; // with its key: pfar has no tasks, so it is left out as MCP says
    bool more = false;     // something goes along besides these
};

/// Errc::invalid if they can be understood in two ways, or have no such name. Pure, as all of it.
Result<CallParts> cut(std::string_view params, std::string_view name_key, std::string_view arguments_key);

/// Nothing of the session's goes with it.
bool is_empty_object(std::string_view object);

/// The name as the server knows it.
std::vector<wire::Edit> renamed(std::string_view at, std::string const& asked, std::string const& own);

/// Params as they are sent: only what has to change changes; the token is known when it is sent. For the call to keep.
std::function<std::string(std::uint64_t)> with_edits(std::shared_ptr<pipeline::Call> const& call,
                                                     std::vector<wire::Edit> edits, std::string_view token);

} // namespace pfar::gateway
