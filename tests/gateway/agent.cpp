#include "gateway/agent.hpp"

#include <catch2/catch_message.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become_serve(std::vector<std::string> const& words, unsigned uid, int in, int out) {
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0) ::_exit(125);
    become(words, uid);
}

} // namespace

Agent::Agent(Stage const& stage, Task const& task) {
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) return;
    if (stage.setting().uid != 0) { // whoever runs serve opens them anew
        (void)!::fchown(to[0], stage.setting().uid, stage.setting().uid);
        (void)!::fchown(from[1], stage.setting().uid, stage.setting().uid);
    }
    std::vector<std::string> arguments{"serve"};
    arguments.insert(arguments.end(), task.options.begin(), task.options.end());
    auto const words = stage.words(arguments);
    pid_ = ::fork();
    if (pid_ == 0) become_serve(words, stage.setting().uid, to[0], from[1]);
    ::close(to[0]), ::close(from[1]);
    in_ = to[1], out_ = from[0];
    greeting_ = ask("initialize", {{"protocolVersion", task.protocol},
                                   {"capabilities", task.capabilities},
                                   {"clientInfo", {{"name", task.name}, {"version", "1"}}}});
    tell("notifications/initialized");
}

Agent::~Agent() {
    kill();
    ::close(out_);
}

void Agent::kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    close_input();
}

void Agent::close_input() {
    if (in_ >= 0) ::close(std::exchange(in_, -1));
}

int Agent::end() {
    close_input();
    int status = 0;
    for (auto const late = Clock::now() + std::chrono::seconds(20); Clock::now() < late; ::poll(nullptr, 0, 10))
        if (::waitpid(pid_, &status, WNOHANG) == pid_)
            return pid_ = -1, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return -1;
}

void Agent::send_raw(std::string const& line) {
    std::string_view rest = line;
    while (!rest.empty()) {
        auto const put = ::write(in_, rest.data(), rest.size());
        if (put <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(put));
    }
}

std::int64_t Agent::send(std::string const& method, json::object const& params) {
    send_raw(
        json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", ++next_}, {"method", method}, {"params", params}}) +
        "\n");
    return next_;
}

void Agent::tell(std::string const& method, json::object const& params) {
    send_raw(json::serialize(json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}) + "\n");
}

void Agent::answer(json::value const& id, json::object const& result) {
    send_raw(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}) + "\n");
}

bool Agent::hear(Clock::time_point late) {
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(late - Clock::now()).count();
    pollfd wait{out_, POLLIN, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) return false;
    std::string piece(1U << 16U, '\0');
    auto const got = ::read(out_, piece.data(), piece.size());
    if (got <= 0) return false;
    unread_.append(piece, 0, static_cast<std::size_t>(got));
    for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
        take(std::string_view(unread_).substr(0, end));
        unread_.erase(0, end + 1);
    }
    return true;
}

void Agent::take(std::string_view line) {
    everything_.append(line).append("\n");
    auto message = json::parse(line).as_object();
    if (!message.contains("method")) {
        if (message.at("id").is_int64()) answers_[message.at("id").as_int64()] = std::move(message);
    } else if (!message.contains("id"))
        notifications_.push_back(std::move(message));
    else {
        ++requests;
        if (answers_with) return answer(message.at("id"), *answers_with);
        requests_.push_back(std::move(message));
    }
}

json::object Agent::wait(std::int64_t id, unsigned seconds) {
    auto const late = Clock::now() + std::chrono::seconds(seconds);
    while (!answers_.contains(id) && hear(late)) {}
    auto const found = answers_.extract(id);
    return found.empty() ? json::object() : found.mapped();
}

json::object Agent::ask(std::string const& method, json::object const& params, unsigned seconds) {
    return wait(send(method, params), seconds);
}

std::int64_t Agent::begin_call(std::string const& tool, json::object const& arguments) {
    return send("tools/call", {{"name", tool}, {"arguments", arguments}});
}

Called Agent::call(std::string const& tool, json::object const& arguments, unsigned seconds) {
    auto const answer = wait(begin_call(tool, arguments), seconds);
    auto out = HostStage::called(answer.empty() ? std::nullopt : std::optional(answer));
    if (!out.ok) UNSCOPED_INFO(tool << ": " << out.text.substr(0, 1000));
    return out;
}

json::object Agent::request(unsigned seconds) {
    auto const late = Clock::now() + std::chrono::seconds(seconds);
    while (requests_.empty() && hear(late)) {}
    if (requests_.empty()) return {};
    auto out = std::move(requests_.front());
    requests_.pop_front();
    return out;
}

json::object Agent::notification(std::string const& method, unsigned seconds) {
    auto const late = Clock::now() + std::chrono::seconds(seconds);
    do {
        auto const found = std::find_if(notifications_.begin(), notifications_.end(),
                                        [&](auto const& one) { return one.at("method") == json::value(method); });
        if (found == notifications_.end()) continue;
        auto out = std::move(*found);
        notifications_.erase(found);
        return out;
    } while (hear(late));
    return {};
}

void Agent::hear_all() {
    while (hear(Clock::now() + std::chrono::milliseconds(300))) {}
}

} // namespace test
