// A call waits for its flow 45 seconds, since clients give up after 60; then it says where things stand, and the same call again finds the flow.
#include "house/own_tools.hpp"

#include "base/text.hpp"
#include "house/converse.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_verbs.hpp"
#include "house/own_words.hpp"
#include "house/registries.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Question;

constexpr std::chrono::seconds for_one_call{45};
constexpr std::size_t most_running = 4; // of a session

constexpr char const* no_credentials =
    "there is something in it that looks like a credential; it was not kept. Credentials are never passed to a tool: "
    "pfar shows the user a page for them";

std::string text_result(std::string const& words, bool is_error) {
    return fmt::format(R"({{"content":[{{"type":"text","text":{}}}]{}}})", wire::quoted(words),
                       is_error ? R"(,"isError":true)" : "");
}

json::object arguments_of(wire::Forwarding const& task) {
    auto const params = task.talk->sent(0);
    return object_in(wire::member_of(params, "arguments"));
}

} // namespace

OwnTools::OwnTools(Parts parts) : parts_(std::move(parts)), offer_(own_offer()) {}

bool OwnTools::busy() const {
    for (auto const& [key, one] : running_)
        if (!one->flow->ended()) return true;
    return std::any_of(leaving_.begin(), leaving_.end(), [](auto const& flow) { return !flow->ended(); });
}

void OwnTools::close_session(std::string const& session) {
    for (auto at = running_.begin(); at != running_.end();) {
        if (at->first.first != session) {
            ++at;
            continue;
        }
        part_with(*at->second);
        at = running_.erase(at);
    }
}

void OwnTools::part_with(Running& running) {
    running.flow->cancel();
    if (running.page) running.page->close();
    std::erase_if(leaving_, [](auto const& flow) { return flow->ended(); });
    if (!running.flow->ended()) leaving_.push_back(running.flow);
}

Result<void> OwnTools::screen(pipeline::Call const& call) {
    if (call.offer->identity != identity || call.tool == nullptr) return {};
    auto const fits = call.tool->input.get().check(call.arguments, pipeline::Duplicates::refuse);
    if (!fits && !config::shows_secret(fits.error().what))
        return fail(Errc::invalid, "its arguments do not fit: " + fits.error().what);
    if (!fits || shows_credential(call.arguments)) return fail(Errc::refused, no_credentials);
    return {};
}

boost::asio::awaitable<Result<wire::Back>> OwnTools::run(wire::Forwarding task) {
    auto const arguments = arguments_of(task);
    if (task.tool == "status") {
        auto const params = task.talk->sent(0);
        auto const given = wire::member_of(params, "arguments"); // nobody is asked, so explain() has not seen it
        co_return wire::Back(false, text_result(status_text(given), false));
    }
    auto const service = text_at(arguments, "service");
    auto const flow = task.tool;
    co_return co_await converse(std::move(task), flow, service);
}

boost::asio::awaitable<Result<wire::Back>> OwnTools::converse(wire::Forwarding task, std::string flow,
                                                              std::string service) {
    Key const key{task.session, flow + " " + service};
    auto const arguments = arguments_of(task);
    auto found = running_.find(key);
    if (found != running_.end() && found->second->arguments != arguments) {
        if (!found->second->flow->ended()) co_return under_way_otherwise();
        running_.erase(found);
        found = running_.end();
    }
    if (found == running_.end()) {
        if (!task.agreed) co_return fail(Errc::conflict, "that has ended meanwhile; call it again to begin anew");
        std::size_t of_session = 0;
        for (auto const& [one, running] : running_) of_session += one.first == task.session ? 1 : 0;
        if (of_session >= most_running)
            co_return fail(Errc::unavailable, "too many services are being connected; finish one first");
        auto input = arguments;
        input["sure"] = true; // the owner has agreed
        if (auto const agreed = find_known(parts_.house, service); flow == "disconnect")
            input["service"] = connected_name(service, agreed ? agreed->name : "");
        auto begun = AgentFlow::begin(parts_.executor, flow, input);
        if (!begun) co_return begun.error();
        auto const running = std::make_shared<Running>();
        running->flow = *begun;
        running->arguments = arguments;
        running->about = about(service, wire::member_of(task.talk->sent(0), "arguments"));
        found = running_.emplace(key, running).first;
    }
    auto const running = found->second;
    if (running->attended)
        co_return fail(Errc::conflict, "the same is under way already in another call; wait for that");
    running->attended = true;
    auto const weak = std::weak_ptr(running);
    task.cancel->join([weak](std::string const&) {
        if (auto const here = weak.lock()) here->flow->cancel(), here->flow->wake();
    });
    auto const words = co_await attend(task, running, "pfar__" + flow);
    task.cancel->leave();
    running->attended = false;
    bool const ended = running->flow->ended();
    bool const good = !ended || running->flow->outcome() == "done";
    if (running->dropped) part_with(*running);
    auto const here = running_.find(key); // by now it may be another
    if ((ended || running->dropped) && here != running_.end() && here->second == running) running_.erase(here);
    co_return wire::Back(false, text_result(words, !good));
}

boost::asio::awaitable<std::string> OwnTools::attend(wire::Forwarding const& task, RunningPtr running,
                                                     std::string tool) {
    auto const late = AgentFlow::Clock::now() + for_one_call;
    auto& flow = *running->flow;
    for (;;) {
        for (auto& line : flow.take_said()) running->said.push_back(std::move(line));
        if (flow.ended()) co_return joined_lines(std::exchange(running->said, {}));
        if (flow.question() && flow.number() != running->asked) {
            running->asked = flow.number();
            auto const words = pass_on(task, running, tool);
            if (!words.empty()) co_return joined_lines(std::exchange(running->said, {})) + words;
        }
        if (AgentFlow::Clock::now() >= late) break;
        co_await flow.change(late);
    }
    auto const waits = running->page && flow.question()
                           ? fmt::format("It waits for the user to enter the credential at {} .", running->page->url())
                       : flow.question() ? std::string("It waits for the user's answer.")
                                         : fmt::format("It is still at work: {}.", flow.at_work());
    co_return joined_lines(std::exchange(running->said, {})) +
        fmt::format("{} Call {} again with the same arguments to see how it went.", waits, tool);
}

std::string OwnTools::pass_on(wire::Forwarding const& task, RunningPtr const& running, std::string const& tool) {
    if (running->flow->question()->kind == Question::Kind::secret) return pass_on_secret(task, running, tool);
    return pass_on_form(task, running);
}

std::string OwnTools::pass_on_form(wire::Forwarding const& task, RunningPtr const& running) {
    auto const question = *running->flow->question();
    auto const number = running->flow->number();
    auto const weak = std::weak_ptr(running);
    wire::ServerRequest request;
    request.method = "elicitation/create";
    request.params = form_params(question, running->said);
    request.cancel = std::make_shared<wire::CancelSlot>();
    request.answer = [weak, question, number](bool is_error, std::string const& payload) {
        auto const here = weak.lock();
        if (!here || here->flow->number() != number || !here->flow->question()) return;
        auto const answer = form_answer(question, is_error, payload);
        answer ? here->flow->answer(*answer) : here->flow->cancel();
    };
    auto const lacks = task.talk->asked ? task.talk->asked(std::move(request)) : std::string("nobody can be asked");
    if (lacks.empty()) return "";
    if (!question.fallback.empty()) {
        running->said.push_back(fmt::format("{} Nobody can be asked here, so the answer was {}; the user can say "
                                            "otherwise in a terminal, with pfar connect.",
                                            question.prompt, question.fallback));
        return running->flow->answer(question.fallback), "";
    }
    running->dropped = true;
    auto const name = question.name.empty() ? std::string("answer") : question.name;
    return fmt::format("pfar needs to know ({}): {} Ask the user, then call it again with all answers so far and "
                       "\"{}\": \"...\" among "
                       "them. Nothing was connected.",
                       base::printable(name), base::printable(question.prompt), base::printable(name));
}

std::string OwnTools::pass_on_secret(wire::Forwarding const& task, RunningPtr const& running, std::string const& tool) {
    auto const question = *running->flow->question();
    auto const number = running->flow->number();
    auto const weak = std::weak_ptr(running);
    gateway::SecretRequest wanted;
    wanted.title = "A credential for " + running->about.first, wanted.about = running->about.second;
    if (running->page && running->said.size() >= 2) // the last one did not work, and this is what was said of it
        wanted.about += " " + base::printable(running->said.end()[-2]) + " " + base::printable(running->said.back());
    wanted.prompt = question.prompt, wanted.help = question.help;
    wanted.wrong = question.wrong, wanted.multiline = question.whole_file;
    wanted.starts_with = question.starts_with;
    wanted.fault = [question](Secret const& value) { return why_no_secret(question, value); };
    auto page = gateway::SecretPage::open(parts_.executor, std::move(wanted), [weak, number](Result<Secret> value) {
        auto const here = weak.lock();
        if (!here || here->flow->number() != number || !here->flow->question()) return;
        value ? here->flow->answer(*value) : here->flow->cancel(value.error().what + ".");
        here->flow->wake();
    });
    if (!page) return running->dropped = true, page.error().what;
    running->page = *page;
    wire::ServerRequest request;
    request.method = "elicitation/create";
    auto const id = fmt::format("pfar-{}-{}", reinterpret_cast<std::uintptr_t>(running.get()) % 100000, number);
    request.params = json::serialize(json::object{{"mode", "url"},
                                                  {"message", joined_lines(running->said) + asked_words(question)},
                                                  {"url", running->page->url()},
                                                  {"elicitationId", id}});
    request.cancel = std::make_shared<wire::CancelSlot>();
    request.answer = [weak, number](bool is_error, std::string const& payload) {
        auto const here = weak.lock();
        if (!here || here->flow->number() != number || !here->flow->question()) return;
        if (is_error || wire::string_in(wire::member_of(payload, "action")) != "accept") here->flow->cancel();
    };
    auto const lacks = task.talk->asked ? task.talk->asked(std::move(request)) : std::string("nobody can be asked");
    if (lacks.empty()) return "";
    return fmt::format(
        "Tell the user to open this page on this machine and enter the credential there: {} . It can be used once, "
        "for ten minutes. Then call {} again with the same arguments. Do not ask for the credential yourself.",
        running->page->url(), tool);
}

} // namespace pfar::house
