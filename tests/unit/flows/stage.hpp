// A script in a temporary directory, and verbs that a test plays.
#pragma once

#include "flows/runner.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>

#include <functional>

namespace pfar::flows::testing {

struct PlayedVerbs : Verbs {
    std::vector<std::string> said; // "verb [arguments]"
    std::function<Result<Done>(std::string_view, std::vector<boost::json::value>)> answer;

    Result<Done> run(std::string_view verb, std::vector<boost::json::value> arguments) override {
        boost::json::array const given(arguments.begin(), arguments.end());
        if (said.size() < 1000) said.push_back(std::string(verb) + " " + boost::json::serialize(given));
        return answer ? answer(verb, std::move(arguments)) : Result<Done>(Done{});
    }
};

struct Stage {
    test::TempDir directory;
    PlayedVerbs verbs;
    Flow flow;

    Stage() {
        flow.name = "try";
        flow.verbs = {"say", "ask", "config.write", "config.read", "store"};
    }
    std::filesystem::path write(std::string const& name, std::string_view text) const {
        return directory.write(name, text);
    }
    Result<boost::json::value> run(std::string_view text) {
        flow.script = write("try.lua", text);
        return run_flow(flow, verbs);
    }
    std::string returned(std::string_view text) {
        auto const out = run(text);
        return out ? boost::json::serialize(*out) : "error: " + out.error().what;
    }
};

} // namespace pfar::flows::testing
