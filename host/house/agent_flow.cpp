#include "house/agent_flow.hpp"

#include "base/text.hpp"
#include "house/flow_arguments.hpp"
#include "house/flow_journal.hpp"
#include "house/process.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace pfar::house {
namespace {

namespace json = boost::json;
using flows::Question;

constexpr std::size_t most_flow_line = std::size_t{256} << 10U, most_said = 200;
constexpr std::string_view kind_words[] = {"text", "choice", "yes_no", "secret"};

struct FlowPipe {
    base::Fd read, write;
};

Result<FlowPipe> flow_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, "no pipe for a conversation");
    return FlowPipe{base::Fd(ends[0]), base::Fd(ends[1])};
}

/// However it ends, and whoever still knows of it.
boost::asio::awaitable<void> reap(boost::asio::any_io_executor executor, base::Fd exit, pid_t pid) {
    auto const late = std::chrono::steady_clock::now() + std::chrono::hours(24);
    co_await readable(executor, exit.number(), late);
    ::waitpid(pid, nullptr, WNOHANG);
}

std::vector<std::string> own_environment() {
    std::vector<std::string> out;
    for (char** at = ::environ; *at != nullptr; ++at) out.emplace_back(*at);
    return out;
}

/// This very program, which talks over these. It outlives us: it sees the end of its pipe, and undoes what it did.
Result<void> launch_talk(boost::asio::any_io_executor const& executor, std::string const& option, base::Fd const& in,
                         base::Fd const& out) {
    base::Fd const null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    spawn::Launch launch;
    launch.argv = {"/proc/self/exe", "connect", option};
    launch.environment = own_environment();
    launch.dies_with_us = false;
    for (int number = 0; number < 3; ++number) {
        auto const& from = number == 0 ? in : number == 1 ? out : null;
        PFAR_TRY(moved, spawn::out_of_the_way(from ? from.number() : null.number()));
        launch.files.push_back({std::move(moved), number});
    }
    PFAR_TRY(process, spawn::launch(launch));
    boost::asio::co_spawn(executor, reap(executor, std::move(process.exit), process.pid), boost::asio::detached);
    return {};
}

} // namespace

bool clear_after_flows(boost::asio::any_io_executor const& executor, std::filesystem::path const& home) {
    if (!FlowJournal::any_left(home)) return false;
    spdlog::info("host: a conversation was cut off; what it had begun is undone");
    if (auto const begun = launch_talk(executor, "--clear", base::Fd(), base::Fd()); !begun)
        spdlog::warn("host: {}", begun.error().what);
    return true;
}

json::object question_json(Question const& question) {
    json::array choices(question.choices.begin(), question.choices.end());
    return {{"kind", kind_words[static_cast<int>(question.kind)]},
            {"name", question.name},
            {"prompt", question.prompt},
            {"help", question.help},
            {"default", question.fallback},
            {"wrong", question.wrong},
            {"choices", std::move(choices)},
            {"whole_file", question.whole_file},
            {"starts_with", question.starts_with},
            {"pattern", question.pattern}};
}

Question question_in(json::object const& object) {
    Question out;
    auto const word = text_at(object, "kind");
    for (std::size_t i = 0; i < std::size(kind_words); ++i)
        if (kind_words[i] == word) out.kind = static_cast<Question::Kind>(i);
    out.name = text_at(object, "name"), out.prompt = text_at(object, "prompt");
    out.help = text_at(object, "help"), out.fallback = text_at(object, "default");
    out.wrong = text_at(object, "wrong");
    if (auto const* const choices = object.if_contains("choices"); choices != nullptr && choices->is_array())
        for (auto const& choice : choices->get_array())
            if (choice.is_string()) out.choices.emplace_back(choice.get_string());
    out.whole_file = flag_at(object, "whole_file");
    out.starts_with = text_at(object, "starts_with"), out.pattern = text_at(object, "pattern");
    return out;
}

Result<std::shared_ptr<AgentFlow>> AgentFlow::begin(boost::asio::any_io_executor const& executor,
                                                    std::string const& flow, json::object const& input) {
    PFAR_TRY(to, flow_pipe());
    PFAR_TRY(from, flow_pipe());
    PFAR_CHECK(launch_talk(executor, "--for-agent", to.read, from.write));
    to.read = base::Fd(), from.write = base::Fd();
    wire::never_block(to.write), wire::never_block(from.read);
    std::shared_ptr<AgentFlow> const out(new AgentFlow(executor));
    out->stream_ = wire::LineStream::make(executor, {std::move(from.read), std::move(to.write)}, {most_flow_line, 16});
    wire::LineStream::Heard heard;
    auto const weak = std::weak_ptr(out);
    heard.line = [weak](std::string_view line) {
        if (auto const self = weak.lock()) self->hear(line);
    };
    heard.too_long = [] {};
    heard.ended = [weak](bool) {
        if (auto const self = weak.lock()) self->end();
    };
    out->stream_->start(std::move(heard));
    out->stream_->send(json::serialize(json::object{{"flow", flow}, {"input", input}}) + "\n");
    return out;
}

AgentFlow::~AgentFlow() {
    stream_->close(); // the process sees the end
}

void AgentFlow::hear(std::string_view line) {
    boost::system::error_code bad;
    auto const value = json::parse({line.data(), line.size()}, bad);
    if (bad || !value.is_object()) return;
    auto const& object = value.get_object();
    if (object.contains("say") && said_.size() < most_said) said_.push_back(text_at(object, "say"));
    if (object.contains("progress")) progress_ = text_at(object, "progress");
    if (auto const* const asked = object.if_contains("ask"); asked != nullptr && asked->is_object()) {
        question_ = question_in(asked->get_object());
        ++number_;
    }
    if (object.contains("end")) outcome_ = text_at(object, "end");
    wake();
}

void AgentFlow::end() {
    if (std::exchange(ended_, true)) return;
    if (outcome_.empty()) outcome_ = "failed", said_.emplace_back("The conversation was cut off.");
    question_.reset();
    wake();
}

void AgentFlow::answer(std::string const& text) {
    question_.reset();
    stream_->send(json::serialize(json::object{{"text", text}}) + "\n");
}

void AgentFlow::answer(Secret const& secret) {
    question_.reset();
    auto line = json::serialize(json::object{{"secret", std::string(secret.reveal())}}) + "\n";
    stream_->send(std::string_view(line));
    ::explicit_bzero(line.data(), line.size());
}

void AgentFlow::cancel(std::string why) {
    if (ended_) return;
    if (!why.empty()) said_.push_back(std::move(why));
    question_.reset();
    stream_->close_output();
}

boost::asio::awaitable<void> AgentFlow::change(Clock::time_point late) {
    auto const self = shared_from_this();
    changed_.expires_at(late);
    boost::system::error_code ignored;
    co_await changed_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

} // namespace pfar::house
