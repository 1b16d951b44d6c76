// Heard: what a command says, kept from the person's streams for somebody who wants to hear it.
#pragma once

#include "base/fd.hpp"
#include "base/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string_view>

namespace pfar::house {

struct Heard {
    base::Fd ours, theirs;

    static Result<Heard> open() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::io, "no pipe: " + base::errno_text(errno));
        return Heard{base::Fd(ends[0]), base::Fd(ends[1])};
    }
    /// What was said before the end and not read yet; only what is there.
    void rest(std::function<void(std::string_view)> const& to) const {
        char buffer[16U << 10U];
        for (pollfd more{ours.number(), POLLIN, 0}; ::poll(&more, 1, 0) > 0 && (more.revents & POLLIN) != 0;) {
            auto const got = ::read(ours.number(), buffer, sizeof buffer);
            if (got <= 0) return;
            to({buffer, static_cast<std::size_t>(got)});
        }
    }
};

} // namespace pfar::house
