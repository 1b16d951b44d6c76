// Pages: a merged list in parts of bounded size, and the cursor that leads from one to the next.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfar::gateway {

inline constexpr std::size_t most_on_page = 1000, most_page_bytes = std::size_t{4} << 20U;

/// An entry's place: the server it is of, and which of its entries. Lists are in the order of places, so that one server's changes do not move another's.
struct EntryPlace {
    std::string server;
    std::size_t index = 0;

    friend auto operator<=>(EntryPlace const&, EntryPlace const&) = default;
};

/// A JSON string, and back; none if it is none of ours.
std::string cursor_text(EntryPlace const& place);
std::optional<EntryPlace> parse_cursor(std::string_view json);

/// `{"tools":[...],"nextCursor":"..."}` from what is added, as much as goes on a page.
class Page {
public:
    explicit Page(std::string_view member);
    /// False: the page is full, and this one begins the next.
    bool add(EntryPlace const& place, std::string_view entry);
    std::string text() &&;

private:
    std::string text_;
    std::size_t count_ = 0;
    std::string next_;
};

} // namespace pfar::gateway
