// What the shim tells the host: see ShimNote.
#pragma once

#include <pfar/launch_plan.hpp>
#include <pfar/shim_wire.hpp>

namespace pfar::shim {

/// `fd` travels beside it, if it is not -1. A host that is gone is no error: its end ends us anyway.
void tell(ShimNoteKind kind, std::int32_t value, int fd = -1);

/// The end: a stage that failed, with errno, and what it was about.
[[noreturn]] void give_up(ShimStage stage, char const* about = "");

/// Gives up unless `ok`.
inline void must(bool ok, ShimStage stage, char const* about = "") {
    if (!ok) give_up(stage, about);
}

} // namespace pfar::shim
