// The page that asks for a secret, by clients that speak HTTP by hand, and once in a real browser.
#include "gateway/secret_page.hpp"
#include "support/process.hpp"
#include "unit/gateway/http_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <csignal>
#include <future>
#include <thread>

using namespace pfar;
using gateway::SecretPage;
using gateway::SecretRequest;
using test::Fields;
using test::has;
using test::HttpAnswer;

namespace {

SecretRequest notion(std::chrono::seconds life = std::chrono::seconds(60)) {
    return {"Connect <Notion>",
            "Paste the \"token\" & press Save",
            "https://notion.so/profile/integrations?a=b&c=d",
            "",
            false,
            "ntn_",
            life,
            "It installs <things>.",
            [](Secret const& value) { return value.reveal() == "ntn_short" ? "it is too short" : ""; }};
}

class Page {
public:
    explicit Page(SecretRequest request = notion()) : busy_(boost::asio::make_work_guard(context_)) {
        std::signal(SIGPIPE, SIG_IGN);
        thread_ = std::thread([this] { context_.run(); });
        on_thread([&] {
            page_ = SecretPage::open(context_.get_executor(), std::move(request), [this](Result<Secret> said) {
                        ++answers_;
                        got_.set_value(said ? std::string(said->reveal())
                                            : "error " + std::to_string(static_cast<int>(said.error().code)));
                    }).value();
            url_ = page_->url();
        });
        port_ = static_cast<std::uint16_t>(std::stoul(url_.substr(std::string("http://127.0.0.1:").size())));
        path_ = url_.substr(url_.find('/', 8));
    }
    Page(Page const&) = delete;
    Page& operator=(Page const&) = delete;
    ~Page() {
        on_thread([&] { page_.reset(); });
        busy_.reset();
        thread_.join();
    }
    template <class Work> void on_thread(Work work) {
        std::packaged_task<void()> task(std::move(work));
        auto done = task.get_future();
        boost::asio::post(context_, [&task] { task(); });
        done.get();
    }
    [[nodiscard]] HttpAnswer say(std::string const& method, std::string const& path, Fields const& more,
                                 std::string const& body = {}) const {
        std::string text = method + " " + path + " HTTP/1.1\r\n";
        bool has_host = false;
        for (auto const& [name, value] : more) {
            text += name + ": " + value + "\r\n";
            has_host = has_host || name == "Host";
        }
        if (!has_host) text += "Host: " + authority() + "\r\n";
        if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
        test::HttpTalk talk(port_);
        talk.say(text + "\r\n" + body);
        return talk.hear();
    }
    [[nodiscard]] HttpAnswer get() const { return say("GET", path_, {}); }
    [[nodiscard]] HttpAnswer post(std::string const& form, Fields more = {}) const {
        more.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        return say("POST", path_, more, form);
    }
    [[nodiscard]] std::string mark() const {
        auto const page = get().body;
        auto const at = page.find("name=\"mark\" value=\"") + 19;
        return page.substr(at, page.find('"', at) - at);
    }
    /// What was got; empty if nothing is for a moment.
    std::string got(std::chrono::milliseconds patience = std::chrono::seconds(10)) {
        if (future_.wait_for(patience) != std::future_status::ready) return "";
        return future_.get();
    }
    bool got_nothing() { return answers_ == 0; }
    [[nodiscard]] std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::string origin() const { return "http://" + authority(); }
    [[nodiscard]] std::string const& url() const { return url_; }
    [[nodiscard]] std::string const& path() const { return path_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    SecretPage& page() { return *page_; }
    void drop() {
        on_thread([&] { page_.reset(); });
    }
    [[nodiscard]] int answers() const { return answers_; }

private:
    boost::asio::io_context context_;
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> busy_;
    std::promise<std::string> got_;
    std::future<std::string> future_ = got_.get_future();
    std::atomic<int> answers_ = 0;
    std::shared_ptr<SecretPage> page_;
    std::string url_, path_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

constexpr int refused = static_cast<int>(Errc::refused), timed_out = static_cast<int>(Errc::timeout);

} // namespace

TEST_CASE("the page for a secret is plain, strict and nobody's but its address's") {
    Page page;
    CHECK(page.path().size() == 49);
    auto const form = page.get();
    CHECK(form.status == 200);
    CHECK(has(form.body, "<title>pfar</title>"));
    CHECK(has(form.body, "Connect &lt;Notion&gt;"));
    CHECK(has(form.body, "Paste the &quot;token&quot; &amp; press Save"));
    CHECK(has(form.body, "type=\"password\""));
    CHECK(has(form.body, "autocomplete=\"off\""));
    CHECK(has(form.body, "pattern=\"\\s*ntn_.*\""));
    CHECK(form.body.find("<script") == std::string::npos);
    CHECK(form.body.find("src=") == std::string::npos);
    auto const policy = form.field("content-security-policy");
    for (auto const* const part :
         {"default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"})
        CHECK(has(policy, part));
    CHECK(form.field("cache-control") == "no-store");
    CHECK(form.field("x-content-type-options") == "nosniff");
    CHECK(form.field("referrer-policy") == "same-origin");
    CHECK(form.field("x-frame-options") == "DENY");
    CHECK(Page().path() != page.path());
    CHECK(Page().mark() != page.mark());
}

TEST_CASE("a secret is taken once") {
    Page page;
    auto const mark = page.mark();
    auto const done = page.post("mark=" + mark + "&value=+ntn_a%2Bb%26c%C3%A4%0D%0A",
                                {{"Origin", page.origin()}, {"Sec-Fetch-Site", "same-origin"}});
    CHECK(done.status == 200);
    CHECK(has(done.body, "pfar has it"));
    CHECK(done.body.find("ntn_") == std::string::npos);
    CHECK(page.got() == "ntn_a+b&c\u00e4");
    CHECK(page.post("mark=" + mark + "&value=ntn_other").status == 410);
    auto const again = page.get();
    CHECK(again.status == 410);
    CHECK(has(again.body, "used already"));
    page.on_thread([&] { page.page().done(fail(Errc::refused, "Notion did not accept the token.")); });
    CHECK(has(page.get().body, "Notion did not accept the token."));
    page.on_thread([&] { page.page().close(); });
    CHECK(page.answers() == 1);
}

TEST_CASE("what is not the page's own form gets nowhere") {
    Page page;
    auto const mark = page.mark();
    auto const form = "mark=" + mark + "&value=ntn_x";
    CHECK(page.post("value=ntn_x").status == 403);
    CHECK(page.post("mark=&value=ntn_x").status == 403);
    CHECK(page.post("mark=" + std::string(mark.size(), '0') + "&value=ntn_x").status == 403);
    for (auto const* const origin : {"http://evil.test", "null", "http://127.0.0.1", "https://127.0.0.1:1"})
        CHECK(page.post(form, {{"Origin", origin}}).status == 403);
    for (auto const* const site : {"cross-site", "same-site", "none"})
        CHECK(page.post(form, {{"Sec-Fetch-Site", site}}).status == 403);
    for (auto const* const host : {"evil.test", "localhost", "127.0.0.1", "127.0.0.1:1", "[::1]"}) {
        CHECK(page.post(form, {{"Host", host}}).status == 403);
        CHECK(page.say("GET", page.path(), {{"Host", host}}).status == 403);
    }
    CHECK(page.say("POST", page.path(), {{"Content-Type", "text/plain"}}, form).status == 403);
    CHECK(page.say("POST", page.path(), {{"Content-Type", "multipart/form-data; boundary=x"}}, form).status == 403);
    CHECK(page.say("GET", page.path() + "?" + form, {}).status == 200); // it submits nothing
    CHECK(page.say("PUT", page.path(), {}).status == 405);
    CHECK(page.say("HEAD", page.path(), {}).status == 405);
    CHECK(page.post(form + std::string(200000, 'x')).status == 413);
    CHECK(page.got_nothing());
    CHECK(page.post(form).status == 200); // it is still there for its own
    CHECK(page.got() == "ntn_x");
}

TEST_CASE("a value that cannot be the one is asked for again") {
    Page page;
    auto const mark = page.mark();
    auto const wrong = page.post("mark=" + mark + "&value=secret_abcdef");
    CHECK(wrong.status == 400);
    CHECK(has(wrong.body, "It has to begin with ntn_"));
    CHECK(wrong.body.find("secret_abcdef") == std::string::npos);
    CHECK(has(page.post("mark=" + mark + "&value=").body, "Nothing was entered"));
    CHECK(has(page.post("mark=" + mark).body, "Nothing was entered"));
    CHECK(has(page.post("mark=" + mark + "&value=ntn_%f").body, "did not arrive whole"));
    CHECK(has(page.post("mark=" + mark + "&value=ntn_a%0Ab").body, "line break"));
    CHECK(has(page.post("mark=" + mark + "&value=ntn_%00").body, "control character"));
    CHECK(has(page.post("mark=" + mark + "&value=ntn_%ff").body, "not text"));
    CHECK(page.got_nothing());
    CHECK(page.post("mark=" + mark + "&value=ntn_right").status == 200);
    CHECK(page.got() == "ntn_right");
}

TEST_CASE("a secret may have several lines") {
    auto request = notion();
    request.multiline = true;
    request.starts_with = "-----BEGIN";
    request.wrong = "The key was not accepted.";
    Page page(request);
    CHECK(has(page.get().body, "<textarea"));
    CHECK(has(page.get().body, "The key was not accepted."));
    CHECK(page.post("mark=" + page.mark() + "&value=-----BEGIN+KEY%0D%0Aabc%0D%0A-----END%0D%0A").status == 200);
    CHECK(page.got() == "-----BEGIN KEY\nabc\n-----END\n");
}

TEST_CASE("a person may cancel, and time and patience end") {
    SECTION("cancelled") {
        Page page;
        auto const said = page.post("mark=" + page.mark() + "&value=ntn_x&act=cancel");
        CHECK(has(said.body, "Cancelled"));
        CHECK(page.got() == "error " + std::to_string(refused));
        CHECK(has(page.get().body, "cancelled"));
    }
    SECTION("expired") {
        Page page(notion(std::chrono::seconds(0)));
        CHECK(page.got() == "error " + std::to_string(timed_out));
        CHECK(page.get().status == 410);
        CHECK(has(page.get().body, "time for this page is over"));
    }
    SECTION("closed") {
        Page page;
        page.on_thread([&] { page.page().close(); });
        CHECK(page.got() == "error " + std::to_string(refused));
    }
    SECTION("dropped") {
        Page page;
        page.drop();
        CHECK(page.got() == "error " + std::to_string(refused));
    }
}

TEST_CASE("who looks for the page elsewhere finds nothing, and takes it from nobody") {
    Page page;
    for (int i = 0; i < 40; ++i) {
        auto const answer = page.say("GET", i % 2 == 0 ? page.path() + std::to_string(i) : "/favicon.ico", {});
        CHECK(answer.status == 404);
        CHECK(answer.body == "there is nothing here\n");
    }
    CHECK(page.get().status == 200);
    CHECK(page.post("mark=" + page.mark() + "&value=ntn_x").status == 200);
    CHECK(page.got() == "ntn_x");
}

TEST_CASE("the page says what the secret is for, and at once if it cannot be right") {
    Page page;
    CHECK(has(page.get().body, "It installs &lt;things&gt;."));
    auto const said = page.post("mark=" + page.mark() + "&value=ntn_short");
    CHECK(said.status == 400);
    CHECK(has(said.body, "That cannot be right: it is too short."));
    CHECK(page.got_nothing());
    CHECK(page.post("mark=" + page.mark() + "&value=ntn_right").status == 200);
    CHECK(page.got() == "ntn_right");
}

TEST_CASE("clients that stay and say nothing keep nobody away") {
    Page page;
    std::vector<test::HttpTalk> idle;
    for (int i = 0; i < 30; ++i) {
        idle.emplace_back(page.port());
        if (i % 2 == 0) idle.back().say("POST " + page.path() + " HTTP/1.1\r\nHo");
    }
    CHECK(page.get().status == 200);
    CHECK(page.post("mark=" + page.mark() + "&value=ntn_x").status == 200);
    CHECK(page.got() == "ntn_x");
}

TEST_CASE("the page for a secret works in a real browser, and asks nobody else for anything") {
    Page page;
    auto const outcome = test::run({{"/usr/bin/env", "node", PFAR_SOURCE "/tests/gateway/secret_page.mjs", page.url(),
                                     "ntn_from-a-browser&+ \u00e4"},
                                    {},
                                    {},
                                    {},
                                    0,
                                    120});
    if (outcome.status == 77 || outcome.status == 127) SKIP("there is no chromium, or no node");
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(page.got(std::chrono::milliseconds(100)) == "ntn_from-a-browser&+ \u00e4");
}
