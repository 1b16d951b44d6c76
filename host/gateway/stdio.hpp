// Stdio: a session over the two descriptors that an agent gave to `pfar serve`.
#pragma once

#include "gateway/party.hpp"
#include "wire/line_stream.hpp"

namespace pfar::gateway {

/// Lives until the agent or the session ends it; `ended` hears why once, empty if the agent closed its input. [main thread]
class Stdio final : public Outlet, public std::enable_shared_from_this<Stdio> {
public:
    using Ended = std::function<void(std::string const& why)>;

    Stdio(boost::asio::any_io_executor const& executor, wire::Ends ends, Ended ended);
    ~Stdio() override;

    /// From now on `party` hears.
    void start(std::shared_ptr<Party> party);
    /// Whoever started it is gone.
    void abandon(std::string const& why);

    void send(std::string message, Place place) override;
    [[nodiscard]] std::size_t waiting() const override { return stream_->waiting(); }
    void close(std::string const& why) override;

private:
    void hear(std::string_view line);
    void drained();
    void finish(std::string const& why);

    boost::asio::any_io_executor executor_;
    std::shared_ptr<wire::LineStream> stream_;
    std::shared_ptr<Party> party_;
    Ended ended_;
    std::optional<std::string> closing_;
};

} // namespace pfar::gateway
