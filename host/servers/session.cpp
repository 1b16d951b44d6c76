#include "servers/session.hpp"

#include "base/surrogates.hpp"
#include "base/text.hpp"
#include "wire/json_text.hpp"
#include "wire/revisions.hpp"
#include "wire/scan.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::servers {
namespace {

constexpr std::string_view ping_method = "ping";
constexpr std::chrono::seconds for_doubtful{5};
constexpr std::size_t most_words = 256, most_instructions = 64U << 10U;

std::string short_text(boost::json::value const* value, std::size_t most = most_words) {
    if (value == nullptr || !value->is_string()) return "";
    auto const& whole = value->get_string();
    std::string text(whole.data(), std::min(whole.size(), most));
    while (!base::is_utf8(text)) text.pop_back(); // the cut went through a character
    return text;
}

/// A label is put in later: that must not move a large result once more.
std::string with_room(std::string_view payload) {
    std::string out;
    out.reserve(payload.size() + 64);
    return out.append(payload);
}

/// "notifications/tools/list_changed" -> "tools"
std::string_view changed_list(std::string_view method) {
    if (method == "notifications/tools/list_changed") return "tools";
    if (method == "notifications/resources/list_changed") return "resources";
    if (method == "notifications/prompts/list_changed") return "prompts";
    return {};
}

std::string roots_result(std::vector<std::string> const& roots) {
    boost::json::array list;
    for (auto const& root : roots)
        list.push_back(boost::json::object{{"uri", wire::file_uri(root)}, {"name", base::printable(root)}});
    return boost::json::serialize(boost::json::object{{"roots", std::move(list)}});
}

} // namespace

bool ServerFacts::offers(std::string_view capability) const {
    return !wire::member_of(capabilities, capability).empty();
}

std::shared_ptr<Session> Session::make(boost::asio::any_io_executor const& executor, wire::Ends ends,
                                       SessionTask task) {
    auto const drop = [executor](Session* session) {
        boost::asio::post(executor, [gone = std::unique_ptr<Session>(session)] {});
    };
    return {new Session(executor, std::move(ends), std::move(task)), drop};
}

Session::Session(boost::asio::any_io_executor const& executor, wire::Ends ends, SessionTask task)
    : task_(std::move(task)), executor_(executor), peer_(executor, std::move(ends)),
      deadlines_(executor, [this](std::uint64_t number) { time_out(number); }) {}

void Session::listen(Heard heard) {
    heard_ = std::move(heard);
    wire::Peer::Heard from;
    from.request = [this](wire::Message const& message) { hear_request(message); };
    from.notification = [this](wire::Message const& message) { hear_notification(message); };
    from.trouble = [this](std::string const& what) {
        trouble_ = what, ++troubles_;
        heard_.trouble(what);
    };
    from.too_long = [this] { doubt_the_only_one(); };
    from.ended = [this] { heard_.ended(); };
    if (task_.redactor)
        from.clean = [find = task_.redactor](std::string_view line) -> std::optional<std::string> {
            auto const redactor = find();
            return redactor && !redactor->empty() ? redactor->redact_json(line) : std::nullopt;
        };
    peer_.start(std::move(from));
}

std::string Session::initialize_params() const {
    return fmt::format(
        R"({{"protocolVersion":"{}","capabilities":{{"roots":{{"listChanged":false}},"sampling":{{}},"elicitation":{{"form":{{}},"url":{{}}}}}},)"
        R"("clientInfo":{{"name":"pfar","version":"{}"}},"_meta":{{"pfar/access":{}}}}})",
        wire::revisions.back(), PFAR_VERSION, task_.access);
}

boost::asio::awaitable<Result<void>> Session::initialize(Heard heard) {
    listen(std::move(heard));
    Question question{"initialize", initialize_params(), task_.timeouts.start, task_.timeouts.start};
    auto const answer = co_await ask(std::move(question));
    if (!answer) co_return answer.error();
    if (answer->is_error)
        co_return fail(Errc::refused, fmt::format("it refused initialize: {}", wire::error_words(answer->payload)));
    auto taken = take_facts(answer->payload);
    if (!taken) co_return taken.error();
    co_return peer_.tell("notifications/initialized", "");
}

Result<void> Session::take_facts(std::string const& result) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = wire::most_depth;
    auto const parsed = boost::json::parse(base::with_whole_pairs(result).value_or(result), error, {}, options);
    auto const* const top = error ? nullptr : parsed.if_object();
    if (top == nullptr) return fail(Errc::invalid, "its answer to initialize is no object");
    facts_.protocol = short_text(top->if_contains("protocolVersion"));
    if (!wire::is_revision(facts_.protocol))
        return fail(Errc::unsupported,
                    fmt::format("it speaks MCP \"{}\"; pfar speaks {}", base::printable(facts_.protocol),
                                base::listed({wire::revisions.begin(), wire::revisions.end()})));
    if (auto const* const info = top->if_contains("serverInfo"); info != nullptr && info->is_object()) {
        auto const& words = info->get_object();
        facts_.name = short_text(words.if_contains("name"));
        facts_.version = short_text(words.if_contains("version"));
        facts_.title = short_text(words.if_contains("title"));
    }
    facts_.instructions = short_text(top->if_contains("instructions"), most_instructions);
    if (auto const capabilities = wire::member_of(result, "capabilities");
        capabilities.starts_with('{') && capabilities.size() <= most_instructions)
        facts_.capabilities = capabilities;
    return {};
}

Result<std::uint64_t> Session::ask(Question question, Answered answered) {
    PFAR_TRY(asked,
             peer_.ask(question.method, question.params, [this, number = peer_.next()](wire::Reply const& reply) {
                 if (reply.kind == wire::Reply::Kind::lost && reply.lost.code != Errc::io)
                     return; // close() knows better why
                 if (reply.kind == wire::Reply::Kind::lost) return settle(number, reply.lost);
                 settle(number, Answer{reply.kind == wire::Reply::Kind::error, with_room(reply.payload)});
             }));
    auto const now = Deadlines::Clock::now();
    auto const wait = question.wait.count() != 0 ? question.wait : task_.timeouts.call;
    auto const most = question.most.count() != 0 ? question.most : std::max(wait, task_.timeouts.call_max);
    if (question.method == ping_method) ++pings_;
    if (question.token != 0) tokens_of_.emplace(question.token, asked);
    waiting_.emplace(asked, Waiting{std::move(answered), std::move(question.progress), question.token, wait, now + most,
                                    std::move(question.method), troubles_});
    deadlines_.set(asked, now + wait);
    return asked;
}

boost::asio::awaitable<Result<Answer>> Session::ask(Question question) {
    auto const self = shared_from_this();
    auto begin = [self](auto handler, Question asked) {
        auto const shared = std::make_shared<decltype(handler)>(std::move(handler));
        auto const executor = self->executor_;
        auto done = [shared, executor](Result<Answer> answer) {
            boost::asio::post(executor,
                              [shared, answer = std::move(answer)]() mutable { (*shared)(std::move(answer)); });
        };
        auto const cancel = asked.cancel;
        auto const number = self->ask(std::move(asked), done);
        if (!number) return done(number.error());
        if (cancel)
            cancel->join([weak = std::weak_ptr(self), at = *number](std::string const& why) {
                if (auto const here = weak.lock()) here->cancel(at, why);
            });
    };
    co_return co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(Result<Answer>)>(
        begin, boost::asio::use_awaitable, std::move(question));
}

boost::asio::awaitable<bool> Session::ping(std::chrono::milliseconds wait) {
    Question question{std::string(ping_method), "", wait, wait};
    auto const answer = co_await ask(std::move(question));
    co_return answer.has_value();
}

void Session::settle(std::uint64_t number, Result<Answer> answer) {
    auto found = waiting_.extract(number);
    if (found.empty()) return;
    deadlines_.lift(number);
    tokens_of_.erase(found.mapped().token);
    if (found.mapped().method == ping_method) --pings_;
    found.mapped().answered(std::move(answer));
}

/// It was probably the answer to the only question there is: that is not waited for much longer. Among several nobody knows.
void Session::doubt_the_only_one() {
    if (waiting_.size() != 1) return;
    auto& [number, call] = *waiting_.begin();
    call.doubted = true;
    deadlines_.set(number, Deadlines::Clock::now() + for_doubtful);
}

std::string Session::too_late(Waiting const& call) const {
    if (call.doubted) return "its answer was probably longer than a message may be: it sent " + trouble_;
    auto const seconds = std::chrono::duration<double>(call.wait).count();
    auto const* const setting = call.method == "initialize" ? "start" : "call";
    auto words = fmt::format("it did not answer {} within {:g} s (\"{}\" under [timeouts] in its file)", call.method,
                             seconds, setting);
    return troubles_ == call.troubles ? words
                                      : fmt::format("{}; meanwhile it said something wrong: {}", words, trouble_);
}

void Session::time_out(std::uint64_t number) {
    auto const found = waiting_.find(number);
    if (found == waiting_.end()) return;
    auto const why = too_late(found->second);
    peer_.forget(number);
    if (found->second.method != "initialize") // which must not be cancelled
        (void)peer_.tell("notifications/cancelled", fmt::format(R"({{"requestId":{},"reason":"timeout"}})", number));
    settle(number, fail(Errc::timeout, why));
}

void Session::cancel(std::uint64_t number, std::string_view why) {
    if (!waiting_.contains(number)) return;
    peer_.forget(number);
    (void)peer_.tell("notifications/cancelled",
                     fmt::format(R"({{"requestId":{},"reason":{}}})", number, wire::quoted(why)));
    settle(number, fail(Errc::refused, "it was cancelled"));
}

void Session::hear_request(wire::Message const& message) {
    if (message.method == ping_method) return peer_.answer(message.id, "{}");
    if (message.method == "roots/list") return peer_.answer(message.id, roots_result(task_.roots));
    bool const for_client = message.method == "sampling/createMessage" || message.method == "elicitation/create";
    auto const why =
        for_client ? heard_.request(message) : fmt::format("pfar has no method {}", base::printable(message.method));
    if (!why.empty()) peer_.refuse(message.id, wire::method_not_found, why);
}

void Session::hear_notification(wire::Message const& message) {
    if (message.method == "notifications/progress") return hear_progress(message.payload);
    if (auto const kind = changed_list(message.method); !kind.empty()) return heard_.list_changed(kind);
    heard_.notification(message);
}

void Session::hear_progress(std::string_view params) {
    auto const token = wire::number_in(wire::member_of(params, "progressToken"));
    auto const number = token ? tokens_of_.find(*token) : tokens_of_.end();
    if (number == tokens_of_.end()) return; // of a call that has ended
    auto& call = waiting_.at(number->second);
    deadlines_.set(number->second, std::min(Deadlines::Clock::now() + call.wait, call.last));
    if (auto const progress = call.progress) progress(params); // which may cancel the call
}

void Session::close(Error const& why) {
    peer_.close(why);
    deadlines_.stop();
    while (!waiting_.empty()) settle(waiting_.begin()->first, why);
}

} // namespace pfar::servers
