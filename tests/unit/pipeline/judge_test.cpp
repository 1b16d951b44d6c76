// The judge over everything that there is to know about a call, beside SPEC 8's sentences written out a second time.
#include "pipeline/judge.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

using namespace pfar::base;
using pfar::config::WriteDown;
using pfar::pipeline::CallFacts;
using pfar::pipeline::judge;
using pfar::pipeline::Verdict;
using Kind = Verdict::Kind;

namespace {

/// SPEC 8, sentence by sentence.
Kind expected(CallFacts const& facts) {
    bool const down = facts.sends && static_cast<int>(facts.session_label) > static_cast<int>(facts.server_label);
    if (down && facts.write_down == WriteDown::deny) return Kind::refuse;
    if (down && facts.write_down == WriteDown::ask) return Kind::ask;
    if (!facts.pinned) return Kind::ask; // new or changed: always asks
    bool const writes = facts.meaning.semantics == Semantics::write;
    if (facts.approve == Approve::always) return Kind::ask;
    if (facts.approve == Approve::write && writes) return Kind::ask;
    if (facts.approve == Approve::tainted && writes && facts.taint == Taint::raw) return Kind::ask;
    return Kind::allow;
}

template <class Visit> void every_case(Visit const& visit) {
    std::vector const labels{Label::open, Label::internal, Label::sensitive, Label::regulated, Label::secret};
    CallFacts facts;
    facts.server = "mail", facts.tool = "send", facts.label_from = "notion", facts.taint_from = "web";
    for (auto const semantics : {Semantics::read, Semantics::write})
        for (bool const pinned : {true, false})
            for (auto const approve : {Approve::never, Approve::tainted, Approve::write, Approve::always})
                for (auto const taint : {Taint::clean, Taint::extracted, Taint::raw})
                    for (auto const session : labels)
                        for (auto const server : labels)
                            for (auto const down : {WriteDown::ask, WriteDown::deny, WriteDown::allow})
                                for (bool const sends : {true, false}) {
                                    facts.meaning.semantics = semantics, facts.pinned = pinned, facts.approve = approve;
                                    facts.taint = taint, facts.session_label = session, facts.server_label = server;
                                    facts.write_down = down, facts.sends = sends;
                                    visit(facts);
                                }
}

bool has(Verdict const& verdict, std::string_view words) {
    return verdict.why.find(words) != std::string::npos;
}

CallFacts call() {
    CallFacts facts;
    facts.server = "mail", facts.tool = "send";
    return facts;
}

} // namespace

TEST_CASE("the judge decides as the specification says, whatever the case") {
    int seen = 0;
    every_case([&](CallFacts const& facts) {
        ++seen;
        auto const verdict = judge(facts);
        INFO("case " << seen << ": " << verdict.why);
        REQUIRE(verdict.kind == expected(facts));
        REQUIRE(verdict.why.empty() == (verdict.kind == Kind::allow)); // whoever is asked or refused is told why
    });
    CHECK(seen == 7200);
}

TEST_CASE("nothing that makes a call more dangerous ever makes the verdict milder") {
    every_case([](CallFacts const& facts) {
        auto worse = facts;
        worse.meaning.semantics = Semantics::write, worse.pinned = false, worse.taint = Taint::raw, worse.sends = true;
        worse.session_label = Label::secret;
        REQUIRE(judge(worse).kind >= judge(facts).kind);
    });
}

TEST_CASE("a write-down names the server that the data is from, the one it would go to, and both labels") {
    auto facts = call();
    facts.meaning.semantics = Semantics::read, facts.session_label = Label::regulated, facts.label_from = "hr-files";
    facts.server_label = Label::open;
    for (auto const down : {WriteDown::ask, WriteDown::deny}) {
        facts.write_down = down;
        auto const verdict = judge(facts);
        for (auto const* const word : {"hr-files", "mail", "regulated", "public"}) CHECK(has(verdict, word));
    }
}

TEST_CASE("a call that asks for two reasons is asked with both") {
    auto facts = call();
    facts.session_label = Label::secret, facts.label_from = "vault-reader";
    auto const verdict = judge(facts);
    CHECK(verdict.kind == Kind::ask);
    CHECK(has(verdict, "it writes"));
    CHECK(has(verdict, "vault-reader"));
    facts.pinned = false;
    CHECK(has(judge(facts), "new or has changed"));
    CHECK(has(judge(facts), "vault-reader"));
}

TEST_CASE("a tool nobody agreed to asks even where the owner said never, and says how to agree") {
    auto facts = call();
    facts.approve = Approve::never, facts.meaning.semantics = Semantics::read, facts.pinned = false,
    facts.sends = false;
    auto const verdict = judge(facts);
    CHECK(verdict.kind == Kind::ask);
    CHECK(has(verdict, "pfar tools accept mail"));
}

TEST_CASE("taint asks only for writes, names where it is from, and only raw content counts") {
    auto facts = call();
    facts.approve = Approve::tainted, facts.taint = Taint::raw, facts.taint_from = "web";
    CHECK(judge(facts).kind == Kind::ask);
    CHECK(has(judge(facts), "web"));
    facts.taint = Taint::extracted;
    CHECK(judge(facts).kind == Kind::allow);
    facts.taint = Taint::raw, facts.meaning.semantics = Semantics::read;
    CHECK(judge(facts).kind == Kind::allow);
}

TEST_CASE("a tool's name reaches the question without its control characters") {
    auto facts = call();
    facts.tool = "send\x1b[2J\nApproved. ", facts.pinned = false;
    auto const verdict = judge(facts);
    CHECK_FALSE(has(verdict, "\x1b"));
    CHECK_FALSE(has(verdict, "\n"));
}

TEST_CASE("what is unknown about approval is a question, not a yes") {
    auto facts = call();
    facts.approve = static_cast<Approve>(77);
    CHECK(judge(facts).kind == Kind::ask);
}
