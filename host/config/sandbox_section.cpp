// [sandbox] and [timeouts].
#include "config/sections.hpp"

#include <algorithm>
#include <tuple>

namespace pfar::config {
namespace {

std::vector<Promise> read_require(TableReader& section) {
    base::Spelling<Promise, promise_names.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = {promise_names[i], static_cast<Promise>(i)};
    std::vector<Promise> require;
    for (auto const& given : section.texts("require"))
        if (auto const promise = section.accept(given, parse_word(given.value, words), "require"))
            require.push_back(*promise);
    return require;
}

void check_backend(TableReader& section, Text const& backend, Reading const& reading, bool requires_something) {
    if (backend.value == "unconfined" && requires_something)
        section.findings().error(
            backend.where, {"sandbox.backend = \"unconfined\" keeps no promise, and sandbox.require asks for some",
                            "a backend that confines: \"auto\"",
                            "to run it without any sandbox all the same, write beside it: require = []"});
    std::vector<std::string_view> known{"auto", "unconfined"};
    known.insert(known.end(), reading.context.backends.begin(), reading.context.backends.end());
    if (known.size() == 2 || std::find(known.begin(), known.end(), backend.value) != known.end()) return;
    auto const meant = base::nearest(backend.value, known);
    section.findings().error(
        backend.where,
        {fmt::format("sandbox.backend: there is no sandbox plugin \"{}\"", base::printable(backend.value)),
         base::listed(known, "or"),
         meant ? fmt::format("did you mean \"{}\"?", *meant) : "pfar plugins lists what is installed"});
}

} // namespace

SandboxSpec read_sandbox(TableReader& section, Reading const& reading) {
    SandboxSpec sandbox;
    sandbox.memory_limit = section.size("memory_limit", sandbox.memory_limit);
    sandbox.tmp_size = section.size("tmp_size", sandbox.tmp_size);
    for (auto const& [key, size, least] :
         {std::tuple{"memory_limit", sandbox.memory_limit, 1U << 20U}, std::tuple{"tmp_size", sandbox.tmp_size, 4096U}})
        if (size < least)
            section.findings().error(
                section.where(key),
                {fmt::format("{} is {} bytes, in which nothing can run", section.full_name(key), size),
                 fmt::format("at least {} KiB", least / 1024), "write the unit behind the number, as in \"256m\""});
    sandbox.pids_limit = section.number("pids_limit", sandbox.pids_limit, 1, 1 << 22);
    sandbox.read_only_fs = section.flag("read_only_fs", sandbox.read_only_fs);
    sandbox.allow_tmp = section.flag("allow_tmp", sandbox.allow_tmp);
    if (section.has("require")) sandbox.require = read_require(section);
    if (auto const backend = section.text("backend")) {
        sandbox.backend = backend->value;
        check_backend(section, *backend, reading, !sandbox.require.empty());
    }
    return sandbox;
}

Timeouts read_timeouts(TableReader& section) {
    Timeouts timeouts;
    timeouts.start = section.duration("start", timeouts.start);
    timeouts.call = section.duration("call", timeouts.call);
    timeouts.call_max = section.duration("call_max", timeouts.call_max);
    for (auto const* const key : {"start", "call", "call_max"})
        if (section.has(key) && section.duration(key, std::chrono::milliseconds{1}).count() == 0)
            section.findings().error(section.where(key),
                                     {section.full_name(key) + " is 0", "a duration above 0", "such as \"30s\""});
    if (timeouts.call > timeouts.call_max)
        section.findings().error(section.where("call"),
                                 {"timeouts.call is longer than timeouts.call_max", "call at most as long as call_max",
                                  "shorten call, or lengthen call_max"});
    return timeouts;
}

} // namespace pfar::config
