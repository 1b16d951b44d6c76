// Approvals, a client that is asked as a test says, and everything that was told of them.
#pragma once

#include "unit/pipeline/pipeline_stage.hpp"

namespace test {

struct ApprovalsStage {
    using Decision = pipeline::Approvals::Decision;
    using Kind = Decision::Kind;
    struct Asked { // of the client
        pipeline::ApprovalRow row;
        std::function<void(pipeline::Answer)> answer;
        bool taken_back = false;
    };

    boost::asio::io_context context;
    std::vector<std::string> told; // "asked", "approved by client"
    std::vector<std::shared_ptr<Asked>> asked;
    std::unique_ptr<pipeline::Approvals> approvals;
    pipeline::StandingPtr standing = PipelineStage::session("s-1");
    pipeline::OfferPtr offer = make_offer("fs", {R"({"name":"write"})"});
    std::shared_ptr<pfar::wire::CancelSlot> cancel = std::make_shared<pfar::wire::CancelSlot>();

    explicit ApprovalsStage(pipeline::ApprovalLimits const& limits = PipelineStage::waiting())
        : approvals(std::make_unique<pipeline::Approvals>(
              context.get_executor(),
              [this](pipeline::ApprovalRow const&, std::string_view outcome, std::string_view by) {
                  told.push_back(std::string(outcome) + (by.empty() ? "" : " by " + std::string(by)));
              },
              limits)) {}
    ApprovalsStage(ApprovalsStage const&) = delete;
    ApprovalsStage& operator=(ApprovalsStage const&) = delete;
    ~ApprovalsStage() {
        if (!approvals) return;
        for (auto const* const id : {"s-1", "s-2"}) approvals->close_session(id);
        turn(context);
    }

    [[nodiscard]] pipeline::Approvals::Question question(std::string_view arguments = R"({"a":1})") const {
        return {standing, offer, "write", "pin", arguments, "it writes", std::string(arguments), {}, {}, cancel};
    }
    /// The same, and the client is asked too.
    pipeline::Approvals::Question of_client(std::string_view arguments = R"({"a":1})") {
        auto out = question(arguments);
        out.ask = [this](pipeline::ApprovalRow const& row, std::function<void(pipeline::Answer)> answer) {
            auto const one = std::make_shared<Asked>(Asked{row, std::move(answer)});
            asked.push_back(one);
            return [one] { one->taken_back = true; };
        };
        return out;
    }
    Later<Decision> settle(pipeline::Approvals::Question question) {
        auto out = begin(context, approvals->settle(std::move(question)));
        turn(context);
        return out;
    }
    std::string only() {
        auto const rows = approvals->rows();
        REQUIRE(rows.size() == 1);
        return rows.at(0).id;
    }
    bool decide(std::string const& id, pipeline::Answer answer) {
        bool const out = approvals->decide(id, answer, "terminal").has_value();
        turn(context);
        return out;
    }
    bool until(std::function<bool()> const& holds) { return turn_until(context, holds); }
};

} // namespace test
