// pfar-bench-gateway-client: a client that obeys orders on stdin, a line each, and answers each with a line of JSON. Started once for each way,
// it measures when its turn comes. Every answer is checked: that it was asked for, once, and that it says what it has to.
//   one N            a call at a time                      many N DEPTH     that many in flight, as many requests to a write as there is room for
//   each N DEPTH     the same, a write for each request    big N            1 MiB results, one at a time
//   paced SECONDS GAP   a call, then a pause of GAP microseconds
#include "gateway_client.hpp"
#include "gateway.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <sstream>

#include <sched.h>

namespace bench {
namespace {

constexpr std::string_view padding = "of the bench, with some more words behind it as a line of about 200 bytes takes";

class Client {
public:
    Client(std::unique_ptr<Way> way, std::string prefix) : way_(std::move(way)), prefix_(std::move(prefix)) {
        ask(R"("initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}})");
        way_->send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        way_->flush();
        if (ask(R"("tools/list")").find('"' + prefix_ + "echo\"") == std::string_view::npos) wrong("no tool echo", "");
    }

    std::string one(std::size_t count) {
        std::vector<double> times;
        for (std::size_t i = 0; i < count; ++i) times.push_back(time_of_one());
        return summary(times);
    }

    /// What is answered with an error is counted.
    std::string paced(double seconds, double gap) {
        std::vector<double> times;
        tolerant_ = true, failed_ = 0;
        for (auto const end = now() + seconds * 1e6; now() < end;) {
            times.push_back(time_of_one());
            if (gap > 0) ::usleep(static_cast<useconds_t>(gap));
        }
        tolerant_ = false;
        auto out = summary(times);
        out.insert(1, "\"failed\":" + std::to_string(failed_) + ",");
        return out;
    }

    std::string many(std::size_t count, std::size_t depth, bool write_each) {
        auto const begin = now();
        std::size_t sent = 0, got = 0;
        for (std::size_t room = depth; got < count;) {
            for (; room > 0 && sent < count; --room, ++sent) {
                send_call();
                if (write_each) way_->flush();
            }
            way_->flush();
            do
                if (take(way_->receive())) ++got, ++room;
            while (way_->has_more());
        }
        return "{\"per_s\":" + std::to_string(static_cast<double>(count) / (now() - begin) * 1e6) + "}";
    }

    std::string big(std::size_t count) {
        auto const begin = now();
        for (std::size_t i = 0; i < count; ++i) {
            auto const id = std::to_string(++id_);
            auto const answer = ask_as(id, R"("tools/call","params":{"name":")" + prefix_ + R"(big","arguments":{}})");
            auto const at = answer.find(R"("text":")");
            if (at == std::string_view::npos || answer.substr(at + 8, text_.size()) != text_)
                wrong("big", answer.substr(0, 2000));
        }
        return "{\"mib_s\":" + std::to_string(static_cast<double>(count) / (now() - begin) * 1e6) + "}";
    }

private:
    [[noreturn]] static void wrong(std::string_view what, std::string_view answer) {
        std::fprintf(stderr, "bench gateway: a wrong answer, %.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
                     static_cast<int>(answer.size()), answer.data());
        std::exit(1);
    }

    static std::string summary(std::vector<double>& times) {
        std::sort(times.begin(), times.end());
        auto const at = [&](double part) {
            return std::to_string(times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]);
        };
        return "{\"calls\":" + std::to_string(times.size()) + ",\"p50\":" + at(0.5) + ",\"p99\":" + at(0.99) +
               ",\"p999\":" + at(0.999) + ",\"max\":" + at(1) + "}";
    }

    std::string_view ask(std::string const& rest) { return ask_as(std::to_string(++id_), rest); }

    std::string_view ask_as(std::string const& id, std::string const& rest) {
        way_->send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + rest + "}");
        way_->flush();
        for (;;) {
            auto const answer = way_->receive();
            if (is_notification(answer)) continue;
            if (answer.find("\"id\":" + id) == std::string_view::npos ||
                answer.find("\"result\":") == std::string_view::npos)
                wrong(rest, answer);
            return answer;
        }
    }

    /// Nothing of the sort asks for anything here.
    static bool is_notification(std::string_view message) {
        return message.empty() || message.substr(0, 40).find("\"method\":") != std::string_view::npos;
    }

    double time_of_one() {
        auto const begin = now();
        send_call();
        way_->flush();
        while (!take(way_->receive())) {}
        return now() - begin;
    }

    void send_call() {
        auto const id = std::to_string(++id_);
        line_.clear();
        for (std::string_view const part :
             {std::string_view(R"({"jsonrpc":"2.0","id":)"), std::string_view(id),
              std::string_view(R"(,"method":"tools/call","params":{"name":")"), std::string_view(prefix_),
              std::string_view(R"(echo","arguments":{"text":"call )"), std::string_view(id), std::string_view(" "),
              padding, std::string_view("\"}}}")})
            line_ += part;
        way_->send(line_);
        open_.push_back(id_);
    }

    /// False if it answers nothing.
    bool take(std::string_view answer) {
        if (is_notification(answer)) return false;
        auto const at = answer.find("\"id\":");
        std::uint64_t id = 0;
        if (at != std::string_view::npos) std::from_chars(answer.data() + at + 5, answer.data() + answer.size(), id);
        auto const found = std::find(open_.begin(), open_.end(), id);
        if (found == open_.end()) wrong("nobody asked", answer);
        expected_ = "\"text\":\"call ";
        expected_ += std::to_string(id);
        expected_ += ' ';
        expected_ += padding;
        if (answer.find(expected_) == std::string_view::npos) {
            if (!tolerant_) wrong("echo", answer);
            if (failed_++ == 0)
                std::fprintf(stderr, "bench gateway: %.*s\n",
                             static_cast<int>(std::min<std::size_t>(answer.size(), 500)), answer.data());
        }
        open_.erase(found);
        return true;
    }

    std::unique_ptr<Way> way_;
    std::string prefix_, line_, expected_, text_ = big_text();
    std::vector<std::uint64_t> open_; // ids in flight, oldest first
    std::uint64_t id_ = 0, failed_ = 0;
    bool tolerant_ = false;
};

std::string obey(Client& client, std::string const& order) {
    std::istringstream words(order);
    std::string what;
    std::size_t count = 0, depth = 1;
    double seconds = 0, gap = 0;
    words >> what;
    if (what == "paced") return words >> seconds >> gap, client.paced(seconds, gap);
    words >> count >> depth;
    if (what == "one") return client.one(count);
    if (what == "many" || what == "each") return client.many(count, depth, what == "each");
    if (what == "big") return client.big(count);
    return R"({"error":"no such order"})";
}

void pin(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<unsigned>(core), &cores);
    if (::sched_setaffinity(0, sizeof cores, &cores) != 0) give_up("sched_setaffinity");
}

} // namespace
} // namespace bench

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    std::string prefix, url, token;
    std::size_t at = 0;
    for (; at + 1 < words.size() && words[at] != "--"; at += 2) {
        if (words[at] == "--core") bench::pin(std::atoi(words[at + 1].c_str()));
        if (words[at] == "--prefix") prefix = words[at + 1];
        if (words[at] == "--http") url = words[at + 1];
        if (words[at] == "--token") token = words[at + 1];
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(at + 1, words.size())));
    if (url.empty() == words.empty()) {
        std::fputs(
            "pfar-bench-gateway-client [--core N] [--prefix SERVER__] (--http URL [--token TOKEN] | -- COMMAND...)\n",
            stderr);
        return 64;
    }
    bench::Client client(url.empty() ? bench::over_pipes(words) : bench::over_http(url, token), prefix);
    for (std::string order; std::getline(std::cin, order);) std::cout << bench::obey(client, order) << std::endl;
}
