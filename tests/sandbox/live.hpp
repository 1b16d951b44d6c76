// A pfar that runs while the test talks to it, over pipes or on a terminal of the test's making.
#pragma once

#include "sandbox/stage.hpp"

#include <termios.h>

#include <string>
#include <vector>

namespace test {

/// What a child does after its fork: the command as that user, with the three streams and nothing else.
[[noreturn]] void become(std::vector<std::string> const& words, unsigned uid);

class Live {
public:
    enum class On { pipes, terminal };
    Live(Stage const& stage, std::vector<std::string> const& words, On on = On::pipes);
    Live(Live const&) = delete;
    Live& operator=(Live const&) = delete;
    ~Live(); // killed and reaped

    /// Reads on until `text` has come; false after 10 s or at the end.
    bool says(std::string const& text);
    void type(std::string const& keys) const;
    void close_input();
    void resize(unsigned short rows, unsigned short columns) const;
    [[nodiscard]] termios modes() const; // of the test's terminal
    void signal(int number) const;
    /// True once waitpid sees it stopped.
    [[nodiscard]] bool stops() const;
    /// Its exit code or 128 + signal; -1 if it goes on for 10 s.
    int end();
    [[nodiscard]] std::string const& heard() const { return heard_; } // since the last forget()
    void forget() { heard_.clear(); }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    bool hear(); // waits a moment; false at the end
    pid_t pid_ = -1;
    int in_ = -1, out_ = -1, slave_ = -1;
    bool ended_ = false;
    std::string heard_;
};

/// Orphans come to this process from now on, so that whatever is left can be seen.
void adopt_orphans();
/// True once this process has no child left, dead ones reaped, within 3 s; what is left is shown and killed.
bool no_child_is_left();

} // namespace test
