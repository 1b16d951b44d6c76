// The environment is emptied first, so that a test says the same on every machine.
#include "sandbox/stage.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace test {
namespace {

constexpr unsigned ordinary = 4243; // nobody's

} // namespace

std::ostream& operator<<(std::ostream& out, Setting const& setting) {
    return out << setting.backend << " as " << (setting.uid == 0 ? "oneself" : "user " + std::to_string(setting.uid));
}

std::vector<Setting> settings() {
    std::vector<Setting> all;
    for (auto const* const backend : {"bwrap", "landlock"}) {
        all.push_back({backend, 0});
        if (::geteuid() == 0) all.push_back({backend, ordinary});
    }
    return all;
}

std::vector<Setting> people() {
    std::vector<Setting> all{{"auto", 0}};
    if (::geteuid() == 0) all.push_back({"auto", ordinary});
    return all;
}

Stage::Stage(Setting setting) : setting_(std::move(setting)) {
    std::string pattern = "/var/tmp/pfar-sandbox-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = std::filesystem::canonical(pattern);
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
    std::filesystem::create_directories(pfar_home());
    std::filesystem::permissions(pfar_home(), std::filesystem::perms(0700));
    own();
}

Stage::~Stage() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

std::vector<std::filesystem::path> paths_below(std::filesystem::path const& directory) {
    std::vector<std::filesystem::path> all, open{directory};
    while (!open.empty()) {
        auto const next = std::move(open.back());
        open.pop_back();
        std::error_code error;
        for (std::filesystem::directory_iterator at(next, error), end; !error && at != end; at.increment(error)) {
            all.push_back(at->path());
            if (std::error_code gone; at->symlink_status(gone).type() == std::filesystem::file_type::directory)
                open.push_back(at->path());
        }
    }
    return all;
}

std::vector<std::filesystem::path> groups_of(pid_t pid) {
    auto all = paths_below("/sys/fs/cgroup");
    std::erase_if(all, [mark = "pfar." + std::to_string(pid) + "."](auto const& path) {
        return !path.filename().native().starts_with(mark);
    });
    return all;
}

bool Stage::is_root() const {
    return setting_.uid == 0 && ::geteuid() == 0;
}

void Stage::own() const {
    if (setting_.uid == 0) return;
    bool ok = ::lchown(path_.c_str(), setting_.uid, setting_.uid) == 0;
    for (auto const& path : paths_below(path_)) // of a host that runs, some come and go
        ok = (::lchown(path.c_str(), setting_.uid, setting_.uid) == 0 || errno == ENOENT) && ok;
    if (!ok) throw std::runtime_error("files cannot be given to the test's user");
}

std::filesystem::path Stage::write(std::string const& name, std::string const& content, unsigned mode) const {
    auto const file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    std::filesystem::permissions(file, std::filesystem::perms(mode));
    own();
    return file;
}

std::filesystem::path Stage::make(std::string const& directory) const {
    std::filesystem::create_directories(path_ / directory);
    own();
    return path_ / directory;
}

std::vector<std::string> Stage::words(std::vector<std::string> arguments) const {
    std::vector<std::string> all{"/usr/bin/env",
                                 "-i",
                                 "PATH=/usr/local/bin:/usr/bin:/bin",
                                 "HOME=" + home().native(),
                                 "PFAR_HOME=" + pfar_home().native(),
                                 "NO_COLOR=1"};
    all.insert(all.end(), environment.begin(), environment.end());
    all.emplace_back(PFAR_PROGRAM);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

std::vector<std::string> Stage::exec_words(std::vector<std::string> options,
                                           std::vector<std::string> const& command) const {
    std::vector<std::string> arguments{"exec", "--backend", setting_.backend};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return words(std::move(arguments));
}

Outcome Stage::pfar(std::vector<std::string> arguments, std::filesystem::path const& directory) const {
    return run({words(std::move(arguments)), {}, directory, {}, setting_.uid});
}

Outcome Stage::exec(std::vector<std::string> options, std::vector<std::string> const& command, std::string input,
                    std::filesystem::path const& directory) const {
    return run({exec_words(std::move(options), command), {}, directory, std::move(input), setting_.uid});
}

Outcome Stage::sh(std::string const& script, std::vector<std::string> options) const {
    return exec(std::move(options), {"sh", "-c", script});
}

Outcome Stage::bare(std::string const& script) const {
    return run({{"/bin/sh", "-c", script}, {}, "/", {}, setting_.uid});
}

} // namespace test
