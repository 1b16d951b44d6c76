#include "house/way_out.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "loader/select.hpp"

#include <pfar/credential_store.hpp>

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

loader::PluginSet load_only(House const& house, std::string_view kind) {
    return loader::PluginSet::load(
        {house.layout.plugins, house.places.home, house.layout.share, house.layout.shim, &house.settings, kind, ""});
}

Result<Secret> upstream_authorization(House const& house) {
    auto const& entry = house.settings.egress_upstream_auth;
    if (entry.empty()) return Secret();
    auto const stores = load_only(house, CredentialStore::kind);
    PFAR_TRY(store, loader::choose<CredentialStore>(stores, house.settings.credential_store, "vault-file"));
    PFAR_TRY(login, loader::guarded_call(store.name, "find", [&] { return store.plugin->find(entry); }));
    return Secret("Basic " + base::base64(login.reveal()));
}

} // namespace

Result<std::shared_ptr<egress::UpstreamProxy const>> upstream_proxy(House const& house) {
    auto const& place = house.settings.egress_upstream;
    if (place.empty()) return std::shared_ptr<egress::UpstreamProxy const>();
    auto const rule = config::parse_domain(place); // it was read by the same function
    PFAR_TRY(authorization, upstream_authorization(house));
    auto proxy = std::make_shared<egress::UpstreamProxy>();
    proxy->host = rule->address && rule->host.find(':') != std::string::npos ? "[" + rule->host + "]" : rule->host;
    proxy->port = *rule->port;
    proxy->authorization = std::move(authorization);
    return std::shared_ptr<egress::UpstreamProxy const>(std::move(proxy));
}

WayOut::WayOut(House const& house, servers::Wish const& wish, egress::Rules::Remedy remedy)
    : house_(house), wish_(wish), remedy_(remedy) {}

WayOut::~WayOut() {
    (void)close();
}

void WayOut::take(spawn::Note note) {
    auto const value = static_cast<unsigned>(note.value);
    listeners_.push_back({std::move(note.fd), static_cast<EgressListener::Role>(value >> 16U),
                          static_cast<std::uint16_t>(value & 0xffffU)});
}

Result<egress::Rules> WayOut::rules() const {
    PFAR_TRY(upstream, upstream_proxy(house_));
    return egress::Rules{wish_.name, wish_.domains, wish_.allow_private, remedy_, std::move(upstream)};
}

egress::Ledger::Audit WayOut::audit() {
    auto opened = audit::Writer::open(house_.places.home / "audit");
    if (!opened) { // what is refused stays refused without it
        spdlog::error("no audit: {}", opened.error().what);
        return {};
    }
    audit_ = std::move(*opened);
    return [writer = audit_.get()](boost::json::object details) {
        writer->add({"egress", std::move(details)}, [](Result<void> const& written) {
            if (!written) spdlog::error("audit: {}", written.error().what);
        });
    };
}

Result<void> WayOut::open() {
    if (listeners_.empty()) return {};
    raise_descriptors();
    filters_ = load_only(house_, EgressFilter::kind);
    PFAR_TRY(filter, loader::choose<EgressFilter>(*filters_, house_.settings.egress_filter, "proxy-connect"));
    PFAR_TRY(rules, rules());
    lane_ = std::make_unique<egress::Lane>();
    egress::PassageTask task{std::move(rules), std::move(listeners_), wish_.require_sni, audit()};
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
    audit_.reset(); // writes what is left
    return blocked;
}

} // namespace pfar::house
