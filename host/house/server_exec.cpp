// A server is ended for a changed credential only when everything for its next start is at hand: a vault that was locked meanwhile, or a file with a
// mistake in it, must not stop what runs.
#include "house/server_exec.hpp"

#include "base/log.hpp"
#include "house/confine.hpp"
#include "house/find_server.hpp"
#include "house/vault_bell.hpp"
#include "servers/server_wish.hpp"
#include "servers/uids.hpp"

#include <fmt/format.h>

#include <poll.h>

#include <cerrno>

namespace pfar::house {
namespace {

Result<servers::Wish> wish_for(ServerExec const& wanted, config::SurveyedFile const& file,
                               servers::OwnerFacts const& owner) {
    PFAR_TRY(wish, servers::server_wish(file, owner.pfar_home, wanted.tool));
    if (!wanted.backend.empty()) wish.sandbox.backend = wanted.backend;
    if (wish.sandbox.backend == "unconfined") wish.domains.clear(); // it reaches everything, and no proxy stands by
    if (!wanted.command.empty()) {
        wish.command = wanted.command.front();
        wish.args.assign(wanted.command.begin() + 1, wanted.command.end());
        wish.rule = servers::ArgRule::scripts_only;
    }
    return wish;
}

bool needs_vault(servers::Wish const& wish) {
    return !wish.auth.empty() || !wish.auth_files.empty();
}

/// Until somebody has changed something in the vault. Signals end us as they end any command.
Result<void> wait_for_vault(VaultBell& bell) {
    do {
        pollfd wait{bell.fd(), POLLIN, 0};
        if (::poll(&wait, 1, -1) < 0 && errno != EINTR) return fail(Errc::io, "poll failed");
    } while (!bell.heard());
    return {};
}

class ServerRun {
public:
    ServerRun(House const& house, ServerExec const& wanted, Record& record)
        : house_(house), wanted_(wanted), record_(record) {}

    Result<ExecEnd> until_it_ends() {
        PFAR_TRY(task, task_now());
        if (needs_vault(task.wish)) PFAR_CHECK(open_vault(task.wish));
        for (;;) {
            join(task);
            auto end = exec(house_, std::move(task), record_);
            if (!end || !end->again) return end;
            wanted_.warn(fmt::format("a credential of {} has changed; it is started anew", wanted_.server));
            task = std::move(*next_);
        }
    }

private:
    /// By the server's file as it is now.
    Result<ExecTask> task_now() {
        PFAR_TRY(file, find_server(house_, wanted_.server));
        PFAR_TRY(owner, owner_facts(house_));
        PFAR_TRY(wish, wish_for(wanted_, file, owner));
        PFAR_CHECK(make_state(wish));
        ExecTask task{std::move(wish), wanted_.warn, egress::Rules::Remedy::server_file};
        if (owner.identity.kernel_uid) {
            PFAR_TRY(uid, servers::uid_of(owner.pfar_home, file.identity.native()));
            task.uid = uid;
        }
        return task;
    }

    /// While the terminal is still ours: a passphrase may have to be asked for.
    Result<void> open_vault(servers::Wish const& wish) {
        PFAR_TRY(vault, Vault::open(house_, wanted_.ask));
        vault_.emplace(std::move(vault));
        PFAR_CHECK(wanted_.wait ? wait_until_complete(wish) : check_all_there(*vault_, wish));
        vault_->ask_nobody();
        return {};
    }

    Result<void> wait_until_complete(servers::Wish const& wish) {
        PFAR_TRY(bell, VaultBell::listen(house_.places.home));
        for (bool told = false;; told = true) {
            auto const found = check_all_there(*vault_, wish);
            if (found || found.error().code != Errc::not_found) return found;
            PFAR_TRY(status, vault_->status());
            if (status.read_only) return found; // nobody will set it
            if (!told) wanted_.warn("waiting: " + found.error().what);
            PFAR_CHECK(wait_for_vault(bell));
        }
    }

    void join(ExecTask& task) {
        if (!needs_vault(task.wish)) return;
        task.credentials = [this, wish = task.wish] { return give(wish); };
        task.look_first = ready_.has_value(); // it was read while the one before still ran
        if (wanted_.command.empty()) task.out_of_date = [this] { return wants_restart(); };
    }

    Result<Credentials> give(servers::Wish const& wish) {
        auto found = ready_ ? Result<Credentials>(std::move(*ready_)) : look_up(*vault_, wish);
        ready_.reset();
        if (!found) return found;
        auto const redactor = redactor_of(*found);
        base::redact_log(redactor);
        record_.redact_with(redactor);
        if (wanted_.known) wanted_.known(redactor);
        PFAR_CHECK(record_use(record_, wish.name, *found));
        given_ = found->entries;
        return found;
    }

    /// True if it has an old credential and everything for its next start is at hand.
    bool wants_restart() {
        auto const changed = is_out_of_date(*vault_, given_);
        if (changed && !*changed) return false;
        auto const ready = changed ? make_ready() : changed.error();
        if (ready) return true;
        wanted_.warn(fmt::format("{} goes on with the credentials it has: {}", wanted_.server, ready.error().what));
        return false;
    }

    Result<void> make_ready() {
        PFAR_TRY(task, task_now());
        if (needs_vault(task.wish)) {
            PFAR_TRY(found, look_up(*vault_, task.wish));
            ready_.emplace(std::move(found));
        }
        next_.emplace(std::move(task));
        return {};
    }

    House const& house_;
    ServerExec const& wanted_;
    Record& record_;
    std::optional<Vault> vault_;
    EntryTimes given_;                 // what the server has, and when that was set
    std::optional<ExecTask> next_;     // for the next start,
    std::optional<Credentials> ready_; // with what it will get
};

} // namespace

Result<ExecEnd> exec_server(House const& house, ServerExec const& wanted, Record& record) {
    return ServerRun(house, wanted, record).until_it_ends();
}

} // namespace pfar::house
