// Runs a real program and keeps what it said.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace test {

struct Outcome {
    int status = -1; // exit code, or 128 + signal
    std::string out, err;
};

struct Invocation {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment; // added to the tests' own
    std::filesystem::path directory;                // empty: the tests' own
    std::string input;
    unsigned uid = 0;        // not 0: run as this user (the test has to be root)
    unsigned patience = 120; // seconds, then it is ended
};

/// True if `part` occurs in `text`; shows the text if the check around it fails.
bool has(std::string const& text, std::string const& part);

/// Ends it when its patience is over.
Outcome run(Invocation const& invocation);

/// The built pfar, with this home directory.
Outcome pfar(std::filesystem::path const& home, std::vector<std::string> arguments,
             std::filesystem::path const& directory = "/");

} // namespace test
