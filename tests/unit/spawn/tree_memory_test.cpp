// Memory is measured before and after: a forked child shares the test program's own pages with it.
#include "spawn/tree_memory.hpp"
#include "support/child.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <functional>

using namespace pfar;

namespace {

constexpr double mib = 1 << 20;

void* memory(std::size_t size, int flags) {
    return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
}

/// Lets a child take memory at a word, and says how much more its tree has then, in MiB.
class Taker {
public:
    explicit Taker(std::function<void()> const& take) {
        if (::pipe(go_) != 0 || ::pipe(done_) != 0) throw std::runtime_error("no pipe");
        child_ = ::fork();
        if (child_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            char byte = 0;
            if (::read(go_[0], &byte, 1) == 1) take();
            if (::write(done_[1], "x", 1) == 1) ::pause();
            ::_exit(1);
        }
    }
    Taker(Taker const&) = delete;
    Taker& operator=(Taker const&) = delete;
    ~Taker() {
        ::kill(child_, SIGKILL);
        test::ended(child_);
        for (int const fd : {go_[0], go_[1], done_[0], done_[1]}) ::close(fd);
    }

    [[nodiscard]] double taken() const {
        auto const before = static_cast<double>(spawn::tree_memory(child_));
        char byte = 0;
        if (::write(go_[1], "x", 1) != 1 || ::read(done_[0], &byte, 1) != 1) return -1;
        return (static_cast<double>(spawn::tree_memory(child_)) - before) / mib;
    }
    [[nodiscard]] pid_t child() const { return child_; }

private:
    int go_[2], done_[2];
    pid_t child_;
};

/// Makes children that each do something and then stay until their parent goes; returns when all have done it.
void with_children(int count, std::function<void()> const& each) {
    int done[2];
    if (::pipe(done) != 0) ::_exit(1);
    for (int i = 0; i < count; ++i)
        if (::fork() == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            each();
            if (::write(done[1], "x", 1) == 1) ::pause();
            ::_exit(1);
        }
    char byte = 0;
    for (int i = 0; i < count; ++i)
        if (::read(done[0], &byte, 1) != 1) ::_exit(1);
}

void touch(std::size_t size, int flags) {
    std::memset(memory(size, flags), 1, size);
}

/// A fork changes whose share of the test program's own pages is whose: so much may be more than was taken.
bool near(double taken, double expected) {
    static double const own = static_cast<double>(spawn::tree_memory(::getpid())) / mib;
    UNSCOPED_INFO(taken << " MiB instead of " << expected << ", own " << own);
    return taken > expected * 0.95 - 1 && taken < expected * 1.1 + 3 + own;
}

} // namespace

TEST_CASE("private and shared memory of one process is counted") {
    CHECK(near(Taker([] { touch(32 << 20, MAP_PRIVATE); }).taken(), 32));
    CHECK(near(Taker([] { touch(32 << 20, MAP_SHARED); }).taken(), 32));
    CHECK(near(Taker([] { memory(32 << 20, MAP_PRIVATE); }).taken(), 0)); // not touched, not there
}

TEST_CASE("twenty children count together, and what they share counts once") {
    CHECK(near(Taker([] { with_children(20, [] { touch(4 << 20, MAP_PRIVATE); }); }).taken(), 80));
    auto const shared = [] {
        auto* const common = memory(32 << 20, MAP_SHARED);
        with_children(20, [&] { std::memset(common, 1, 32 << 20); });
    };
    CHECK(near(Taker(shared).taken(), 32));
}

TEST_CASE("grandchildren count") {
    auto const deep = [] { with_children(1, [] { with_children(1, [] { touch(16 << 20, MAP_PRIVATE); }); }); };
    CHECK(near(Taker(deep).taken(), 16));
}

TEST_CASE("a process that does not let itself be looked at counts all the same") {
    auto const hidden = [](int dumpable) {
        return test::in_child([&] {
            if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 99; // root sees everything
            ::prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);                                       // for the child
            Taker const taker([] { touch(32 << 20, MAP_PRIVATE); });
            if (!near(taker.taken(), 32)) return 1;
            std::ifstream rollup("/proc/" + std::to_string(taker.child()) + "/smaps_rollup");
            std::string line;
            bool const visible(std::getline(rollup, line));
            return visible ? 2 : 3;
        });
    };
    CHECK(hidden(1) == 2);
    CHECK(hidden(0) == 3);
}

TEST_CASE("a process that is not there has no memory") {
    CHECK(spawn::tree_memory(0x7fffffff) == 0);
}
