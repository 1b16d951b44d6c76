// The owner's page as a browser would use it; tests/gateway has a real one.
#include "gateway/http_html.hpp"
#include "support/process.hpp"
#include "unit/gateway/http_world.hpp"

#include <catch2/catch_test_macros.hpp>

using test::Fields;
using test::has;
using test::HttpAnswer;
using test::HttpWorld;

namespace {

constexpr char const* one_approval =
    R"([{"id":"a1","session":"stdio-1","server":"files","tool":"write","arguments":{"path":"/x","text":"<b>&"},"why":"it writes","expires_in":590}])";

struct Browser {
    HttpWorld& world;
    std::string cookie{};

    HttpAnswer get(std::string const& path = "/") const { return world.ask("GET", path, fields({})); }
    HttpAnswer post(std::string const& path, std::string const& form, Fields more = {}) const {
        more.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        return world.ask("POST", path, fields(std::move(more)), form);
    }
    HttpAnswer log_in(std::string const& token = test::owners_token) {
        auto out = post("/login", "token=" + token);
        auto const set = out.field("set-cookie");
        cookie = set.substr(0, set.find(';'));
        return out;
    }
    [[nodiscard]] std::string form() const {
        auto const page = get().body;
        auto const at = page.find("name=\"form\" value=\"") + 19;
        return page.substr(at, page.find('"', at) - at);
    }

private:
    [[nodiscard]] Fields fields(Fields more) const {
        if (!cookie.empty()) more.emplace_back("Cookie", "other=1; " + cookie);
        return more;
    }
};

} // namespace

TEST_CASE("without a login there is only the form for one") {
    HttpWorld world;
    world.on_thread([&] { world.approvals = one_approval; });
    Browser const browser{world};
    auto const page = browser.get();
    CHECK(page.status == 200);
    CHECK(has(page.body, "run/owner-token in your pfar home"));
    CHECK(page.body.find("files") == std::string::npos);
    CHECK(browser.post("/approve", "id=a1").status == 403);
    CHECK(world.ask("POST", "/approve", test::agent({{"Content-Type", "application/x-www-form-urlencoded"}}), "id=a1")
              .status == 403);
    CHECK(world.decided.empty());
}

TEST_CASE("the owner's token logs in, the agents' does not") {
    HttpWorld world;
    Browser browser{world};
    CHECK(browser.log_in(test::agents_token).status == 403);
    CHECK(browser.cookie.empty());
    auto const in = browser.log_in();
    CHECK(in.status == 303);
    CHECK(in.field("location") == "/");
    auto const cookie = in.field("set-cookie");
    for (auto const* const part : {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"}) CHECK(has(cookie, part));
    CHECK(has(browser.get().body, "Log out"));
}

TEST_CASE("the page shows servers, approvals and blocked domains, and nothing of it is markup") {
    HttpWorld world;
    world.on_thread([&] {
        world.approvals = one_approval;
        world.servers =
            R"([{"name":"files","state":"failed","label":"public","tools":3,"reason":"<script>alert(1)</script>\u202e"}])";
        world.blocked =
            R"([{"server":"files","domain":"\"><img src=x>","why":"no","remedy":"pfar allow files x","count":7}])";
    });
    Browser browser{world};
    browser.log_in();
    auto const page = browser.get();
    for (auto const* const part :
         {"files.write", "&lt;b&gt;&amp;", "it writes", "stdio-1", "590 s", "Approve once", "Approve for this session",
          "Deny", "&lt;script&gt;", "pfar allow files x", "<td>7</td>", "<td>3</td>", "failed"})
        CHECK(has(page.body, part));
    for (auto const* const part : {"<script", "<img", "\u202e", "http://", "https://"})
        CHECK(page.body.find(part) == std::string::npos);
}

TEST_CASE("every page forbids what it does not need") {
    HttpWorld world;
    Browser browser{world};
    for (auto const in : {false, true}) {
        if (in) browser.log_in();
        auto const page = browser.get();
        CHECK(has(page.field("content-security-policy"), "default-src 'none'; style-src 'sha256-"));
        CHECK(has(page.field("content-security-policy"), "frame-ancestors 'none'"));
        CHECK(has(page.field("content-security-policy"), "form-action 'self'"));
        CHECK(page.field("x-content-type-options") == "nosniff");
        CHECK(page.field("referrer-policy") == "same-origin");
        CHECK(page.field("cache-control") == "no-store");
    }
}

TEST_CASE("approve and deny do what they say, once the form is the page's own") {
    HttpWorld world;
    Browser browser{world};
    browser.log_in();
    auto const decide = [&](std::string const& path, std::string const& form, Fields more = {}) {
        world.on_thread([&] { world.approvals = one_approval; });
        return browser.post(path, form, std::move(more)).status;
    };
    auto const mark = "form=" + browser.form();
    CHECK(decide("/approve", "id=a1") == 403);
    CHECK(decide("/approve", "id=a1&form=" + std::string(64, '0')) == 403);
    CHECK(decide("/approve", mark + "&id=a1", {{"Origin", "http://localhost:9999"}}) == 403);
    CHECK(decide("/approve", mark + "&id=a1", {{"Origin", "null"}}) == 403);
    CHECK(decide("/approve", mark + "&id=a1", {{"Sec-Fetch-Site", "cross-site"}}) == 403);
    CHECK(decide("/approve", mark + "&id=a1", {{"Sec-Fetch-Site", "same-site"}}) == 403);
    CHECK(world.ask("GET", "/approve?" + mark + "&id=a1", {{"Cookie", browser.cookie}}).status == 405);
    CHECK(world.decided.empty());
    CHECK(decide("/approve", mark + "&id=a1", {{"Origin", "http://127.0.0.1"}, {"Sec-Fetch-Site", "same-origin"}}) ==
          303);
    CHECK(has(browser.get().body, "Approved once."));
    CHECK(browser.get().body.find("Approved once.") == std::string::npos); // it is said once
    CHECK(decide("/approve", mark + "&id=a1&for=session") == 303);
    CHECK(decide("/deny", mark + "&id=a%31") == 303);
    CHECK(world.decided == std::vector<std::string>{"approve a1", "approve a1 for session", "deny a1"});
    CHECK(decide("/approve", mark + "&id=gone") == 303);
    CHECK(has(browser.get().body, "there is no &lt;approval&gt; gone"));
}

TEST_CASE("one login's form is not another's") {
    HttpWorld world;
    Browser mine{world}, other{world};
    mine.log_in();
    other.log_in();
    CHECK(mine.form() != other.form());
    CHECK(mine.post("/approve", "id=a1&form=" + other.form()).status == 403);
}

TEST_CASE("a form of another kind than a browser's is refused") {
    HttpWorld world;
    Browser browser{world};
    browser.log_in();
    CHECK(world
              .ask("POST", "/approve", {{"Cookie", browser.cookie}, {"Content-Type", "text/plain"}},
                   "form=" + browser.form() + "&id=a1")
              .status == 403);
    CHECK(world.ask("POST", "/approve", {{"Cookie", browser.cookie}}, "form=" + browser.form() + "&id=a1").status ==
          403);
    CHECK(browser.post("/approve", std::string(20000, 'x')).status == 413);
}

TEST_CASE("logging out ends the login, and its time does too") {
    HttpWorld::Wish wish;
    HttpWorld world(wish);
    Browser browser{world};
    browser.log_in();
    auto const mark = "form=" + browser.form();
    auto const cookie = browser.cookie;
    CHECK(browser.post("/logout", "form=x").status == 403);
    CHECK(browser.post("/logout", mark).status == 303);
    browser.cookie = cookie;
    CHECK(has(browser.get().body, "Owner's token"));
    CHECK(browser.post("/approve", mark + "&id=a1").status == 403);

    wish.limits.login = std::chrono::milliseconds(0);
    HttpWorld brief(wish);
    Browser late{brief};
    late.log_in();
    CHECK(has(late.get().body, "Owner's token"));
}

TEST_CASE("at most sixteen logins: the oldest goes") {
    HttpWorld world;
    Browser first{world};
    first.log_in();
    for (int i = 0; i < 16; ++i) Browser{world}.log_in();
    CHECK(has(first.get().body, "Owner's token"));
}

TEST_CASE("wrong tokens are counted, and do not lock the owner out") {
    HttpWorld::Wish wish;
    wish.limits.penance = std::chrono::milliseconds(1);
    HttpWorld world(wish);
    Browser browser{world};
    for (int i = 0; i < 5; ++i) CHECK(browser.log_in("wrong").status == 403);
    CHECK(browser.log_in("wrong").status == 429);
    CHECK(browser.log_in().status == 303);
}

TEST_CASE("a browser that comes from another page cannot log somebody in") {
    HttpWorld world;
    Browser const browser{world};
    auto const form = std::string("token=") + test::owners_token;
    CHECK(browser.post("/login", form, {{"Origin", "http://localhost:1234"}}).status == 403);
    CHECK(browser.post("/login", form, {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
}

TEST_CASE("arguments are laid out, escaped and cut") {
    using pfar::gateway::pretty_html;
    CHECK(pretty_html(R"({"a":[1,{"b":"<"}],"c":{},"d":[]})", 4096) ==
          "{\n  &quot;a&quot;: [\n    1,\n    {\n      &quot;b&quot;: &quot;&lt;&quot;\n    }\n  ],\n  &quot;c&quot;: "
          "{},\n  &quot;d&quot;: []\n}");
    auto const cut = pretty_html("\"" + std::string(10000, 'x') + "\"", 4096);
    CHECK(cut.size() < 4300);
    CHECK(has(cut, "4096 of 10002 bytes"));
    CHECK(has(pretty_html("\"" + std::string(4094, 'x') + "\u00e4\"", 4096), "cut: 4095 of"));
    CHECK(has(pretty_html("\"\u202e\x7f\"", 4096), "\\u202e\\u007f"));
    CHECK(pretty_html(std::string(100000, '['), 200000).size() < 100000 * 70);
}
