// A person who connects something by the built pfar, and what there is of it in the home directory before and after.
#pragma once

#include "flows/install_stage.hpp"

#include <poll.h>

#include <chrono>
#include <functional>
#include <map>

namespace test {

/// What a conversation may change, by path: the text of small files, nothing of others; and the vault's entries.
using Belongings = std::map<std::string, std::string>;

class ConnectStage : public Stage {
public:
    explicit ConnectStage(Setting setting) : Stage(std::move(setting)) {
        environment.emplace_back("PATH=" PFAR_FIXTURES ":/usr/local/bin:/usr/bin:/bin");
        write("home/.pfar/templates/fixture.toml", read(PFAR_SOURCE "/tests/flows/fixture.toml"), 0600);
    }
    ConnectStage(ConnectStage const&) = delete;
    ConnectStage& operator=(ConnectStage const&) = delete;
    ~ConnectStage() { static_cast<void>(pfar({"host", "stop"})); }

    /// By pipe: the words of the command and the lines of its stdin.
    [[nodiscard]] Outcome talk(std::vector<std::string> arguments, std::string const& lines) const {
        return run({words(std::move(arguments)), {}, "/", lines, setting().uid});
    }
    [[nodiscard]] Belongings belongings() const {
        Belongings out;
        for (auto const* const part : {"mcp", "mcp-servers", "state", "cache", "log/servers", "run/flows"})
            for (auto const& path : paths_below(pfar_home() / part))
                out[path.lexically_relative(pfar_home()).native()] = part == std::string("mcp") ? read(path) : "";
        return with_vault(std::move(out));
    }
    [[nodiscard]] bool has_entry(std::string const& name) const { return with_vault({}).contains("vault: " + name); }

    /// Looks again and again; false when the time is over.
    static bool soon(std::function<bool()> const& holds, int seconds = 20) {
        using Clock = std::chrono::steady_clock;
        for (auto const late = Clock::now() + std::chrono::seconds(seconds); Clock::now() < late;
             ::poll(nullptr, 0, 50))
            if (holds()) return true;
        return holds();
    }

private:
    [[nodiscard]] Belongings with_vault(Belongings out) const {
        auto const listed = pfar({"vault", "list", "--json"});
        boost::system::error_code bad;
        auto const entries = boost::json::parse(listed.out, bad);
        if (bad || !entries.is_array()) return out["vault: unreadable"] = listed.err, out;
        for (auto const& entry : entries.get_array()) out["vault: " + std::string(entry.at("name").as_string())] = "";
        return out;
    }
};

/// Both of them, one a line, for a check to show.
inline std::string as_text(Belongings const& all) {
    std::string out;
    for (auto const& [name, text] : all) out += name + "\n" + text;
    return out;
}

/// Like Live's own, for what takes longer than a moment.
inline bool says_at_last(Live& live, std::string const& text) {
    for (int tries = 0; tries < 12; ++tries)
        if (live.says(text)) return true;
    return false;
}
inline int end_at_last(Live& live) {
    int code = -1;
    for (int tries = 0; tries < 12 && code == -1; ++tries) code = live.end();
    return code;
}

/// What is left on a terminal: lines as they end up, without what was erased from them.
inline std::string as_seen(std::string const& heard) {
    std::string out, line;
    for (std::size_t at = 0; at < heard.size(); ++at) {
        if (heard.compare(at, 3, "\x1b[K") == 0) {
            at += 2; // to the end of the line: nothing of ours is there
        } else if (heard[at] == '\n') {
            out += line + "\n", line.clear();
        } else if (heard[at] == '\r') {
            if (at + 1 < heard.size() && heard[at + 1] != '\n') line.clear();
        } else {
            line += heard[at];
        }
    }
    return out + line;
}

} // namespace test
