// Connection: one caller of the control socket. It says hello first; then every request runs its method, several at once if it likes.
#pragma once

#include "control/methods.hpp"
#include "wire/peer.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>

namespace pfar::control {

/// What all connections have in common. Kept by them, because a method may outlive whoever listens.
struct Desk {
    Methods methods;
    std::function<void()> changed{}; // connections or requests came or went
    std::size_t in_flight = 0;
    bool leaving = false; // whoever says hello now is to look for the next host
};

class Connection final : public Caller, public std::enable_shared_from_this<Connection> {
public:
    /// `gone` is called once, never from within. [main thread, as all of it]
    struct Beginning {
        base::Fd socket; // not blocking
        pid_t pid;
        std::chrono::milliseconds patience; // for the hello
        std::function<void()> gone;
    };
    Connection(boost::asio::any_io_executor const& executor, std::shared_ptr<Desk> desk, Beginning beginning);

    void start();
    /// The caller sees the end. Methods that still run answer to nobody.
    void close();
    [[nodiscard]] bool greeted() const { return greeted_; }
    [[nodiscard]] std::size_t in_flight() const { return in_flight_; }

    [[nodiscard]] std::filesystem::path directory() const override { return directory_; }
    [[nodiscard]] pid_t pid() const override { return beginning_.pid; }
    Result<void> tell(std::string_view method, std::string_view params_json) override;
    std::uint64_t when_gone(std::function<void()> gone) override;
    void no_matter(std::uint64_t number) override { gone_.erase(number); }

private:
    void hear(wire::Message const& message);
    Result<void> admit(wire::Message const& message);
    void run(wire::Message const& message, Method const& method);
    void answer(std::string const& id, Result<std::string> const& answer);
    void end();
    void wait_for_hello();

    boost::asio::any_io_executor executor_;
    std::shared_ptr<Desk> desk_;
    Beginning beginning_;
    wire::Peer peer_;
    boost::asio::steady_timer hello_timer_;
    std::filesystem::path directory_;
    std::map<std::uint64_t, std::function<void()>> gone_;
    std::uint64_t next_gone_ = 0;
    std::size_t in_flight_ = 0;
    bool greeted_ = false, ended_ = false;
};

} // namespace pfar::control
