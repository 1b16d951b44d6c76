#include "house/worker.hpp"

#include <csignal>
#include <pthread.h>

namespace pfar::house {

Worker::Worker() {
    sigset_t all, before; // signals are for the main thread
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { context_.run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() {
    busy_.reset();
    thread_.join();
}

} // namespace pfar::house
