// The buffer is looked through again with each chunk; if much is held back, only when it has grown by a quarter, so that time stays linear.
#include "base/redact_stream.hpp"

#include "base/redact_finder.hpp"

#include <algorithm>
#include <utility>

namespace pfar::base {
namespace {

constexpr std::size_t always_looked_at = 1024;
/// More than the longest escapes of as many base64 characters as make a line look wrapped.
constexpr std::size_t longest_word = 512;

bool is_of_word(char character) {
    return redaction::is_base64(character) || character == '=' || character == '%' || character == '\\';
}

/// At or before `place`: after it, escapes and wrapped lines are read as if everything before were still there. That is so between
/// words; and after so long a piece of one that whatever begins at `place` has its beginnings in it.
std::size_t cut_before(std::string_view text, std::size_t place) {
    auto cut = place;
    while (cut > 0 && place - cut < longest_word && is_of_word(text[cut - 1])) --cut;
    auto run = cut; // of backslashes: every second one is escaped, and so on as deep as escapes are undone
    while (run > 0 && text[run - 1] == '\\') --run;
    return cut - (cut - run) % 8;
}

} // namespace

std::string RedactingStream::feed(std::string_view chunk) {
    if (redactor_->empty()) return std::string(chunk);
    buffer_ += chunk;
    bool const grown = buffer_.size() - looked_at_ >= looked_at_ / 4;
    return buffer_.size() <= always_looked_at || grown ? release(true) : std::string();
}

std::string RedactingStream::finish() {
    auto rest = release(false);
    buffer_.clear();
    looked_at_ = swallowed_ = 0;
    return rest;
}

std::string RedactingStream::release(bool open) {
    auto found = redactor_->finder_->find(buffer_, open);
    for (auto const& [begin, end, secret] : std::exchange(sure_, {})) found.add({begin, end}, secret);
    auto const undecided = std::min(found.held(), buffer_.size());
    auto const cut = open ? cut_before(buffer_, undecided) : buffer_.size();
    looked_at_ = buffer_.size() - cut;
    std::string out;
    auto done = std::exchange(swallowed_, 0);
    for (auto const& [begin, end, first_end, secret] : std::move(found).merged()) {
        if (begin >= cut && end <= undecided) sure_.push_back({begin - cut, end - cut, secret});
        if (begin >= cut) continue;
        if (begin >= done) out.append(buffer_, done, begin - done).append(redactor_->labels_[secret]);
        done = std::max(done, end);
    }
    if (done < cut) out.append(buffer_, done, cut - done);
    swallowed_ = done > cut ? done - cut : 0;
    buffer_.erase(0, cut);
    return out;
}

} // namespace pfar::base
