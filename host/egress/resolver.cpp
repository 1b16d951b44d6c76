// A thread lives as long as there are names to look up. What it shares with the resolver outlives both.
#include "egress/resolver.hpp"

#include <boost/asio/post.hpp>

#include <csignal>
#include <deque>
#include <mutex>
#include <netdb.h>
#include <pthread.h>
#include <resolv.h>
#include <system_error>
#include <thread>

namespace pfar::egress {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t most_threads = 32, most_names = 1024, most_addresses = 16;

ip::address address_of(addrinfo const& info) {
    if (info.ai_family == AF_INET) {
        auto const* const four = reinterpret_cast<sockaddr_in const*>(info.ai_addr);
        return ip::make_address_v4(ntohl(four->sin_addr.s_addr));
    }
    auto const* const six = reinterpret_cast<sockaddr_in6 const*>(info.ai_addr);
    ip::address_v6::bytes_type bytes;
    std::copy(std::begin(six->sin6_addr.s6_addr), std::end(six->sin6_addr.s6_addr), bytes.begin());
    return ip::make_address_v6(bytes, six->sin6_scope_id);
}

/// What was judged is what is looked up: a name with a dot is complete, and no search list is tried on it. (For this thread; a
/// name without a dot means what the machine says it means.)
void search_no_further(std::string const& name) {
    if (::res_init() != 0 || name.find('.') == std::string::npos) return;
    _res.options &= ~static_cast<unsigned long>(RES_DNSRCH | RES_DEFNAMES);
}

Lookup look_up_now(std::string const& name) {
    search_no_further(name);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (int const error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found); error != 0)
        return {{}, ::gai_strerror(error)};
    std::unique_ptr<addrinfo, void (*)(addrinfo*)> const kept(found, ::freeaddrinfo);
    Lookup out;
    for (auto const* info = found; info != nullptr && out.addresses.size() < most_addresses; info = info->ai_next)
        if (info->ai_family == AF_INET || info->ai_family == AF_INET6) out.addresses.push_back(address_of(*info));
    return out;
}

} // namespace

struct Resolver::Shared {
    std::mutex mutex;
    std::deque<std::pair<std::uint64_t, std::string>> names;
    std::size_t threads = 0;
    Resolver* resolver; // null once that is gone
    boost::asio::any_io_executor executor;
};

Resolver::Resolver(boost::asio::any_io_executor executor) : shared_(std::make_shared<Shared>()) {
    shared_->resolver = this;
    shared_->executor = std::move(executor);
}

Resolver::~Resolver() {
    std::lock_guard const lock(shared_->mutex);
    shared_->resolver = nullptr;
    shared_->names.clear();
    shared_->executor = {}; // a thread that comes later has nothing to post to
}

void Resolver::look_up(std::string const& name, std::function<void(Lookup)> answer) {
    auto const id = next_++;
    std::unique_lock lock(shared_->mutex);
    if (shared_->names.size() >= most_names) {
        lock.unlock();
        return answer({{}, "too many names are being looked up"});
    }
    waiting_.emplace(id, std::move(answer));
    shared_->names.emplace_back(id, name);
    if (shared_->threads == most_threads) return;
    try {
        sigset_t all, before; // signals are for the main thread
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread(work, shared_).detach();
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        ++shared_->threads;
    } catch (std::system_error const& error) {
        if (shared_->threads > 0) return; // one of those will come to it
        shared_->names.pop_back();
        boost::asio::post(shared_->executor, [this, id, shared = shared_, why = std::string(error.what())] {
            if (shared->resolver != nullptr) finish(id, {{}, why});
        });
    }
}

void Resolver::work(std::shared_ptr<Shared> const& shared) {
    std::unique_lock lock(shared->mutex);
    while (!shared->names.empty()) {
        auto const [id, name] = std::move(shared->names.front());
        shared->names.pop_front();
        lock.unlock();
        auto lookup = look_up_now(name);
        lock.lock();
        if (shared->resolver == nullptr) break;
        // Posted under the lock: the executor is there as long as the resolver is. It is gone or not when this runs.
        boost::asio::post(shared->executor, [shared, id = id, lookup = std::move(lookup)]() mutable {
            if (shared->resolver != nullptr) shared->resolver->finish(id, std::move(lookup));
        });
    }
    --shared->threads;
}

void Resolver::finish(std::uint64_t id, Lookup lookup) {
    auto const found = waiting_.find(id);
    if (found == waiting_.end()) return;
    auto const answer = std::move(found->second);
    waiting_.erase(found);
    answer(std::move(lookup));
}

} // namespace pfar::egress
