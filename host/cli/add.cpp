// pfar add
#include "cli/add_report.hpp"
#include "cli/add_wish.hpp"
#include "cli/secret_prompt.hpp"
#include "cli/vault_open.hpp"
#include "house/vault_bell.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace pfar::cli {
namespace {

/// One command's run: what it needs one after the other.
class Run {
public:
    Run(Arguments const& arguments, house::House& house, Console& console)
        : arguments_(arguments), house_(house), console_(console) {}

    int run() {
        int code = exit_ok;
        auto request = read_request(arguments_, house_, code);
        if (!request)
            return console_.complain(request.error().what), code != exit_ok ? code : exit_code(request.error().code);
        request_ = std::move(*request);
        auto const prepared = house::prepare_servers(house_, request_.wish);
        if (!prepared) return failed(console_, prepared.error());
        if (arguments_.has("dry-run")) {
            show_drafts(console_, request_.wish, *prepared, arguments_.has("json"));
            return exit_ok;
        }
        if (auto const asked = ask_secrets(); !asked) return failed(console_, asked.error());
        auto const added = house::add_servers(house_, request_.wish, [this] { return open_vault(); });
        if (!added) return failed(console_, added.error());
        record(*added);
        arguments_.has("json") ? console_.print(added_json(request_.wish, *added))
                               : print_added(console_, request_.wish, *added);
        return exit_ok;
    }

private:
    Result<house::Vault*> open_vault() {
        if (!vault_) {
            PFAR_TRY(opened, house::Vault::open(house_, ask_passphrase(console_)));
            vault_.emplace(std::move(opened));
        }
        return &*vault_;
    }

    /// What the vault has is used; what it does not have is asked for.
    Result<void> ask_secrets() {
        if (request_.asked.empty()) return {};
        PFAR_TRY(vault, open_vault());
        auto& secrets = request_.wish.servers.front().secrets;
        std::vector<AskedSecret const*> open;
        for (auto const& asked : request_.asked) {
            PFAR_TRY(there, vault->has(asked.entry));
            if (there && !request_.wish.replace)
                secrets.push_back({asked.variable, asked.entry, {}});
            else
                open.push_back(&asked);
        }
        PFAR_TRY(values, take_values(open));
        for (std::size_t i = 0; i < open.size(); ++i) {
            PFAR_CHECK(house::check_value(open[i]->variable, values[i], arguments_.has("short")));
            secrets.push_back({open[i]->variable, open[i]->entry, std::move(values[i])});
        }
        return {};
    }

    /// From the terminal, or a line of stdin for each.
    [[nodiscard]] Result<std::vector<Secret>> take_values(std::vector<AskedSecret const*> const& open) const {
        std::vector<Secret> out;
        if (open.empty()) return out;
        bool const by_terminal = request_.stdin_is_taken || ::isatty(STDIN_FILENO) == 1;
        if (!by_terminal) return take_lines(open.size());
        for (auto const* const asked : open) {
            auto value = ask_hidden_value(fmt::format("Value of {} (not shown)", asked->variable));
            if (!value && value.error().code == Errc::locked)
                return fail(Errc::locked,
                            fmt::format("{}; first run pfar vault set {}", value.error().what, asked->entry));
            if (!value) return value.error();
            out.push_back(std::move(*value));
        }
        return out;
    }

    static Result<std::vector<Secret>> take_lines(std::size_t count) {
        PFAR_TRY(all, read_secret(STDIN_FILENO, (most_value + 2) * count));
        std::vector<Secret> out;
        auto rest = all.reveal();
        while (out.size() < count && !rest.empty()) {
            auto line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            if (line.ends_with('\r')) line.remove_suffix(1);
            out.emplace_back(line);
        }
        if (out.size() < count || rest.find_first_not_of("\r\n") != rest.npos)
            return fail(
                Errc::invalid,
                fmt::format("stdin has {} lines than there are values to take: it is one line for each --secret that "
                            "the vault does not have; nothing was changed",
                            out.size() < count ? "fewer" : "more"));
        return out;
    }

    void record(house::Added const& added) {
        if (added.set.empty()) return;
        house::Record record(house_);
        for (auto const& entry : added.set)
            record.add({"vault", {{"action", "set"}, {"entry", entry}, {"outcome", "ok"}}});
        if (auto const rung = house::ring_vault_bell(house_.places.home); !rung)
            console_.complain(fmt::format("warning: {}; restart them yourself", rung.error().what));
    }

    Arguments const& arguments_;
    house::House& house_;
    Console& console_;
    AddRequest request_;
    std::optional<house::Vault> vault_;
};

} // namespace

int run_add(Arguments const& arguments, Console& console) {
    int code = exit_ok;
    auto house = open_for_vault(console, code);
    return house ? Run(arguments, *house, console).run() : code;
}

} // namespace pfar::cli
