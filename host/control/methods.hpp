// Methods: what may be asked over the control socket, by name, and who asks.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::control {

/// Whoever is connected. Kept by its connection and by whoever still has something to tell it. [main thread]
class Caller {
public:
    Caller() = default;
    Caller(Caller const&) = delete;
    Caller& operator=(Caller const&) = delete;
    virtual ~Caller() = default;

    /// Where it stands: names are resolved as seen from there. Empty until it said hello.
    [[nodiscard]] virtual std::filesystem::path directory() const = 0;
    [[nodiscard]] virtual pid_t pid() const = 0;
    /// A notification. Errc::unavailable if it is gone or does not read.
    virtual Result<void> tell(std::string_view method, std::string_view params_json) = 0;
    /// Called once when the connection has ended; soon, if it already has.
    /// The number is for no_matter().
    virtual std::uint64_t when_gone(std::function<void()> gone) = 0;
    /// Whoever asked for it under this number no longer cares.
    virtual void no_matter(std::uint64_t number) = 0;
};

/// `params` is JSON text, an object; "{}" if there were none. `descriptors` came beside the request.
struct Request {
    std::string method, params;
    std::vector<base::Fd> descriptors;
    std::shared_ptr<Caller> caller;
};

/// Answers with JSON text. Ended calls of a caller that is gone answer to nobody.
using Method = std::function<boost::asio::awaitable<Result<std::string>>(Request)>;
using Methods = std::map<std::string, Method, std::less<>>;

} // namespace pfar::control
