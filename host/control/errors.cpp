#include "control/errors.hpp"

#include "base/text.hpp"
#include "wire/message.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace pfar::control {
namespace {

constexpr std::array<std::pair<std::string_view, Errc>, 10> words{{{"invalid", Errc::invalid},
                                                                   {"not_found", Errc::not_found},
                                                                   {"refused", Errc::refused},
                                                                   {"unsupported", Errc::unsupported},
                                                                   {"unavailable", Errc::unavailable},
                                                                   {"conflict", Errc::conflict},
                                                                   {"locked", Errc::locked},
                                                                   {"timeout", Errc::timeout},
                                                                   {"io", Errc::io},
                                                                   {"internal", Errc::internal}}};

std::string_view word_of(Errc code) {
    return std::find_if(words.begin(), words.end(), [&](auto const& known) { return known.second == code; })->first;
}

Errc code_of(boost::json::object const& error) {
    auto const* const data = error.if_contains("data");
    auto const* const object = data != nullptr ? data->if_object() : nullptr;
    auto const* const word = object != nullptr ? object->if_contains("errc") : nullptr;
    if (word == nullptr || !word->is_string()) return Errc::internal;
    std::string_view const said = word->get_string();
    auto const* const found =
        std::find_if(words.begin(), words.end(), [&](auto const& known) { return known.first == said; });
    return found == words.end() ? Errc::internal : found->second;
}

} // namespace

std::string error_object(Error const& error) {
    return boost::json::serialize(boost::json::object{
        {"code", wire::server_error}, {"message", error.what}, {"data", {{"errc", word_of(error.code)}}}});
}

Error error_in(std::string_view object) {
    boost::system::error_code bad;
    auto const parsed = boost::json::parse(object, bad);
    auto const* const error = bad ? nullptr : parsed.if_object();
    auto const* const message = error != nullptr ? error->if_contains("message") : nullptr;
    if (message == nullptr || !message->is_string())
        return fail(Errc::internal, "the host answered with an error that says nothing; pfar host restart may help");
    return fail(code_of(*error), base::printable(std::string_view(message->get_string())));
}

} // namespace pfar::control
