// pfar-http as a process of its own, without a sandbox, talked to over pipes.
#pragma once

#include <boost/json.hpp>

#include <map>
#include <string>

namespace test {

class HttpProcess {
public:
    explicit HttpProcess(std::map<std::string, std::string> const& environment);
    HttpProcess(HttpProcess const&) = delete;
    HttpProcess& operator=(HttpProcess const&) = delete;
    ~HttpProcess(); // killed and reaped

    void send(std::string const& line) const;
    void call(int id, std::string const& tool, std::string const& arguments) const;
    /// The next line; null if none comes for 20 s, or it has ended.
    boost::json::value next();
    /// The result of a call that is the only one.
    boost::json::object result(std::string const& tool, std::string const& arguments);
    /// All its texts, one below the other.
    static std::string texts(boost::json::object const& result);
    void close_input();
    /// Its exit code or 128 + signal; -1 if it goes on for 10 s.
    int end();

private:
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1, last_ = 1000;
    std::string unread_;
};

} // namespace test
