// A client of the host's control socket, as small as it can be: JSON-RPC lines, any number in flight.
#pragma once

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace test {

namespace json = boost::json;

class Control {
public:
    /// Connected and greeted, or not ok().
    explicit Control(std::filesystem::path const& socket, std::string const& directory = "/");
    Control(Control const&) = delete;
    Control& operator=(Control const&) = delete;
    Control(Control&& other) noexcept;
    ~Control();

    [[nodiscard]] bool ok() const { return fd_ >= 0; }
    [[nodiscard]] json::object const& greeting() const { return greeting_; }

    /// The id to wait for.
    std::int64_t send(std::string const& method, json::object const& params = {});
    /// The whole answer, with result or error; none if it does not come in time, or the host is gone.
    std::optional<json::object> wait(std::int64_t id, std::chrono::milliseconds patience = std::chrono::seconds(60));
    std::optional<json::object> ask(std::string const& method, json::object const& params = {});
    /// A notification that came or comes.
    std::optional<json::object> notification(std::chrono::milliseconds patience);
    [[nodiscard]] bool has(std::int64_t id) const { return answers_.contains(id); }
    /// Answers to ids that were answered before or never asked.
    [[nodiscard]] std::size_t strays() const { return strays_; }

private:
    bool hear(std::chrono::steady_clock::time_point late);
    void take(std::string_view line);

    int fd_ = -1;
    std::int64_t next_ = 0;
    std::size_t strays_ = 0;
    std::string unread_;
    json::object greeting_;
    std::map<std::int64_t, bool> open_;
    std::map<std::int64_t, json::object> answers_;
    std::vector<json::object> notifications_;
};

} // namespace test
