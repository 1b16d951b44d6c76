#include "egress/lane.hpp"

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include <csignal>
#include <future>
#include <pthread.h>

namespace pfar::egress {

Lane::Lane() {
    sigset_t all, before; // signals are for the main thread
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// What a plugin throws into it ends that handler, not the others.
void Lane::serve() {
    for (bool over = false; !over;) try {
            context_.run();
            over = true;
        } catch (std::exception const& problem) {
            spdlog::error("an egress filter threw: {}", problem.what());
        }
}

Lane::~Lane() {
    busy_.reset();
    thread_.join();
}

void Lane::run(std::function<void()> const& work) {
    std::promise<void> done;
    boost::asio::post(context_, [&] {
        work();
        done.set_value();
    });
    done.get_future().get();
}

} // namespace pfar::egress
