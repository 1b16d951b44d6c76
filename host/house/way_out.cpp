#include "house/way_out.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "house/vault.hpp"
#include "loader/select.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

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

} // namespace

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

WayOut::WayOut(House const& house, servers::Wish const& wish, egress::Rules::Remedy remedy, Record& record)
    : house_(house), wish_(wish), remedy_(remedy), record_(record) {}

WayOut::~WayOut() {
    (void)close();
}

void WayOut::take(spawn::Note note) {
    auto const value = static_cast<unsigned>(note.value);
    listeners_.push_back({std::move(note.fd), static_cast<EgressListener::Role>(value >> 16U),
                          static_cast<std::uint16_t>(value & 0xffffU)});
}

Result<egress::Rules> WayOut::rules() const {
    PFAR_TRY(upstream, upstream_proxy(house_, record_));
    return egress::Rules{wish_.name, wish_.domains, wish_.allow_private, remedy_, std::move(upstream)};
}

Result<void> WayOut::open() {
    if (listeners_.empty()) return {};
    raise_descriptors();
    filters_ = load_kind(house_, EgressFilter::kind);
    PFAR_TRY(filter, loader::choose<EgressFilter>(*filters_, house_.settings.egress_filter, "proxy-connect"));
    PFAR_TRY(rules, rules());
    lane_ = std::make_unique<egress::Lane>();
    (void)record_.open(); // before the lane's thread adds to it
    egress::PassageTask task{std::move(rules), std::move(listeners_), wish_.require_sni,
                             [this](boost::json::object details) {
                                 record_.add({"egress", std::move(details)});
                             }};
    listeners_.clear();
    PFAR_TRY(passage, egress::Passage::open(*lane_, *filter.plugin, filter.name, std::move(task)));
    passage_ = std::move(passage);
    return {};
}

std::vector<egress::Blocked> WayOut::close() {
    std::vector<egress::Blocked> blocked;
    if (passage_) blocked = passage_->blocked();
    passage_.reset();
    lane_.reset();
    return blocked;
}

} // namespace pfar::house
