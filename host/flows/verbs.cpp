#include "flows/verbs.hpp"

#include <boost/json.hpp>

namespace pfar::flows {

boost::json::value make_handle(std::uint64_t number) {
    return boost::json::object{{handle_key, number}};
}

std::optional<std::uint64_t> handle_in(boost::json::value const& value) {
    auto const* const object = value.if_object();
    if (object == nullptr || object->size() != 1) return std::nullopt;
    auto const* const number = object->if_contains(handle_key);
    if (number == nullptr) return std::nullopt;
    boost::system::error_code error;
    auto const out = number->to_number<std::uint64_t>(error);
    return error ? std::nullopt : std::optional(out);
}

} // namespace pfar::flows
