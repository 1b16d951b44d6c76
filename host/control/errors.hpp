// Errors over the control socket: JSON-RPC's error object, with pfar's own word for the kind beside the sentence.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <string_view>

namespace pfar::control {

/// {"code": ..., "message": the sentence, "data": {"errc": "not_found"}}
std::string error_object(Error const& error);
/// The other way. What is not understood is Errc::internal. Never throws on input.
Error error_in(std::string_view object);

} // namespace pfar::control
