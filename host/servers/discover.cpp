#include "base/surrogates.hpp"
#include "base/text.hpp"
#include "servers/listing.hpp"
#include "wire/json_text.hpp"
#include "wire/scan.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pfar::servers {
namespace {

constexpr std::size_t most_entries = 2000, most_bytes = std::size_t{8} << 20U, most_name = 256;
constexpr int most_pages = 200;

struct Kind {
    char const *capability, *method, *member;
};
constexpr Kind tools_kind{"tools", "tools/list", "tools"}, resources_kind{"resources", "resources/list", "resources"},
    templates_kind{"resources", "resources/templates/list", "resourceTemplates"},
    prompts_kind{"prompts", "prompts/list", "prompts"};

std::string page_params(std::string const& cursor) {
    return cursor.empty() ? "" : fmt::format(R"({{"cursor":{}}})", cursor);
}

/// Entries of all pages, as they came.
class Pages {
public:
    explicit Pages(Kind const& kind) : kind_(kind) {}

    /// True if there is another page.
    Result<bool> take(Answer const& answer) {
        if (answer.is_error)
            return fail(Errc::refused, fmt::format("it answered {} with an error: {}", kind_.method,
                                                   wire::error_words(answer.payload)));
        auto const list = wire::member_of(answer.payload, kind_.member);
        if (!list.starts_with('['))
            return fail(Errc::invalid, fmt::format("its answer to {} has no list of {}", kind_.method, kind_.member));
        for (auto const entry : wire::elements_of(list, most_entries + 1)) {
            entries_.emplace_back(entry);
            bytes_ += entry.size();
        }
        if (entries_.size() > most_entries || bytes_ > most_bytes)
            return fail(Errc::invalid, fmt::format("it lists more {} than pfar takes: at most {}, and 8 MiB of them",
                                                   kind_.member, most_entries));
        auto next = std::string(wire::member_of(answer.payload, "nextCursor"));
        bool const more = next.starts_with('"') && next != "\"\"";
        endless_ = more && (next == cursor_ || ++pages_ >= most_pages);
        cursor_ = std::move(next);
        return more && !endless_;
    }
    /// Its last page said that there are more, but they lead nowhere.
    [[nodiscard]] bool endless() const { return endless_; }
    [[nodiscard]] std::string params() const { return page_params(cursor_); }
    std::vector<std::string> entries() { return std::move(entries_); }

private:
    Kind kind_;
    std::vector<std::string> entries_;
    std::size_t bytes_ = 0;
    std::string cursor_;
    int pages_ = 0;
    bool endless_ = false;
};

using Trouble = std::function<void(std::string const&)>;

/// All pages together have the time of a start: who answers slowly, page by page, would otherwise be starting for hours.
boost::asio::awaitable<Result<std::vector<std::string>>> list(std::shared_ptr<Session> session, Kind kind,
                                                              Trouble trouble) {
    using Clock = std::chrono::steady_clock;
    Pages pages(kind);
    auto const late = Clock::now() + session->timeouts().start;
    if (!session->facts().offers(kind.capability)) co_return pages.entries();
    for (bool more = true; more;) {
        auto const left = std::max(std::chrono::milliseconds(1),
                                   std::chrono::duration_cast<std::chrono::milliseconds>(late - Clock::now()));
        Session::Question question{kind.method, pages.params(), left, left};
        auto const answer = co_await session->ask(std::move(question));
        if (!answer) co_return answer.error();
        auto const taken = pages.take(*answer);
        if (!taken) co_return taken.error();
        more = *taken;
    }
    if (pages.endless())
        trouble(fmt::format("its pages of {} do not end; what it listed until then counts", kind.member));
    co_return pages.entries();
}

/// Many servers have no templates, and some say so by an error: that is no reason to have none of it.
std::vector<std::string> or_none(Result<std::vector<std::string>> list, Trouble const& trouble) {
    if (list) return std::move(*list);
    trouble(list.error().what);
    return {};
}

std::vector<Tool> named_tools(std::vector<std::string> const& entries, Trouble const& trouble) {
    std::vector<Tool> tools;
    std::set<std::string> names;
    for (auto const& entry : entries) {
        auto tool = tool_of(entry);
        if (!tool)
            trouble("it lists a tool without a usable name");
        else if (!names.insert(tool->name).second)
            trouble(fmt::format("it lists two tools named {}", base::printable(tool->name)));
        else
            tools.push_back(std::move(*tool));
    }
    return tools;
}

} // namespace

std::optional<Tool> tool_of(std::string_view json) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.max_depth = wire::most_depth; // schemas are deep
    auto const mended = base::with_whole_pairs(json);
    auto const text_of_it = mended ? std::string_view(*mended) : json;
    auto const parsed =
        boost::json::parse(boost::json::string_view(text_of_it.data(), text_of_it.size()), error, {}, options);
    if (error || !parsed.is_object()) return {};
    auto const& object = parsed.get_object();
    auto const text = [&](char const* key) {
        auto const* const value = object.if_contains(key);
        return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    Tool tool{text("name"), text("description"), false, std::string(json)};
    if (tool.name.empty() || tool.name.size() > most_name) return {};
    auto const* const annotations = object.if_contains("annotations");
    auto const* const hint = annotations != nullptr && annotations->is_object()
                                 ? annotations->get_object().if_contains("readOnlyHint")
                                 : nullptr;
    tool.says_read_only = hint != nullptr && hint->is_bool() && hint->get_bool();
    return tool;
}

boost::asio::awaitable<Result<Listing>> discover(std::shared_ptr<Session> session,
                                                 std::function<void(std::string const&)> trouble) {
    Listing out;
    out.facts = session->facts();
    auto const tools = co_await list(session, tools_kind, trouble);
    if (!tools) co_return tools.error();
    out.tools = named_tools(*tools, trouble);
    auto resources = co_await list(session, resources_kind, trouble);
    out.resources = or_none(std::move(resources), trouble);
    auto templates = co_await list(session, templates_kind, trouble);
    out.templates = or_none(std::move(templates), trouble);
    auto prompts = co_await list(session, prompts_kind, trouble);
    out.prompts = or_none(std::move(prompts), trouble);
    co_return out;
}

} // namespace pfar::servers
