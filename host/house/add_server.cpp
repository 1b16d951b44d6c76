// Credentials first, then the list of trusted digests, then the file: what a host sees appear is complete, and a kill in between leaves no server.
#include "house/add_server.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/write_server.hpp"
#include "house/home_lock.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;
using config::Origin;
using config::SurveyedFile;

Result<Prepared> read_back(NewServer const& server, config::FoundFile found, House const& house) {
    Prepared out{std::move(found), config::write_server(server.spec), {}, {}, {}, {}};
    if (out.text.size() > config::most_config_bytes)
        return fail(Errc::invalid,
                    fmt::format("{}: its file would be larger than 1 MiB; give it less in arguments and variables",
                                server.spec.name));
    auto const read = config::read_server_file(config::Source(out.text), config::context_of(out.found, house.places));
    for (auto const& mistake : read.mistakes) {
        if (mistake.severity == config::Severity::error)
            return fail(Errc::invalid, fmt::format("{}: {}; {}", server.spec.name, mistake.what,
                                                   mistake.fix.empty() ? mistake.expected : mistake.fix));
        out.warnings.push_back(mistake.what);
    }
    return out;
}

/// What else has this name.
void look_around(Prepared& file, std::vector<SurveyedFile>& files) {
    for (auto& other : files) {
        if (other.found.name != file.found.name) continue;
        if (other.found.file == file.found.file)
            file.replaced = std::move(other);
        else if (other.found.origin < file.found.origin && other.role == SurveyedFile::Role::used)
            file.shadowed = other.found.file;
        else if (other.found.origin > file.found.origin && !file.shadows)
            file.shadows = other.found.file;
    }
}

Result<void> check_free(Prepared const& file, bool force) {
    struct stat status {};
    bool const there = ::lstat(file.found.file.c_str(), &status) == 0;
    if (!there || force) return {};
    return fail(Errc::conflict,
                fmt::format("there is a server {0} already ({1}); pfar edit {0} changes it, and --force puts the "
                            "new one in its place",
                            file.found.name, base::printable(file.found.file.native())));
}

/// Of a file that others of a project may read, if the owner's mask lets them.
mode_t usual_mode() {
    auto const mask = ::umask(077);
    ::umask(mask);
    return 0644U & ~mask;
}

/// Undoes what it has seen done, unless it is told to keep it.
class Work {
public:
    Work(House const& house, Vault* vault) : house_(house), vault_(vault) {}
    Work(Work const&) = delete;
    Work& operator=(Work const&) = delete;
    ~Work() {
        for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
    }
    void keep() { undo_.clear(); }

    Result<Kept> keep_secret(NewSecret const& secret, bool replace);
    Result<void> trust(Prepared const& file);
    Result<void> make_directory(fs::path const& directory, mode_t mode);
    Result<void> write(Prepared const& file);

private:
    House const& house_;
    Vault* vault_;
    std::vector<std::function<void()>> undo_;
};

Result<Kept> Work::keep_secret(NewSecret const& secret, bool replace) {
    if (vault_ == nullptr) return Kept::unknown;
    PFAR_TRY(there, vault_->has(secret.entry));
    if (!secret.value) return there ? Kept::before : Kept::missing;
    auto old = std::make_shared<Secret>();
    if (there) {
        PFAR_TRY(found, vault_->find(secret.entry));
        if (found.same_as(*secret.value)) return Kept::before;
        if (!replace)
            return fail(Errc::conflict,
                        fmt::format("the vault has {0} already, with another value than {1} has here; --replace "
                                    "replaces it, and pfar vault rename {0} NEW keeps it under another name",
                                    secret.entry, secret.variable));
        *old = std::move(found);
    }
    PFAR_CHECK(vault_->keep(secret.entry, *secret.value));
    undo_.emplace_back([this, entry = secret.entry, there = there, old] {
        [[maybe_unused]] auto const undone = there ? vault_->keep(entry, *old) : vault_->remove(entry);
    });
    return Kept::now;
}

Result<void> Work::trust(Prepared const& file) {
    if (file.found.origin != Origin::project) return {};
    PFAR_TRY(list, config::TrustList::read(house_.places.home));
    auto const before = list;
    list.trust(file.found.file, base::sha256(file.text));
    PFAR_CHECK(list.write(house_.places.home));
    undo_.emplace_back([this, before] { [[maybe_unused]] auto const undone = before.write(house_.places.home); });
    return {};
}

Result<void> Work::make_directory(fs::path const& directory, mode_t mode) {
    if (::mkdir(directory.c_str(), mode) == 0) {
        undo_.emplace_back([directory] { ::rmdir(directory.c_str()); });
        return {};
    }
    if (errno == EEXIST) return {};
    return fail(errno == EACCES || errno == EPERM ? Errc::refused : Errc::io,
                fmt::format("{} could not be made: {}; make it writable for you", base::printable(directory.native()),
                            base::errno_text(errno)));
}

Result<void> Work::write(Prepared const& file) {
    auto const directory = file.found.file.parent_path();
    bool const in_project = file.found.origin == Origin::project;
    if (in_project) PFAR_CHECK(make_directory(directory.parent_path(), 0755));
    PFAR_CHECK(make_directory(directory, in_project ? 0755 : 0700));
    if (!file.replaced) {
        PFAR_CHECK(base::write_file(file.found.file, file.text, in_project ? usual_mode() : 0600));
        undo_.emplace_back([path = file.found.file] { ::unlink(path.c_str()); });
        return {};
    }
    // A link that came with a project may lead anywhere; it is replaced and not followed.
    auto const real = in_project ? file.found.file : file.replaced->identity;
    PFAR_TRY(old, base::read_file(real, config::most_config_bytes));
    auto const backup = fs::path(file.found.file.native() + ".bak");
    PFAR_CHECK(base::write_file(backup, old, 0600));
    PFAR_CHECK(rewrite(real, file.text));
    undo_.emplace_back([real, old, backup] {
        if ([[maybe_unused]] auto const undone = rewrite(real, old); undone) ::unlink(backup.c_str());
    });
    return {};
}

bool has_values(AddWish const& wish) {
    for (auto const& server : wish.servers)
        for (auto const& secret : server.secrets)
            if (secret.value) return true;
    return false;
}

bool has_secrets(AddWish const& wish) {
    for (auto const& server : wish.servers)
        if (!server.secrets.empty()) return true;
    return false;
}

/// Unlocked, if something is to be kept; null if nothing has to be, and asking would bother somebody.
Result<Vault*> open_for(AddWish const& wish, std::function<Result<Vault*>()> const& open) {
    if (!has_secrets(wish)) return nullptr;
    bool const needed = has_values(wish);
    auto const vault = open();
    if (!vault) return needed ? vault : Result<Vault*>(nullptr);
    auto const status = (*vault)->status();
    if (!needed && (!status || status->may_ask || status->locked)) return nullptr;
    PFAR_CHECK((*vault)->list());
    return vault;
}

} // namespace

Result<fs::path> root_for_project(config::Places const& places) {
    if (auto const root = config::project_root(places)) return *root;
    std::error_code error;
    auto const here = fs::canonical(places.directory, error);
    bool const is_home =
        fs::equivalent(here, places.user_home, error) || fs::equivalent(here / ".pfar", places.home, error);
    if (!is_home && !here.empty() && here != here.root_path()) return here;
    return fail(Errc::refused,
                fmt::format("{} is no project of its own; go to the project's directory, or leave --project out",
                            base::printable(places.directory.native())));
}

Result<std::vector<Prepared>> prepare_servers(House const& house, AddWish const& wish) {
    PFAR_TRY(trust, config::TrustList::read(house.places.home));
    auto places = house.places;
    if (wish.project) places.directory = *wish.project;
    auto files = config::survey(places, trust);
    auto const base = wish.project.value_or(places.home);
    auto const directory = wish.project ? base / ".pfar/mcp" : base / "mcp";
    std::vector<Prepared> out;
    std::set<std::string> names;
    for (auto const& server : wish.servers) {
        auto const& name = server.spec.name;
        if (!names.insert(name).second)
            return fail(Errc::conflict,
                        fmt::format("two of these servers would be called {}; give one of them another name", name));
        PFAR_TRY(file,
                 read_back(server,
                           {name, wish.project ? Origin::project : Origin::user, directory / (name + ".toml"), base},
                           house));
        look_around(file, files);
        PFAR_CHECK(check_free(file, wish.force));
        if (file.replaced) PFAR_CHECK(check_writable(*file.replaced, house));
        out.push_back(std::move(file));
    }
    return out;
}

Result<Added> add_servers(House const& house, AddWish const& wish, std::function<Result<Vault*>()> const& open) {
    PFAR_TRY(vault, open_for(wish, open)); // before the lock: a person may be asked
    PFAR_TRY(held, lock_home(house.places.home));
    PFAR_TRY(files, prepare_servers(house, wish));
    Added out{std::move(files), {}, {}};
    Work work(house, vault);
    for (auto const& server : wish.servers)
        for (auto const& secret : server.secrets) {
            bool const ours = out.entries.contains(secret.entry); // two of one name do not replace one another
            auto const kept = work.keep_secret(secret, wish.replace && !ours);
            if (!kept) return fail(kept.error().code, fmt::format("{}: {}", server.spec.name, kept.error().what));
            out.entries[secret.entry] = *kept;
            if (*kept == Kept::now) out.set.push_back(secret.entry);
        }
    for (auto const& file : out.files) {
        PFAR_CHECK(work.trust(file));
        PFAR_CHECK(work.write(file));
    }
    work.keep();
    return out;
}

} // namespace pfar::house
