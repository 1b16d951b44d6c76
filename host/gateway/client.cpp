// The session's talk: what comes in is cut and given to whoever answers it, what goes out finds its place.
#include "gateway/client.hpp"

#include "base/text.hpp"
#include "gateway/log_levels.hpp"
#include "wire/json_text.hpp"
#include "wire/revisions.hpp"
#include "wire/scan.hpp"
#include "wire/splice.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace pfar::gateway {
namespace {

constexpr std::string_view batches_revision = "2025-03-26";
constexpr std::size_t most_in_flight = 64, most_asked = 64, most_untold = std::size_t{4} << 20U, most_words = 200;
constexpr std::chrono::milliseconds a_moment{50};

std::string without_end(std::string line) {
    line.pop_back();
    return line;
}

std::string words_in(std::string_view json) {
    return std::string(base::whole_text(base::printable(wire::string_in(json)), most_words));
}

/// HTTP has no lines, but servers and the record do: space that ends one becomes a blank. Within a string there can be none.
std::string one_line(std::string_view json) {
    std::string out(json);
    for (auto& byte : out)
        if (byte == '\n' || byte == '\r') byte = ' ';
    return out;
}

std::string gone_error() {
    return fmt::format(R"({{"code":{},"message":"the client is gone"}})", wire::server_error);
}

bool is_batch(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '[';
}

} // namespace

Client::Client(std::shared_ptr<ClientMeans const> means, Arrival arrival, std::string id)
    : means_(std::move(means)), arrival_(std::move(arrival)), standing_(std::make_shared<pipeline::Standing>()),
      telling_(means_->executor) {
    standing_->id = std::move(id);
}

Client::~Client() = default;

void Client::hear(std::string_view text) {
    if (ended_) return;
    auto const self = shared_from_this();
    std::shared_ptr<Batch> batch;
    if (is_batch(text)) {
        if (protocol_ != batches_revision)
            return arrival_.outlet->send(
                without_end(wire::error_line("null", wire::invalid_request, "batches are of MCP 2025-03-26 only")), {});
        if (arrival_.transport != "http") batch = std::make_shared<Batch>(), batch->left = 1; // until all of it is read
    }
    wire::read_messages(
        text,
        [&](wire::Message const& message) {
            if (batch) ++batch->heard;
            hear_message(message, batch);
        },
        [&](std::string const& what) { complain(text, what, batch); });
    if (!batch) return;
    bool const whole = batch->complaints.size() == 1 && batch->heard == 0; // all of it was refused
    if (whole) return arrival_.outlet->send(std::move(batch->complaints[0]), {});
    for (auto const& line : batch->complaints) batch->text += (batch->text.empty() ? "[" : ",") + line;
    if (--batch->left == 0 && !batch->text.empty()) arrival_.outlet->send(batch->text + "]", {});
}

/// With its id, if that can be read.
void Client::complain(std::string_view text, std::string const& what, std::shared_ptr<Batch> const& batch) {
    auto const id = batch ? std::string_view() : wire::member_of(text, "id");
    bool const is_id = id.size() < wire::most_id_bytes && (id.starts_with('"') || wire::number_in(id));
    auto line = without_end(
        wire::error_line(is_id ? id : "null", wire::scan(text, {}) ? wire::invalid_request : wire::parse_error, what));
    if (!batch) return arrival_.outlet->send(std::move(line), {is_id ? id : std::string_view(), is_id});
    batch->complaints.push_back(std::move(line));
}

void Client::hear_message(wire::Message const& message, std::shared_ptr<Batch> const& batch) {
    if (ended_) return;
    switch (message.kind) {
    case wire::Message::Kind::request:
        return hear_request(message, batch);
    case wire::Message::Kind::notification:
        return hear_notification(message);
    case wire::Message::Kind::result:
    case wire::Message::Kind::error:
        return hear_answer(message);
    }
}

void Client::hear_request(wire::Message const& message, std::shared_ptr<Batch> const& batch) {
    auto const known = pending_.find(message.id);
    if (known != pending_.end() || pending_.size() >= most_in_flight) {
        auto const words = known != pending_.end()
                               ? std::string("a request of this id is already being answered")
                               : fmt::format("{} requests are already in flight; wait for an answer", pending_.size());
        auto line = without_end(
            wire::error_line(message.id, known != pending_.end() ? wire::invalid_request : wire::server_error, words));
        return arrival_.outlet->send(std::move(line), {message.id, known == pending_.end()});
    }
    Id const id(message.id);
    if (batch) ++batch->left;
    pending_.emplace(id, Pending{std::make_shared<wire::CancelSlot>(), batch});
    auto const& method = message.method;
    if (method == "ping") return answer(id, "{}");
    if (method == "initialize") return initialize(id, message.payload);
    if (protocol_.empty()) return refuse(id, wire::invalid_request, "initialize comes first");
    auto params = one_line(message.payload);
    auto const cursor = [&] { return std::string(wire::member_of(params, "cursor")); };
    if (method == "tools/call") return begin(id, call_tool(id, std::move(params)));
    if (method == "tools/list") return begin(id, list(id, Kind::tools, cursor()));
    if (method == "resources/list") return begin(id, list(id, Kind::resources, cursor()));
    if (method == "resources/templates/list") return begin(id, list(id, Kind::templates, cursor()));
    if (method == "prompts/list") return begin(id, list(id, Kind::prompts, cursor()));
    if (method == "resources/read") return begin(id, read_resource(id, std::move(params)));
    if (method == "prompts/get") return begin(id, get_prompt(id, std::move(params)));
    if (method == "completion/complete") return begin(id, complete(id, std::move(params)));
    if (method == "resources/subscribe" || method == "resources/unsubscribe")
        return begin(id, subscribe(id, std::string(method), std::move(params)));
    if (method == "logging/setLevel") return set_level(id, params);
    refuse(id, wire::method_not_found, "Method not found");
}

void Client::begin(Id const& id, Answer work) {
    boost::asio::co_spawn(
        means_->executor, std::move(work), [self = shared_from_this(), id](std::exception_ptr const& thrown) {
            if (thrown) try {
                    std::rethrow_exception(thrown);
                } catch (std::exception const& problem) {
                    spdlog::error("session {}: {}", self->id(), problem.what());
                    self->refuse(id, wire::internal_error, "pfar failed to answer; its log says more");
                }
        });
}

void Client::initialize(Id const& id, std::string_view params) {
    if (!protocol_.empty()) return refuse(id, wire::invalid_request, "it is initialized already");
    auto const wanted = wire::string_in(wire::member_of(params, "protocolVersion"));
    auto const capabilities_given = wire::member_of(params, "capabilities");
    if (wanted.empty() || !capabilities_given.starts_with('{'))
        return refuse(id, wire::invalid_params, "initialize needs protocolVersion and capabilities");
    bool const known = wire::is_revision(wanted);
    protocol_ = known ? wanted : wire::revisions.back();
    auto const info = wire::member_of(params, "clientInfo");
    name_ = words_in(wire::member_of(info, "name"));
    version_ = words_in(wire::member_of(info, "version"));
    standing_->client = name_ + (version_.empty() ? "" : " " + version_);
    samples_ = !wire::member_of(capabilities_given, "sampling").empty();
    auto const elicitation = wire::member_of(capabilities_given, "elicitation");
    elicits_urls_ = !wire::member_of(elicitation, "url").empty();
    elicits_forms_ = !elicitation.empty() && (!wire::member_of(elicitation, "form").empty() || !elicits_urls_);
    auto const instructions = catalogue().instructions();
    auto const& server = arrival_.server;
    answer(id,
           fmt::format(R"({{"protocolVersion":"{}","capabilities":{},"serverInfo":{{"name":{},"version":"{}"}}{}}})",
                       protocol_, capabilities(), wire::quoted(server.empty() ? "pfar" : server), PFAR_VERSION,
                       instructions.empty() ? "" : R"(,"instructions":)" + wire::quoted(instructions)));
}

/// Of the one server what it can do, if that is known; of all of them everything, since any may come.
std::string Client::capabilities() const {
    auto const all = std::string(
        R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}})");
    auto const seen = catalogue();
    if (arrival_.server.empty() || seen.offers().empty() || !seen.offers().front()->known) return all;
    auto const& own = seen.offers().front()->capabilities;
    std::string out;
    auto const add = [&](std::string_view key, std::string_view value) {
        if (!wire::member_of(own, key).empty()) out += fmt::format("{}\"{}\":{}", out.empty() ? "" : ",", key, value);
    };
    add("tools", R"({"listChanged":true})");
    bool const subscribes = wire::member_of(wire::member_of(own, "resources"), "subscribe") == "true";
    add("resources", subscribes ? R"({"subscribe":true,"listChanged":true})" : R"({"listChanged":true})");
    add("prompts", R"({"listChanged":true})");
    add("completions", "{}");
    return fmt::format(R"({{{}{}"logging":{{}}}})", out, out.empty() ? "" : ",");
}

void Client::set_level(Id const& id, std::string_view params) {
    auto const level = wire::string_in(wire::member_of(params, "level"));
    if (!log_level(level))
        return refuse(id, wire::invalid_params,
                      "level is one of debug, info, notice, warning, error, critical, alert and emergency");
    level_ = level;
    means_->level_changed(*this);
    answer(id, "{}");
}

void Client::hear_notification(wire::Message const& message) {
    if (message.method == "notifications/cancelled") return cancel(message.payload);
    if (message.method != "notifications/progress") return;
    auto const token = wire::number_in(wire::member_of(message.payload, "progressToken"));
    auto const found = token ? tokens_.find(*token) : tokens_.end();
    if (found != tokens_.end()) found->second(one_line(message.payload));
}

/// What is cancelled is not answered.
void Client::cancel(std::string_view params) {
    auto found = pending_.extract(std::string(wire::member_of(params, "requestId")));
    if (found.empty()) return;
    auto const self = shared_from_this();
    if (auto const& batch = found.mapped().batch; batch && --batch->left == 0 && !batch->text.empty())
        arrival_.outlet->send(batch->text + "]", {found.key(), true});
    else
        arrival_.outlet->send("", {found.key(), true});
    found.mapped().cancel->cancel(
        "the client cancelled it"); // without its reason: servers hear nothing of a session but its calls
    close_if_done();
}

void Client::hear_answer(wire::Message const& message) {
    auto const number = wire::number_in(message.id);
    auto found = number ? asked_.extract(*number) : decltype(asked_)::node_type();
    if (!found.empty()) found.mapped().answered(message.kind == wire::Message::Kind::error, one_line(message.payload));
}

void Client::answer(std::string_view id, std::string const& result) {
    finish(id, wire::result_line(id, result));
}
void Client::refuse(std::string_view id, int code, std::string_view words) {
    finish(id, wire::error_line(id, code, words));
}
void Client::refuse(std::string_view id, std::string const& error) {
    finish(id, wire::error_line(id, error));
}

void Client::finish(std::string_view id, std::string line) {
    auto const found = pending_.find(id);
    if (found == pending_.end() || ended_) return; // it was taken back
    auto const batch = found->second.batch;
    auto const place = pending_.extract(found);
    line.pop_back();
    if (!batch)
        arrival_.outlet->send(std::move(line), {place.key(), true});
    else {
        batch->text += (batch->text.empty() ? "[" : ",") + line;
        if (--batch->left == 0) arrival_.outlet->send(batch->text + "]", {place.key(), true});
    }
    close_if_done();
}

void Client::tell(std::string_view method, std::string_view params, std::string_view about) {
    if (ended_ || protocol_.empty() || arrival_.outlet->waiting() > most_untold) return;
    arrival_.outlet->send(without_end(wire::notification_line(method, params)), {about, false});
}

void Client::hear_end() {
    if (ended_) return;
    leaving_ = true;
    auto const self = shared_from_this();
    means_->pipeline.approvals().close_session(id());
    for (auto const& [number, one] : std::exchange(asked_, {}))
        one.answered(true, gone_error()); // its answer can never come
    if (means_->leaving) means_->leaving(*this);
    close_if_done();
}

void Client::close_if_done() {
    if (!leaving_ || ended_ || !pending_.empty()) return;
    auto const self = shared_from_this();
    auto const outlet = arrival_.outlet;
    end("the client closed its input");
    outlet->close("");
}

void Client::end(std::string const& why) {
    if (std::exchange(ended_, true)) return;
    auto const self = shared_from_this();
    standing_->open = false;
    telling_.cancel();
    means_->pipeline.approvals().close_session(id());
    for (auto const& [id, one] : std::exchange(pending_, {})) one.cancel->cancel(why);
    for (auto const& [number, one] : std::exchange(asked_, {})) one.answered(true, gone_error());
    tokens_.clear();
    means_->gone(*this);
}

Catalogue Client::catalogue() const {
    auto offers = means_->offers(arrival_.directory);
    if (!arrival_.server.empty())
        std::erase_if(offers, [&](auto const& offer) { return offer->name != arrival_.server; });
    return {std::move(offers), !arrival_.server.empty()};
}

bool Client::sees(std::string const& identity) const {
    auto const seen = catalogue();
    return std::any_of(seen.offers().begin(), seen.offers().end(),
                       [&](auto const& offer) { return offer->identity == identity; });
}

void Client::list_changed(std::string_view kind) {
    if (ended_ || protocol_.empty()) return;
    changed_.emplace(kind);
    if (std::exchange(will_tell_, true)) return;
    telling_.expires_after(a_moment);
    telling_.async_wait([weak = weak_from_this()](boost::system::error_code const& error) {
        auto const self = weak.lock();
        if (error || !self) return;
        self->will_tell_ = false;
        for (auto const& one : std::exchange(self->changed_, {}))
            self->tell(fmt::format("notifications/{}/list_changed", one), "");
    });
}

void Client::notified(std::string const& identity, std::string_view uri, std::string_view method,
                      std::string_view params) {
    if (!uri.empty()) {
        auto const found = subscribed_.find({identity, std::string(uri)});
        if (found == subscribed_.end()) return;
        auto const at = wire::member_of(params, "uri"); // as the client knows it
        return tell(method,
                    at.empty() ? std::string(params) : wire::spliced(params, {{at, wire::quoted(found->second)}}));
    }
    if (method == "notifications/message" && !is_wanted(level_, wire::string_in(wire::member_of(params, "level"))))
        return;
    auto const seen = catalogue();
    for (auto const& offer : seen.offers())
        if (offer->identity == identity) means_->pipeline.labels().seen(*standing_, *offer);
    tell(method, params);
}

void Client::say(std::string_view level, std::string const& words) {
    if (is_wanted(level_, level))
        tell("notifications/message",
             fmt::format(R"({{"level":"{}","logger":"pfar","data":{}}})", level, wire::quoted(words)));
}

std::uint64_t Client::ask(std::string_view method, std::string_view params, Asked asked) {
    if (ended_ || asked_.size() >= most_asked) return 0;
    auto const number = ++next_;
    auto const about = asked.about;
    asked_.emplace(number, std::move(asked));
    arrival_.outlet->send(without_end(wire::request_line(std::to_string(number), method, params)), {about, false});
    return number;
}

void Client::take_back(std::uint64_t number, std::string_view why) {
    auto const found = asked_.extract(number);
    if (!found.empty())
        tell("notifications/cancelled", fmt::format(R"({{"requestId":{},"reason":{}}})", number, wire::quoted(why)),
             found.mapped().about);
}

} // namespace pfar::gateway
