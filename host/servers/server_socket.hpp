// ServerSocket: the Unix socket of a server that does not speak over stdio, in a directory that only it and the host see.
#pragma once

#include "config/survey.hpp"
#include "servers/wish.hpp"
#include "wire/line_stream.hpp"

#include <boost/asio/awaitable.hpp>

namespace pfar::servers {

inline constexpr char const* socket_inside = "/run/pfar";

class ServerSocket {
public:
    /// Makes the directory below `run` and puts it into the wish; none if the file names no socket. Errc::unsupported together with file
    /// grants, where Unix sockets are denied. [may block]
    static Result<std::optional<ServerSocket>> make(config::SurveyedFile const& file, std::filesystem::path const& run,
                                                    Wish& wish);

    ServerSocket(ServerSocket&& other) noexcept
        : directory_(std::exchange(other.directory_, {})), name_(std::move(other.name_)) {}
    ServerSocket& operator=(ServerSocket&&) = delete;
    ~ServerSocket();

    /// Once the server listens; given up when the time has come, or it is over.
    boost::asio::awaitable<Result<wire::Ends>> connect(boost::asio::any_io_executor executor,
                                                       std::chrono::steady_clock::time_point late,
                                                       std::function<bool()> over);

private:
    ServerSocket(std::filesystem::path directory, std::string name)
        : directory_(std::move(directory)), name_(std::move(name)) {}
    [[nodiscard]] Result<base::Fd> try_connect() const;

    std::filesystem::path directory_;
    std::string name_;
};

} // namespace pfar::servers
