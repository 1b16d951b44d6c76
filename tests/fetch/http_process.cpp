#include "fetch/http_process.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

namespace test {

HttpProcess::HttpProcess(std::map<std::string, std::string> const& environment) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
    std::vector<std::string> words{"/usr/bin/env", "-i"};
    for (auto const& [name, value] : environment) words.push_back(name + "=" + value);
    words.emplace_back(PFAR_HTTP);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        if (::dup2(in[0], 0) < 0 || ::dup2(out[1], 1) < 0) ::_exit(125);
        ::execv(argv[0], argv.data());
        ::_exit(126);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
}

HttpProcess::~HttpProcess() {
    close_input();
    ::close(out_);
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void HttpProcess::send(std::string const& line) const {
    auto const whole = line + "\n";
    for (std::size_t gone = 0; gone < whole.size();) {
        auto const some = ::write(in_, whole.data() + gone, whole.size() - gone);
        if (some <= 0) throw std::runtime_error("it reads nothing");
        gone += static_cast<std::size_t>(some);
    }
}

void HttpProcess::call(int id, std::string const& tool, std::string const& arguments) const {
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{}}}}})", id,
                     tool, arguments));
}

boost::json::value HttpProcess::next() {
    for (;;) {
        if (auto const end = unread_.find('\n'); end != std::string::npos) {
            auto const line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return boost::json::parse(line);
        }
        pollfd ready{out_, POLLIN, 0};
        char place[65536];
        if (::poll(&ready, 1, 20000) <= 0) return nullptr;
        auto const got = ::read(out_, place, sizeof place);
        if (got <= 0) return nullptr;
        unread_.append(place, static_cast<std::size_t>(got));
    }
}

boost::json::object HttpProcess::result(std::string const& tool, std::string const& arguments) {
    call(++last_, tool, arguments);
    auto const answer = next();
    if (!answer.is_object() || answer.at("id") != boost::json::value(last_) || !answer.get_object().contains("result"))
        throw std::runtime_error("no result: " + boost::json::serialize(answer));
    return answer.at("result").as_object();
}

std::string HttpProcess::texts(boost::json::object const& result) {
    std::string out;
    for (auto const& item : result.at("content").as_array())
        if (auto const* const text = item.as_object().if_contains("text")) out += std::string(text->as_string()) + "\n";
    return out;
}

void HttpProcess::close_input() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
}

int HttpProcess::end() {
    for (int tries = 0, status = 0; tries < 1000; ++tries, ::poll(nullptr, 0, 10))
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            pid_ = -1;
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
    return -1;
}

} // namespace test
