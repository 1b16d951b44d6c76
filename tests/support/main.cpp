// Runs the tests and tells at the end what was skipped and why. With CI=true a skip that is not in tests/known-skips fails.
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace {

std::vector<std::pair<std::string, std::string>> skipped; // test, reason
bool failed = false;

class SkipListener : public Catch::EventListenerBase {
public:
    using Catch::EventListenerBase::EventListenerBase;

    void assertionEnded(Catch::AssertionStats const& stats) override {
        if (stats.assertionResult.getResultType() == Catch::ResultWas::ExplicitSkip)
            skipped.emplace_back(current_, std::string(stats.assertionResult.getMessage()));
    }
    void testRunEnded(Catch::TestRunStats const& stats) override {
        failed = stats.totals.assertions.failed > 0 || stats.totals.testCases.failed > 0;
    }
    void testCaseStarting(Catch::TestCaseInfo const& info) override { current_ = info.name; }

private:
    std::string current_;
};

CATCH_REGISTER_LISTENER(SkipListener)

std::set<std::string> known_skips() {
    std::set<std::string> known;
    std::ifstream file(PFAR_KNOWN_SKIPS);
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') known.insert(line);
    return known;
}

} // namespace

int main(int argc, char** argv) {
    int const result = Catch::Session().run(argc, argv);
    char const* const ci = std::getenv("CI");
    bool const strict = ci != nullptr && std::string(ci) == "true";
    auto const known = known_skips();
    bool unexpected = false;
    for (auto const& [test, reason] : skipped) {
        bool const fails = strict && !known.contains(test);
        std::cout << (fails ? "SKIPPED, AND NOT IN tests/known-skips: " : "skipped: ") << test << ": " << reason
                  << "\n";
        unexpected = unexpected || fails;
    }
    bool const all_skipped = result != 0 && !failed && !skipped.empty(); // Catch2 calls that a failure
    return unexpected ? 1 : all_skipped ? 0 : result;
}
