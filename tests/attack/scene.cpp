// Builds what is attacked. The secret is new in every scene, so that nothing left from another one can be mistaken for a find.
#include "scene.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attack {
namespace {

namespace fs = std::filesystem;

std::string new_secret() {
    unsigned char bytes[8] = {};
    ssize_t const got = ::getrandom(bytes, sizeof bytes, 0);
    std::string out = secret_mark;
    for (ssize_t i = 0; i < got; ++i) {
        char text[3];
        std::snprintf(text, sizeof text, "%02x", bytes[i]);
        out += text;
    }
    return out;
}

void write(std::string const& path, std::string const& text) {
    ::umask(077);
    fs::create_directories(fs::path(path).parent_path());
    if (!spill(path, text, O_CREAT | O_TRUNC)) std::perror(path.c_str());
}

Facts build_files(std::string const& directory, std::string const& secret) {
    Facts facts{{"dir", directory},
                {"pfar_home", directory + "/pfar-home"},
                {"home", directory + "/home"},
                {"granted", directory + "/granted"},
                {"program", directory + "/bin/pfar-attack"},
                {"signalled", directory + "/signalled"},
                {"tmp_file", "/tmp/pfar-attack-file-" + digest(secret)},
                {"shm_name", "pfar-attack-" + digest(secret).substr(0, 8)},
                {"passwd", digest(slurp("/etc/passwd"))},
                {"digest", digest(secret)}};
    write(directory + "/pfar-home/vault/secret", secret + "\n");
    for (char const* const place : {"/pfar-home/mcp", "/pfar-home/plugins", "/pfar-home/run", "/granted/swap", "/bin"})
        fs::create_directories(directory + place);
    write(directory + "/granted/swap/secret", "nothing\n");
    write(directory + "/home/.ssh/id_ed25519", secret + "\n");
    write(directory + "/home/.ssh/authorized_keys", "\n");
    write(directory + "/home/.bashrc", "\n");
    write(facts["tmp_file"], secret + "\n");
    write("/dev/shm/" + facts["shm_name"], secret + "\n");
    fs::copy_file("/proc/self/exe", facts["program"], fs::copy_options::overwrite_existing);
    ::chmod(facts["program"].c_str(), 0755);
    return facts;
}

struct Shared {
    int memory, queue, semaphore;
    mqd_t posix_queue;
    long key;
};

/// Under one number, new in every scene.
Shared share(Facts& facts, std::string const& secret) {
    auto const key = static_cast<key_t>(std::strtoull(facts["digest"].c_str(), nullptr, 10) % 0x7ffffff0U + 1);
    facts["ipc_key"] = std::to_string(key);
    Shared out{};
    out.memory = ::shmget(key, 4096, IPC_CREAT | 0600);
    if (void* const room = ::shmat(out.memory, nullptr, 0); reinterpret_cast<std::intptr_t>(room) != -1) {
        std::memcpy(room, secret.c_str(), secret.size() + 1);
        ::shmdt(room);
    }
    out.queue = ::msgget(key, IPC_CREAT | 0600);
    struct {
        long type;
        char text[64];
    } message{1, {}};
    std::memcpy(message.text, secret.c_str(), secret.size());
    ::msgsnd(out.queue, &message, secret.size(), IPC_NOWAIT);
    out.semaphore = ::semget(key, 1, IPC_CREAT | 0600);
    out.posix_queue = ::mq_open(("/" + facts["shm_name"]).c_str(), O_CREAT | O_RDWR, 0600, nullptr);
    facts["key_name"] = "pfar-attack-" + facts["digest"];
    ::syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING);
    out.key =
        ::syscall(SYS_add_key, "user", facts["key_name"].c_str(), secret.data(), secret.size(), KEY_SPEC_USER_KEYRING);
    ::syscall(SYS_keyctl, KEYCTL_SETPERM, out.key, 0x3f3f0000);
    facts["key"] = std::to_string(out.key);
    return out;
}

void unshare_all(Facts const& facts, Shared const& shared) {
    ::shmctl(shared.memory, IPC_RMID, nullptr);
    ::msgctl(shared.queue, IPC_RMID, nullptr);
    ::semctl(shared.semaphore, 0, IPC_RMID);
    ::mq_unlink(("/" + fact(facts, "shm_name")).c_str());
    ::syscall(SYS_keyctl, KEYCTL_UNLINK, shared.key, KEY_SPEC_USER_KEYRING);
}

/// In a process group of its own, in PFAR_HOME; says where the secret lies in its memory.
pid_t start_victim(Facts& facts, std::string const& secret) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    auto const program = facts["program"];
    auto const environment = "PFAR_ATTACK_SECRET=" + secret;
    pid_t const child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setpgid(0, 0);
        ::dup2(ends[1], 1);
        ::dup2(::open((facts["pfar_home"] + "/vault/secret").c_str(), O_RDONLY), 9);
        if (::chdir(facts["pfar_home"].c_str()) != 0) ::_exit(1);
        char const* const argv[] = {program.c_str(), "victim", facts["signalled"].c_str(), secret.c_str(), nullptr};
        char const* const envp[] = {environment.c_str(), nullptr};
        ::execve(program.c_str(), const_cast<char**>(argv), const_cast<char**>(envp));
        ::_exit(1);
    }
    ::close(ends[1]);
    char text[32] = {};
    if (::read(ends[0], text, sizeof text - 1) > 0) facts["address"] = text;
    facts["victim"] = facts["victim_group"] = std::to_string(child);
    facts["victim_fd"] = "9";
    return child;
}

/// A process in namespaces of its own, for attempts to join them; none where the machine refuses them.
pid_t start_holder(Facts& facts) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t const child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) ::_exit(1);
        ::prctl(PR_SET_DUMPABLE, 1);
        (void)!::write(ends[1], "x", 1);
        for (;;) ::pause();
    }
    ::close(ends[1]);
    char ready = 0;
    if (::read(ends[0], &ready, 1) == 1) facts["holder"] = std::to_string(child);
    return child;
}

void end(pid_t child) {
    if (child <= 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

} // namespace

void restore_swap(Facts const& facts) {
    auto const place = fact(facts, "granted") + "/swap";
    if (!fs::is_symlink(place)) return;
    ::unlink(place.c_str());
    ::rename((place + ".old").c_str(), place.c_str());
}

int run_scene(std::string const& directory) {
    auto const secret = new_secret();
    Listeners listeners;
    auto facts = build_files(directory, secret);
    facts.merge(listeners.open(directory, secret));
    auto const shared = share(facts, secret);
    pid_t const victim = start_victim(facts, secret);
    pid_t const holder = start_holder(facts);

    std::string line = "ready";
    for (auto const& [key, value] : facts) line += " " + key + "=" + value;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    listeners.serve(0);

    end(victim);
    end(holder);
    unshare_all(facts, shared);
    ::unlink(facts["tmp_file"].c_str());
    ::unlink(("/dev/shm/" + facts["shm_name"]).c_str());
    std::error_code error;
    for (char const* const part : {"pfar-home", "home", "granted", "bin", "run", "signalled"})
        fs::remove_all(directory + "/" + part, error);
    return 0;
}

int run_victim(char** arguments) {
    static std::string signalled, secret;
    signalled = arguments[0];
    secret = arguments[1];
    ::signal(SIGUSR1, [](int) { ::close(::open(signalled.c_str(), O_CREAT | O_WRONLY, 0600)); });
    std::printf("%lx", reinterpret_cast<unsigned long>(secret.data()));
    std::fflush(stdout);
    ::close(1);
    for (;;) ::pause();
}

} // namespace attack
