#include "house/host_report.hpp"

#include <boost/json.hpp>
#include <fmt/chrono.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace pfar::house {
namespace {

std::string time_text(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

boost::json::array parsed(std::string_view list_json) {
    boost::system::error_code bad;
    auto list = boost::json::parse(list_json, bad);
    return bad || !list.is_array() ? boost::json::array() : std::move(list.get_array());
}

bool is_running(boost::json::value const& server) {
    auto const* const object = server.if_object();
    auto const* const state = object != nullptr ? object->if_contains("state") : nullptr;
    return state != nullptr && state->is_string() && state->get_string() == "running";
}

/// Bytes.
std::uint64_t resident_memory() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0, resident = 0;
    in >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

boost::json::object common(HostFacts const& facts) {
    return {{"version", facts.identity.version},
            {"build", facts.identity.build},
            {"pid", ::getpid()},
            {"since", time_text(facts.since)}};
}

} // namespace

std::string host_report(HostFacts const& facts) {
    auto const servers = parsed(facts.list_json);
    auto out = common(facts);
    out["home"] = facts.house.places.home.native();
    out["servers"] = servers.size();
    out["running"] = std::count_if(servers.begin(), servers.end(), is_running);
    out["sessions"] = facts.sessions;
    out["connections"] = facts.connections;
    out["busy"] = facts.busy;
    out["on_demand"] = facts.on_demand;
    out["idle_exit"] = std::chrono::duration_cast<std::chrono::seconds>(facts.house.settings.idle_exit).count();
    out["audit_trouble"] = facts.record ? "" : facts.record.error().what;
    out["rss"] = resident_memory();
    return boost::json::serialize(out);
}

std::string greeting(HostFacts const& facts, bool idle) {
    auto out = common(facts);
    out["idle"] = idle;
    return boost::json::serialize(out);
}

std::size_t count_servers(std::string_view list_json) {
    return parsed(list_json).size();
}

} // namespace pfar::house
