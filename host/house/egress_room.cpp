#include "house/egress_room.hpp"

#include "base/digest.hpp"
#include "house/vault.hpp"
#include "loader/select.hpp"

#include <sys/resource.h>

namespace pfar::house {
namespace {

/// Every tunnel takes two descriptors. What is started from here sets its own limit.
void raise_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<Secret> upstream_authorization(House const& house, Record& record) {
    auto const& entry = house.settings.egress_upstream_auth;
    if (entry.empty()) return Secret();
    PFAR_TRY(vault, Vault::open(house));
    PFAR_TRY(login, vault.find(entry));
    record.add({"credential", {{"outcome", "given"}, {"entries", {entry}}, {"to", house.settings.egress_upstream}}});
    return base::basic_authorization(login);
}

/// The proxy that pfar.toml names, with its credentials; null if it names none.
Result<std::shared_ptr<egress::UpstreamProxy const>> upstream_proxy(House const& house, Record& record) {
    auto const& place = house.settings.egress_upstream;
    if (place.empty()) return std::shared_ptr<egress::UpstreamProxy const>();
    auto const rule = config::parse_domain(place); // it was read by the same function
    PFAR_TRY(authorization, upstream_authorization(house, record));
    auto proxy = std::make_shared<egress::UpstreamProxy>();
    proxy->host = rule->address && rule->host.find(':') != std::string::npos ? "[" + rule->host + "]" : rule->host;
    proxy->port = *rule->port;
    proxy->authorization = std::move(authorization);
    return std::shared_ptr<egress::UpstreamProxy const>(std::move(proxy));
}

} // namespace

Result<void> EgressRoom::prepare() {
    if (lane_) return {};
    raise_descriptors();
    auto filters = load_kind(house_, EgressFilter::kind);
    PFAR_TRY(filter, loader::choose<EgressFilter>(filters, house_.settings.egress_filter, "proxy-connect"));
    PFAR_TRY(upstream, upstream_proxy(house_, record_));
    (void)record_.open(); // before the lane's thread adds to it
    filters_ = std::move(filters);
    filter_ = filter.plugin;
    filter_name_ = filter.name;
    upstream_ = std::move(upstream);
    lane_ = std::make_unique<egress::Lane>();
    return {};
}

egress::Rules EgressRoom::complete(egress::Rules rules) const {
    if (upstream_) rules.upstream = upstream_;
    return rules;
}

Result<std::unique_ptr<egress::Passage>> EgressRoom::open(Task task) {
    PFAR_CHECK(prepare());
    auto audit = [this](boost::json::object details) { record_.add({"egress", std::move(details)}); };
    egress::PassageTask passage{complete(std::move(task.rules)), std::move(task.listeners), task.require_sni,
                                std::move(audit)};
    return egress::Passage::open(*lane_, *filter_, filter_name_, std::move(passage));
}

} // namespace pfar::house
