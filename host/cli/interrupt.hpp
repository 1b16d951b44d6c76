// Interrupt: Ctrl-C, a closed terminal and SIGTERM as something that a conversation notices, so that it can undo what it has begun.
#pragma once

#include "base/fd.hpp"
#include "control/client.hpp"

#include <thread>

namespace pfar::cli {

/// From here to its end these signals end nothing by themselves; the second one does. One at a time. [main thread]
class Interrupt {
public:
    Interrupt();
    Interrupt(Interrupt const&) = delete;
    Interrupt& operator=(Interrupt const&) = delete;
    ~Interrupt();

    [[nodiscard]] static bool came();
    /// What Ctrl-C was for is over; the next one is the first again. What asks the program to end stays.
    static void clear();
    /// Until something can be read, or the end of it: true. False once it came, also just before. [may block]
    [[nodiscard]] static bool waits_for(int fd);
    /// For whoever waits for the host.
    [[nodiscard]] control::Beside const& beside() const { return beside_; }

private:
    control::Beside beside_;
};

/// While it lives, the end of stdin interrupts like Ctrl-C: whoever is at the other end may leave while nobody reads. After an Interrupt.
class HangupInterrupts {
public:
    HangupInterrupts();
    HangupInterrupts(HangupInterrupts const&) = delete;
    HangupInterrupts& operator=(HangupInterrupts const&) = delete;
    ~HangupInterrupts();

private:
    base::Fd stop_;
    std::thread watch_;
};

} // namespace pfar::cli
