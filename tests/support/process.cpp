// fork and exec; output goes to temporary files, so no pipe can fill up.
#include "support/process.hpp"

#include "support/temp_dir.hpp"

#include <catch2/catch_message.hpp>

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace test {
namespace {

[[noreturn]] void become(Invocation const& invocation, TempDir const& files) {
    auto const redirect = [](std::filesystem::path const& file, int flags, int target) {
        int const fd = ::open(file.c_str(), flags, 0666);
        if (fd < 0 || ::dup2(fd, target) < 0) ::_exit(127);
    };
    redirect(files / "in", O_RDONLY, 0);
    redirect(files / "out", O_WRONLY | O_CREAT, 1);
    redirect(files / "err", O_WRONLY | O_CREAT, 2);
    ::close_range(3, ~0U, 0);
    for (auto const& [name, value] : invocation.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!invocation.directory.empty() && ::chdir(invocation.directory.c_str()) != 0) ::_exit(127);
    if (invocation.uid != 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(invocation.uid) != 0 || ::setuid(invocation.uid) != 0))
        ::_exit(127);
    ::alarm(invocation.patience);
    std::vector<char*> argv;
    for (auto const& word : invocation.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

} // namespace

bool has(std::string const& text, std::string const& part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
}

Outcome run(Invocation const& invocation) {
    TempDir const files;
    files.write("in", invocation.input);
    pid_t const child = ::fork();
    if (child == 0) become(invocation, files);
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read(files / "out"),
            read(files / "err")};
}

Outcome pfar(std::filesystem::path const& home, std::vector<std::string> arguments,
             std::filesystem::path const& directory) {
    Invocation invocation;
    invocation.argv = std::move(arguments);
    invocation.argv.insert(invocation.argv.begin(), PFAR_PROGRAM);
    invocation.environment = {{"PFAR_HOME", home.native()}, {"NO_COLOR", "1"}, {"PFAR_LOG", ""}};
    invocation.directory = directory;
    return run(invocation);
}

} // namespace test
