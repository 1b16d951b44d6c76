// A host in front of services that nobody has connected yet, and an owner who fills in pages: what an agent's own tools are tried with.
#pragma once

#include "gateway/agent.hpp"
#include "support/temp_dir.hpp"
#include "unit/gateway/http_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>
#include <stdexcept>

namespace test {

inline bool says(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

/// The page for a secret as a browser sees it.
class OwnersPage {
public:
    explicit OwnersPage(std::string const& url) : path_(url.substr(url.find('/', 8))) {
        port_ = static_cast<std::uint16_t>(std::stoul(url.substr(std::string("http://127.0.0.1:").size())));
    }
    [[nodiscard]] HttpAnswer look() const { return talk("GET", ""); }
    /// Types it in and presses Save; only what needs no escaping in a form.
    [[nodiscard]] HttpAnswer fill(std::string const& secret) const {
        auto const page = look().body;
        auto const at = page.find("name=\"mark\" value=\"") + 19;
        return talk("POST", "mark=" + page.substr(at, page.find('"', at) - at) + "&value=" + secret);
    }
    /// Presses Cancel.
    [[nodiscard]] HttpAnswer cancel() const { return fill("&act=cancel"); }
    /// Nobody listens there any more, or it says that it is over.
    [[nodiscard]] bool is_closed() const {
        try {
            auto const answer = look();
            return answer.status == 0 || answer.status == 410;
        } catch (std::runtime_error const&) {
            return true;
        }
    }

private:
    [[nodiscard]] HttpAnswer talk(std::string const& method, std::string const& form) const {
        auto const authority = "127.0.0.1:" + std::to_string(port_);
        auto text = method + " " + path_ + " HTTP/1.1\r\nHost: " + authority + "\r\n";
        if (method == "POST")
            text += "Origin: http://" + authority + "\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
                    "Content-Length: " + std::to_string(form.size()) + "\r\n";
        HttpTalk connection(port_);
        connection.say(text + "\r\n" + form);
        return connection.hear();
    }
    std::string path_;
    std::uint16_t port_;
};

/// The templates of the flow tests; even where nothing else asks, pfar's own tools do.
class ConnectStage : public HostStage {
public:
    explicit ConnectStage(std::string const& more = "") : HostStage(somebody()) {
        environment.emplace_back("PATH=" PFAR_FIXTURES ":/usr/local/bin:/usr/bin:/bin");
        write("home/.pfar/pfar.toml", "[policy]\napprove = \"never\"\napprove_without_terminal = true\n" + more);
        write("home/.pfar/templates/fixture.toml", test::read(PFAR_SOURCE "/tests/flows/fixture.toml"));
        REQUIRE(begin());
    }
    json::array open() { return ask("approvals").as_array(); }
    json::object only() {
        REQUIRE(soon([&] { return open().size() == 1; }));
        return open().at(0).as_object();
    }
    /// The owner says yes in a terminal.
    void approves() {
        auto const done = pfar({"approve", std::string(only().at("id").as_string())});
        INFO(done.out << done.err);
        REQUIRE(done.status == 0);
    }
    /// Files below the stage, the host's log included, in which this stands.
    [[nodiscard]] std::vector<std::filesystem::path> files_with(std::string const& text) const {
        std::vector<std::filesystem::path> out;
        for (auto const& file : paths_below(path()))
            if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file)) && says(test::read(file), text))
                out.push_back(file);
        return out;
    }
    /// What connecting leaves: files, packages, state, journals, secrets.
    [[nodiscard]] std::vector<std::string> left() const {
        std::vector<std::string> out;
        for (auto const* const part : {"mcp", "mcp-servers", "state", "run/flows"}) {
            std::error_code error;
            for (std::filesystem::directory_iterator at(pfar_home() / part, error), end; !error && at != end;
                 at.increment(error))
                out.push_back(std::string(part) + "/" + at->path().filename().native());
        }
        auto const kept = json::parse(pfar({"vault", "list", "--json"}).out);
        for (auto const& entry : kept.as_array()) out.push_back("vault " + std::string(entry.at("name").as_string()));
        return out;
    }
};

inline Agent::Task with_forms_and_pages() {
    return {{{"elicitation", {{"form", json::object()}, {"url", json::object()}}}}, "modern"};
}
inline Agent::Task with_forms() {
    return {{{"elicitation", json::object()}}, "forms"};
}

inline json::object const agrees{{"action", "accept"}, {"content", json::object()}}, declines{{"action", "decline"}};

/// Not like any real one, and new in each run of the tests.
inline std::string right_token() {
    static auto const mine = "right-" + std::to_string(std::random_device()()) + std::to_string(std::random_device()());
    return mine;
}

/// The message of a question; it has to have come.
inline std::string words_of(json::object const& asked) {
    REQUIRE_FALSE(asked.empty());
    return std::string(asked.at("params").at("message").as_string());
}
/// The question that is the page for a secret; accepted, as clients do once they have shown it.
inline std::string page_of(Agent& agent) {
    auto const asked = agent.request();
    INFO(json::serialize(asked));
    REQUIRE_FALSE(asked.empty());
    REQUIRE(asked.at("params").as_object().contains("url"));
    CHECK(asked.at("params").at("mode") == "url");
    CHECK_FALSE(asked.at("params").at("elicitationId").as_string().empty());
    agent.answer(asked.at("id"), {{"action", "accept"}});
    return std::string(asked.at("params").at("url").as_string());
}
/// The link in an answer's text.
inline std::string link_in(std::string const& text) {
    auto const at = text.find("http://127.0.0.1:");
    INFO(text);
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find_first_of(" \n", at) - at);
}
inline bool has_tool(Agent& agent, std::string const& name) {
    auto const listed = agent.ask("tools/list");
    for (auto const& tool : listed.at("result").at("tools").as_array())
        if (tool.at("name") == json::value(name)) return true;
    return false;
}

} // namespace test
