#include "config/jsonc.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace pfar::config {
namespace {

constexpr unsigned most_jsonc_depth = 64;

/// Goes over the text once. After the first fault nothing moves any more.
class JsoncWalker {
public:
    explicit JsoncWalker(std::string_view text) : text_(text) {}

    void skip_blanks() {
        for (;;) {
            while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
            if (begins("//"))
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (begins("/*")) {
                auto const end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) return stop("a comment has no end");
                at_ = end + 2;
            } else
                return;
        }
    }

    void value(unsigned depth) {
        if (depth > most_jsonc_depth) return stop("it is nested too deep");
        if (take('{')) return members(depth, nullptr);
        if (take('[')) return elements(depth);
        if (begins("\"")) return static_cast<void>(text());
        auto const end = std::min(text_.find_first_of(" \t\r\n,]}/:\"{[", at_), text_.size());
        boost::system::error_code error;
        if (end > at_) static_cast<void>(boost::json::parse(piece(at_, end), error)); // a number, true, false or null
        if (end == at_ || error) return stop("a value is missing or malformed");
        at_ = end;
    }

    /// Behind the brace.
    void members(unsigned depth, std::vector<JsoncMember>* out) {
        for (bool first = true;; first = false) {
            skip_blanks();
            if (take('}') || failed()) return;
            if (!first) {
                if (!take(',')) return stop("a comma is missing");
                skip_blanks();
                if (take('}')) return; // a comma at the end
            }
            auto const key = text();
            skip_blanks();
            if (!failed() && !take(':')) return stop("a colon is missing");
            skip_blanks();
            if (failed()) return;
            auto const begin = at_;
            value(depth + 1);
            if (failed()) return;
            if (out != nullptr) out->push_back({decoded(key), text_.substr(begin, at_ - begin)});
        }
    }

    bool take(char c) {
        if (failed() || at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void stop(char const* why) {
        if (fault_ == nullptr) fault_ = why;
    }
    [[nodiscard]] bool failed() const { return fault_ != nullptr; }
    [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] Error error() const {
        auto const before = text_.substr(0, at_);
        auto const line = std::count(before.begin(), before.end(), '\n') + 1;
        auto const column = at_ - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1) + 1;
        return fail(Errc::invalid,
                    fmt::format("the file is not JSON: {} at line {}, column {}; correct it there",
                                fault_ == nullptr ? "there is more behind its end" : fault_, line, column));
    }

private:
    [[nodiscard]] bool begins(std::string_view with) const { return !failed() && text_.substr(at_).starts_with(with); }
    [[nodiscard]] boost::json::string_view piece(std::size_t begin, std::size_t end) const {
        return {text_.data() + begin, end - begin};
    }

    void elements(unsigned depth) {
        for (bool first = true;; first = false) {
            skip_blanks();
            if (take(']') || failed()) return;
            if (!first) {
                if (!take(',')) return stop("a comma is missing");
                skip_blanks();
                if (take(']')) return;
            }
            value(depth + 1);
            if (failed()) return;
        }
    }

    /// With its quotation marks.
    std::string_view text() {
        auto const begin = at_;
        if (!take('"')) return stop("a text in quotation marks is missing"), std::string_view();
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) return stop("a text has no end"), std::string_view();
            if (text_[at_] == '\\') ++at_;
        }
        if (at_ >= text_.size()) {
            at_ = text_.size();
            return stop("a text has no end"), std::string_view();
        }
        ++at_;
        return text_.substr(begin, at_ - begin);
    }

    std::string decoded(std::string_view key) {
        boost::system::error_code error;
        auto const value = boost::json::parse({key.data(), key.size()}, error);
        if (error || !value.is_string()) return stop("a key is malformed"), std::string();
        return {value.get_string().data(), value.get_string().size()};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    char const* fault_ = nullptr;
};

} // namespace

Result<std::string_view> jsonc_value(std::string_view text) {
    auto const mark = text.starts_with("\xef\xbb\xbf") ? std::size_t{3} : std::size_t{0};
    JsoncWalker walker(text.substr(mark));
    walker.skip_blanks();
    auto const begin = walker.at();
    walker.value(0);
    auto const end = walker.at();
    walker.skip_blanks();
    if (walker.failed() || !walker.at_end()) return walker.error();
    return text.substr(mark + begin, end - begin);
}

std::vector<JsoncMember> jsonc_members(std::string_view object) {
    std::vector<JsoncMember> out;
    JsoncWalker walker(object);
    if (walker.take('{')) walker.members(0, &out);
    if (walker.failed()) out.clear();
    return out;
}

} // namespace pfar::config
