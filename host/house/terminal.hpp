// A terminal of a sandbox's own: the person's terminal stays ours, in raw mode, and bytes are passed between the two.
#pragma once

#include "base/fd.hpp"

#include <pfar/result.hpp>

#include <array>
#include <string>

struct termios;

namespace pfar::house {

/// Open while the sandbox runs; the person's modes are back as they were when it goes. [main thread]
class Terminal {
public:
    /// For those of 0, 1 and 2 that are a terminal. None of them is one: an object that does nothing.
    static Result<Terminal> open();
    /// For streams that are none of the person's: an object that does nothing.
    static Result<Terminal> none(std::array<int, 3> stdio);

    Terminal(Terminal&& other) noexcept;
    Terminal& operator=(Terminal&&) = delete;
    ~Terminal();

    /// What the sandbox gets as stdin, stdout and stderr: ours, or the new terminal in place of a terminal.
    [[nodiscard]] std::array<int, 3> stdio() const { return stdio_; }
    /// True if the sandbox's stdin is the new terminal, so that it is its controlling one.
    [[nodiscard]] bool controls() const { return keyboard_; }
    /// The name of the new terminal on this machine; empty if there is none.
    [[nodiscard]] std::string name() const;
    /// To be polled for output; -1 if there is none.
    [[nodiscard]] int output() const { return master_.number(); }
    /// To be polled for what is typed; -1 if nothing is, or while what was typed before has not been taken.
    [[nodiscard]] int keyboard() const { return is_raw_ && pending_.empty() ? 0 : -1; }
    [[nodiscard]] bool wants_to_write() const { return !pending_.empty(); }

    /// The sandbox has its copies; ours would keep the terminal open.
    void started();
    void take_window_size() const;
    void pass_output();
    void pass_keys();
    void flush_keys();
    /// All that is still to be shown, without waiting.
    void drain();
    /// Takes the keyboard, if there is one and we are in the foreground.
    void raw();
    void restore();

private:
    Terminal() = default;

    base::Fd master_, slave_;
    std::array<int, 3> stdio_{0, 1, 2};
    int screen_ = 1; // where output is shown
    bool keyboard_ = false, is_raw_ = false;
    std::string pending_; // typed, and not yet taken by the sandbox
};

} // namespace pfar::house
