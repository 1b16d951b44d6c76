#include "egress/passage.hpp"

#include "loader/guarded_call.hpp"

#include <boost/asio/steady_timer.hpp>

namespace pfar::egress {

/// Every few seconds: are there refusals that are due in the audit?
struct Settling : std::enable_shared_from_this<Settling> {
    Settling(boost::asio::any_io_executor const& executor, std::shared_ptr<Gate> asked)
        : timer(executor), gate(std::move(asked)) {}

    void go_on() {
        timer.expires_after(std::chrono::seconds(5));
        timer.async_wait([weak = weak_from_this()](boost::system::error_code const& error) {
            auto const self = weak.lock();
            if (error || !self) return;
            self->gate->ledger().settle(Ledger::Clock::now(), false);
            self->go_on();
        });
    }

    boost::asio::steady_timer timer;
    std::shared_ptr<Gate> gate;
};

Result<std::unique_ptr<Passage>> Passage::open(Lane& lane, EgressFilter& filter, std::string const& filter_name,
                                               PassageTask task) {
    std::unique_ptr<Passage> passage(new Passage(lane));
    auto const gate =
        std::make_shared<Gate>(std::make_shared<Rules>(std::move(task.rules)), lane.resolver(), std::move(task.audit));
    EgressTask work;
    work.server = gate->server();
    work.listeners = std::move(task.listeners);
    work.executor = lane.executor();
    work.decide = [gate](Destination destination, Gate::Answer answer) {
        gate->decide(std::move(destination), std::move(answer));
    };
    work.record = [gate](EgressRecord const& record) { gate->ledger().closed(record, Ledger::Clock::now()); };
    work.require_sni = task.require_sni;
    Result<void> done;
    lane.run([&] {
        auto session = loader::guarded_call(filter_name, "serve", [&] { return filter.serve(std::move(work)); });
        if (!session) {
            done = session.error();
            return;
        }
        passage->session_ = std::move(*session);
        passage->settling_ = std::make_shared<Settling>(lane.executor(), gate);
        passage->settling_->go_on();
    });
    if (!done) return done.error();
    passage->gate_ = gate;
    return passage;
}

Passage::~Passage() {
    lane_.run([&] {
        session_.reset();
        settling_.reset();
        if (gate_) gate_->ledger().settle(Ledger::Clock::now(), true);
    });
}

void Passage::use(Rules rules) {
    auto shared = std::make_shared<Rules>(std::move(rules));
    lane_.run([&] { gate_->use(std::move(shared)); });
}

std::vector<Blocked> Passage::blocked() const {
    std::vector<Blocked> out;
    lane_.run([&] { out = gate_->ledger().blocked(); });
    return out;
}

} // namespace pfar::egress
