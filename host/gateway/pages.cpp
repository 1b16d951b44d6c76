#include "gateway/pages.hpp"

#include "wire/json_text.hpp"
#include "wire/message.hpp"

#include <fmt/format.h>

namespace pfar::gateway {

std::string cursor_text(EntryPlace const& place) {
    return wire::quoted(fmt::format("{}:{}", place.index, place.server));
}

std::optional<EntryPlace> parse_cursor(std::string_view json) {
    if (json.size() > 512) return {};
    auto const text = wire::string_in(json);
    auto const colon = text.find(':');
    if (colon == std::string::npos) return {};
    auto const index = wire::number_in(std::string_view(text).substr(0, colon));
    if (!index || colon + 1 == text.size()) return {};
    return EntryPlace{text.substr(colon + 1), *index};
}

Page::Page(std::string_view member) : text_(fmt::format(R"({{"{}":[)", member)) {}

bool Page::add(EntryPlace const& place, std::string_view entry) {
    if (count_ == most_on_page || (count_ > 0 && text_.size() + entry.size() > most_page_bytes))
        return next_ = cursor_text(place), false;
    if (count_++ > 0) text_ += ',';
    text_ += entry;
    return true;
}

std::string Page::text() && {
    text_ += ']';
    if (!next_.empty()) text_ += R"(,"nextCursor":)" + next_;
    text_ += '}';
    return std::move(text_);
}

} // namespace pfar::gateway
