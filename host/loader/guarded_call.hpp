// guarded_call: the one way into a plugin. An exception that comes out of it becomes an error with the plugin's name.
#pragma once

#include <pfar/result.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace pfar::loader {

/// Calls `function`, which returns a Result. [any thread]
template <class Function>
auto guarded_call(std::string_view plugin, std::string_view what, Function&& function) -> decltype(function()) {
    auto const thrown = [&](std::string_view why) {
        return fail(Errc::internal,
                    std::string("plugin ").append(plugin).append(" threw in ").append(what).append(": ").append(why));
    };
    try {
        return std::forward<Function>(function)();
    } catch (std::exception const& problem) {
        return thrown(problem.what() != nullptr ? problem.what() : "an exception without a reason");
    } catch (...) {
        return thrown("an exception of an unknown type");
    }
}

} // namespace pfar::loader
