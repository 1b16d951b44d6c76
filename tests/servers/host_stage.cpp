// The host writes to a file, so that it never waits for a reader; whatever a failed check should know is shown with it.
#include "servers/host_stage.hpp"

#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_message.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become_host(std::vector<std::string> const& words, unsigned uid, std::filesystem::path const& log) {
    int const out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666), in = ::open("/dev/null", O_RDONLY);
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(125);
    become(words, uid);
}

std::string quoted(std::string const& text) {
    return json::serialize(json::string(text));
}

json::value const* member(json::object const& in, std::string const& key) {
    return in.if_contains(key);
}

} // namespace

Setting somebody() {
    return people().back();
}

HostStage::HostStage(Setting setting) : Stage(std::move(setting)) {
    adopt_orphans();
    environment.emplace_back(
        "ASAN_OPTIONS=quarantine_size_mb=4:thread_local_quarantine_size_kb=64"); // so that its RSS says something
    write("home/.pfar/pfar.toml",
          "[policy]\napprove = \"never\"\n"); // these tests are about servers, not about approval
}

HostStage::~HostStage() {
    if (host_ < 0) return;
    if (end() == -1) kill_host();
}

std::string HostStage::text_of(std::string const& name, ServerText const& text) const {
    std::string args = quoted("--mark") + ", " + quoted(name + "@" + path().native());
    for (auto const& word : text.args) args += ", " + quoted(word);
    bool const has_sandbox = text.tables.find("[sandbox]") != std::string::npos;
    return "name = " + quoted(name) + "\n" + text.top +
           "\n[server]\ncommand = " + quoted(PFAR_FIXTURES "/fixture-server") + "\nargs = [" + args + "]\n" +
           text.tables + (has_sandbox ? "" : "\n[sandbox]\nbackend = " + quoted(setting().backend) + "\n");
}

std::filesystem::path HostStage::server_in(std::string const& directory, std::string const& name,
                                           ServerText const& text) const {
    return write(directory + "/" + name + ".toml", text_of(name, text));
}
std::filesystem::path HostStage::server(std::string const& name, ServerText const& text) const {
    return server_in("home/.pfar/mcp", name, text);
}

bool HostStage::begin() {
    auto const log = path() / "host.log";
    auto const words = this->words({"host"});
    host_ = ::fork();
    if (host_ == 0) become_host(words, setting().uid, log);
    bool const up = soon([&] {
        control_ = std::make_unique<Control>(socket());
        return control_->ok() || ::waitpid(host_, nullptr, WNOHANG) == host_;
    });
    if (!up || !control_->ok()) UNSCOPED_INFO("the host does not come: " << this->log());
    return up && control_->ok();
}

int HostStage::end() {
    if (host_ < 0) return -1;
    control_.reset();
    ::kill(host_, SIGTERM);
    int status = 0;
    if (!soon([&] { return ::waitpid(host_, &status, WNOHANG) == host_; })) return -1;
    host_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void HostStage::kill_host() {
    control_.reset();
    ::kill(host_, SIGKILL);
    ::waitpid(std::exchange(host_, -1), nullptr, 0);
}

Control HostStage::connect(std::string const& directory) const {
    return Control(socket(), directory);
}

std::string HostStage::log() const {
    auto const all = read(path() / "host.log");
    return all.size() > 6000 ? all.substr(all.size() - 6000) : all;
}

json::value HostStage::ask(std::string const& method, json::object const& params) {
    auto const answer = control_->ask(method, params);
    if (answer && answer->contains("result")) return answer->at("result");
    UNSCOPED_INFO(method << ": " << (answer ? json::serialize(*answer) : "no answer") << "\n" << log());
    return {};
}

json::object HostStage::listed(std::string const& server) {
    auto const list = ask("list");
    if (list.is_array())
        for (auto const& entry : list.get_array())
            if (entry.at("name") == json::value(server)) return entry.as_object();
    return {};
}

json::object HostStage::status(std::string const& server) {
    auto const status = ask("status", {{"server", server}});
    return status.is_object() ? status.get_object() : json::object();
}

std::string HostStage::word(std::string const& server, std::string const& key) {
    auto const all = status(server);
    auto const* const found = member(all, key);
    if (found == nullptr) return "";
    return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

std::int64_t HostStage::number(std::string const& server, std::string const& key) {
    auto const all = status(server);
    auto const* const found = member(all, key);
    return found != nullptr && found->is_number() ? found->to_number<std::int64_t>() : -1;
}

std::vector<std::string> HostStage::tools(std::string const& server) {
    std::vector<std::string> names;
    auto const all = ask("tools", {{"server", server}});
    if (all.is_array())
        for (auto const& tool : all.get_array())
            names.push_back(std::string(tool.at("name").as_string()).substr(server.size() + 1));
    return names;
}

json::object HostStage::call_params(std::string const& server, std::string const& tool, json::object const& arguments,
                                    std::string const& session) {
    json::object params{{"server", server}, {"tool", tool}, {"arguments", arguments}};
    if (!session.empty()) params["session"] = session;
    return params;
}

Called HostStage::called(std::optional<json::object> const& answer) {
    if (!answer) return {false, false, "(no answer)"};
    if (auto const* const error = answer->if_contains("error"))
        return {false, false, std::string(error->at("message").as_string())};
    auto const& whole = answer->at("result").as_object();
    auto const* const inner = whole.if_contains("result"); // of `call`; otherwise an MCP result as it is
    auto const& result = inner != nullptr && inner->is_object() ? inner->get_object() : whole;
    std::string text;
    if (auto const* const content = result.if_contains("content"); content != nullptr && content->is_array())
        for (auto const& part : content->get_array())
            if (auto const* const words = part.as_object().if_contains("text")) text += std::string(words->as_string());
    auto const* const bad = result.if_contains("isError");
    return {bad == nullptr || !bad->is_bool() || !bad->get_bool(), true, text};
}

Called HostStage::call(std::string const& server, std::string const& tool, json::object const& arguments,
                       std::string const& session) {
    auto const start = Clock::now();
    auto out = called(control_->ask("call", call_params(server, tool, arguments, session)));
    out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (!out.ok) UNSCOPED_INFO(server << "." << tool << ": " << out.text.substr(0, 1000));
    return out;
}

bool HostStage::soon(std::function<bool()> const& holds, unsigned seconds) const {
    for (auto const late = Clock::now() + std::chrono::seconds(seconds); Clock::now() < late; ::poll(nullptr, 0, 10))
        if (holds()) return true;
    return holds();
}

bool HostStage::reaches(std::string const& server, std::string const& state, unsigned seconds) {
    bool const reached = soon(
        [&] {
            auto const now = listed(server);
            auto const* const found = member(now, "state");
            return found != nullptr && *found == json::value(state);
        },
        seconds);
    if (!reached)
        UNSCOPED_INFO(server << " is not " << state << ": " << json::serialize(listed(server)) << "\n" << log());
    return reached;
}

std::vector<pid_t> HostStage::processes(std::string const& server) const {
    std::vector<pid_t> all;
    auto const mark = server + "@" + path().native();
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
        auto const pid = std::atoi(entry.path().filename().c_str());
        if (pid == 0 || read(entry.path() / "comm") != "fixture-server\n") continue;
        if (read(entry.path() / "cmdline").find(mark) != std::string::npos) all.push_back(pid);
    }
    return all;
}

std::size_t HostStage::host_descriptors() const {
    std::size_t count = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(host_) + "/fd"))
        count += entry.path().empty() ? 0 : 1;
    return count;
}

long HostStage::host_rss_kib() const {
    auto const status = read("/proc/" + std::to_string(host_) + "/status");
    return std::atol(status.c_str() + status.find("VmRSS:") + 6);
}

} // namespace test
