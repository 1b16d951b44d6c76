#include "servers/control.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;

int connected(std::filesystem::path const& path) {
    int const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    ::close(fd);
    return -1;
}

} // namespace

Control::Control(std::filesystem::path const& socket, std::string const& directory) : fd_(connected(socket)) {
    if (fd_ < 0) return;
    auto const hello = wait(send("hello", {{"version", "test"}, {"build", "test"}, {"directory", directory}}),
                            std::chrono::seconds(5));
    if (hello && hello->contains("result"))
        greeting_ = hello->at("result").as_object();
    else
        ::close(std::exchange(fd_, -1));
}

Control::Control(Control&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), next_(other.next_), strays_(other.strays_), unread_(std::move(other.unread_)),
      greeting_(std::move(other.greeting_)), open_(std::move(other.open_)), answers_(std::move(other.answers_)),
      notifications_(std::move(other.notifications_)) {}

Control::~Control() {
    if (fd_ >= 0) ::close(fd_);
}

std::int64_t Control::send(std::string const& method, json::object const& params) {
    auto const line =
        json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", ++next_}, {"method", method}, {"params", params}}) +
        "\n";
    open_[next_] = true;
    std::string_view rest = line;
    while (!rest.empty()) {
        auto const put = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (put <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(put));
    }
    return next_;
}

bool Control::hear(Clock::time_point late) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(late - Clock::now()).count();
    pollfd wait{fd_, POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
    std::string piece(1U << 20U, '\0');
    auto const got = ::recv(fd_, piece.data(), piece.size(), 0);
    if (got <= 0) return false;
    unread_.append(piece, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n', begin)) {
        take(std::string_view(unread_).substr(begin, end - begin));
        begin = end + 1;
    }
    unread_.erase(0, begin);
    return true;
}

void Control::take(std::string_view line) {
    auto message = json::parse(line).as_object();
    auto const* const id = message.if_contains("id");
    if (id == nullptr) return notifications_.push_back(std::move(message));
    auto const number = id->is_int64() ? id->get_int64() : -1;
    if (open_.erase(number) == 0)
        ++strays_;
    else
        answers_[number] = std::move(message);
}

std::optional<json::object> Control::wait(std::int64_t id, std::chrono::milliseconds patience) {
    auto const late = Clock::now() + patience;
    while (!answers_.contains(id))
        if (fd_ < 0 || !hear(late)) return {};
    return std::move(answers_.extract(id).mapped());
}

std::optional<json::object> Control::ask(std::string const& method, json::object const& params) {
    return wait(send(method, params));
}

std::optional<json::object> Control::notification(std::chrono::milliseconds patience) {
    auto const late = Clock::now() + patience;
    while (notifications_.empty())
        if (!hear(late)) return {};
    auto first = std::move(notifications_.front());
    notifications_.erase(notifications_.begin());
    return first;
}

} // namespace test
