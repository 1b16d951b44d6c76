// A Pipeline whose servers a test plays: what is forwarded waits until the test answers, and everything that was done is kept in its order.
#pragma once

#include "pipeline/pipeline.hpp"
#include "unit/servers/session_stage.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace test {

namespace pipeline = pfar::pipeline;

/// A request on its way to a server.
struct Sent {
    pfar::wire::Forwarding task;
    boost::asio::steady_timer bell;
    std::string params;    // as the server gets them, under the token 900 and a number
    std::string cancelled; // why
    std::optional<pfar::Result<pfar::wire::Back>> back{};

    void answer(std::string result) { give(pfar::wire::Back{false, std::move(result)}); }
    void refuse(std::string error) { give(pfar::wire::Back{true, std::move(error)}); }
    void lose(pfar::Errc code, std::string why) { give(pfar::fail(code, std::move(why))); }

private:
    void give(pfar::Result<pfar::wire::Back> what) {
        back = std::move(what);
        bell.cancel();
    }
};
using SentPtr = std::shared_ptr<Sent>;

inline boost::asio::awaitable<pfar::Result<pfar::wire::Back>> work_on(SentPtr one) {
    one->task.cancel->join([weak = std::weak_ptr(one)](std::string const& why) {
        auto const here = weak.lock();
        if (!here || here->back) return;
        here->cancelled = why;
        here->lose(pfar::Errc::refused, "it was cancelled");
    });
    while (!one->back) {
        boost::system::error_code ignored;
        co_await one->bell.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    one->task.cancel->leave();
    auto out = *one->back;
    co_return out;
}

/// An offer of a server that is called so, of tools as it lists them. It is pinned as a whole.
inline std::shared_ptr<pipeline::Offer> make_offer(
    std::string const& name, std::vector<std::string> tools,
    std::function<void(pipeline::Offer&, pipeline::Lists&)> const& change = {}) {
    auto out = std::make_shared<pipeline::Offer>();
    pfar::config::ServerSpec spec;
    spec.name = name, spec.taint = pfar::base::Taint::clean;
    out->identity = "/mcp/" + name + ".toml";
    apply_rules(*out, spec, {});
    pipeline::Lists lists;
    lists.tools = std::move(tools), lists.capabilities = "{}";
    if (change) change(*out, lists);
    fill_offer(*out, lists, [](std::string const&, std::string const&) { return true; });
    return out;
}

/// A server that answers when the test says so, and a record that can fail.
struct Servers {
    boost::asio::io_context& context;
    std::vector<std::string> order{};  // "record call sent", "forward echo"
    std::vector<std::string> record{}; // JSON
    std::vector<SentPtr> sent{};
    std::optional<std::string> reply{};        // at once, with this
    std::optional<pfar::Error> record_fails{}; // what must be written first
    std::function<void()> while_recording{};
    std::map<std::string, pipeline::OfferPtr> now{}; // by identity
    std::function<std::optional<pfar::base::Semantics>(pipeline::Call const&)> script{};

    pfar::wire::Forward forward() {
        return [this](pfar::wire::Forwarding task) {
            auto const one = std::make_shared<Sent>(
                Sent{std::move(task), boost::asio::steady_timer(context, boost::asio::steady_timer::time_point::max()),
                     "", ""});
            one->params = one->task.talk->sent(900 + sent.size());
            order.push_back("forward " + (one->task.tool.empty() ? one->task.method : one->task.tool));
            sent.push_back(one);
            if (reply) one->answer(*reply);
            return work_on(one);
        };
    }
    pipeline::Means means() {
        pipeline::Means out;
        out.forward = forward();
        out.record = [this](pfar::audit::Event const& event) { keep(event); };
        out.record_first = [this](pfar::audit::Event event) { return write_first(this, std::move(event)); };
        out.current = [this](std::string const& identity) { return now[identity]; };
        out.semantics = [this](pipeline::Call const& call) {
            auto const said = script ? script(call) : std::optional<pfar::base::Semantics>();
            return said ? std::optional(pipeline::Meaning{*said}) : std::nullopt;
        };
        return out;
    }
    /// What the record has under this kind and outcome.
    [[nodiscard]] std::size_t count(std::string_view kind, std::string_view outcome) const {
        return static_cast<std::size_t>(
            std::count(order.begin(), order.end(), fmt::format("record {} {}", kind, outcome)));
    }

private:
    static boost::asio::awaitable<pfar::Result<void>> write_first(Servers* self, pfar::audit::Event event) {
        if (self->while_recording) self->while_recording();
        if (self->record_fails) co_return *self->record_fails;
        self->keep(event);
        co_return pfar::Result<void>();
    }
    void keep(pfar::audit::Event const& event) {
        auto text = event.members.empty() ? boost::json::serialize(event.details) : "{" + event.members + "}";
        auto const parsed = boost::json::parse(text); // it has to be JSON
        order.push_back("record " + event.kind + " " + std::string(parsed.at("outcome").as_string()));
        record.push_back(std::move(text));
    }
};

struct PipelineStage {
    boost::asio::io_context context;
    Servers servers{context};
    pipeline::Pipeline pipeline;
    pipeline::StandingPtr standing = session("s-1");

    explicit PipelineStage(pipeline::ApprovalLimits const& limits = waiting())
        : pipeline(context.get_executor(), servers.means(), limits) {}
    PipelineStage(PipelineStage const&) = delete;
    PipelineStage& operator=(PipelineStage const&) = delete;
    ~PipelineStage() {
        for (auto const& one : servers.sent)
            if (!one->back) one->lose(pfar::Errc::unavailable, "the test is over");
        pipeline.approvals().close_session("s-1");
        pipeline.approvals().close_session("s-2");
        turn(context);
    }

    /// Nothing ends by itself.
    static pipeline::ApprovalLimits waiting() {
        pipeline::ApprovalLimits out;
        out.wait = out.tick = out.open = std::chrono::hours(1);
        return out;
    }
    /// Nobody waits for an answer: as after the 45 seconds.
    static pipeline::ApprovalLimits hurried() {
        auto out = waiting();
        out.wait = std::chrono::milliseconds(0);
        return out;
    }
    static pipeline::StandingPtr session(std::string id) {
        auto out = std::make_shared<pipeline::Standing>();
        out->id = std::move(id);
        return out;
    }
    /// It is what the server offers from now on.
    pipeline::OfferPtr offer(pipeline::OfferPtr one) { return servers.now[one->identity] = std::move(one); }
    [[nodiscard]] std::shared_ptr<pipeline::Call> call_of(pipeline::OfferPtr offer, std::string const& tool,
                                                          std::string arguments = R"({"a":1})") const {
        auto out = std::make_shared<pipeline::Call>();
        out->standing = standing, out->offer = std::move(offer);
        out->tool = out->offer->tool(tool), out->method = "tools/call", out->subject = tool;
        out->params = std::move(arguments), out->arguments = out->params;
        out->sends = out->params != "{}";
        out->sent = [own = out.get()](std::uint64_t) { return own->params; };
        return out;
    }
    Later<pipeline::Outcome> call(std::shared_ptr<pipeline::Call> one) {
        auto out = begin(context, pipeline.call(std::move(one)));
        turn(context);
        return out;
    }
    Later<pipeline::Outcome> read(std::shared_ptr<pipeline::Call> one) {
        auto out = begin(context, pipeline.read(std::move(one)));
        turn(context);
        return out;
    }
    std::vector<pipeline::ApprovalRow> rows() { return pipeline.approvals().rows(); }
    void decide(pipeline::Answer answer) {
        REQUIRE(rows().size() == 1);
        REQUIRE(pipeline.approvals().decide(rows().at(0).id, answer, "terminal"));
        turn(context);
    }
};

} // namespace test
