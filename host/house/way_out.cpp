#include "house/way_out.hpp"

namespace pfar::house {

void WayOut::take(spawn::Note note) {
    auto const value = static_cast<unsigned>(note.value);
    listeners_.push_back({std::move(note.fd), static_cast<EgressListener::Role>(value >> 16U),
                          static_cast<std::uint16_t>(value & 0xffffU)});
}

Result<void> WayOut::open() {
    if (listeners_.empty()) return {};
    auto listeners = std::exchange(listeners_, {});
    PFAR_TRY(passage, room_.open({rules_, std::move(listeners), require_sni_}));
    passage_ = std::move(passage);
    return {};
}

void WayOut::use(servers::Wish const& wish) {
    rules_.allowed = wish.domains;
    rules_.allow_private = wish.allow_private;
    if (passage_) passage_->use(room_.complete(rules_));
}

std::vector<egress::Blocked> WayOut::blocked() const {
    return passage_ ? passage_->blocked() : blocked_;
}

std::vector<egress::Blocked> WayOut::close() {
    if (passage_) blocked_ = passage_->blocked();
    passage_.reset();
    return blocked_;
}

} // namespace pfar::house
