// Runs a wish in the foreground, as if it were a plain command: its streams, its signals, its exit code.
#pragma once

#include "egress/ledger.hpp"
#include "egress/rules.hpp"
#include "house/credentials.hpp"
#include "house/record.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pfar::house {

struct ExecEnd {
    int code = 0;                           // the command's own; 128 + signal if it was killed
    std::string trouble;                    // a sentence if it was ended for want of memory, or never ran
    std::vector<egress::Blocked> blocked{}; // where it was not let go
    bool again = false;                     // it was ended because it is out of date
    int interrupted = 0;                    // the signal that came for it, and was passed on
};

struct ExecTask {
    servers::Wish wish;
    std::function<void(std::string const&)> warn; // hears, before it runs, of promises that are not kept here
    egress::Rules::Remedy remedy = egress::Rules::Remedy::option;
    std::optional<uid_t> uid{};                         // as root: its own; none: one that nobody has now
    std::function<Result<Credentials>()> credentials{}; // asked at the last moment
    std::function<bool()> out_of_date{};                // asked when the vault's bell rings
    bool look_first = false;                            // asked at once, too
    std::function<void(std::string_view)>
        output{};                        // hears stdout and stderr, and stdin is empty; none: our own streams
    std::function<std::string()> tick{}; // asked every 250 ms; a sentence ends it, and so does a signal, soon
    std::shared_ptr<egress::UpstreamProxy const> upstream{}; // if pfar.toml names none
};

/// An error if it could not be started. [main thread, may block until it ends]
Result<ExecEnd> exec(House const& house, ExecTask task, Record& record);

} // namespace pfar::house
