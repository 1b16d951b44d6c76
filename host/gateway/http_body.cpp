#include "gateway/http_body.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace pfar::gateway {
namespace {

constexpr std::size_t most_small = 128U << 10U, first_room = 1U << 20U;

} // namespace

HttpBody::HttpBody(HttpBody&& other) noexcept
    : small_(std::move(other.small_)), mapped_(std::exchange(other.mapped_, nullptr)),
      size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}

HttpBody& HttpBody::operator=(HttpBody&& other) noexcept {
    std::swap(small_, other.small_);
    std::swap(mapped_, other.mapped_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
}

HttpBody::~HttpBody() {
    if (mapped_ != nullptr) ::munmap(mapped_, room_);
}

void HttpBody::wipe() {
    ::explicit_bzero(small_.data(), small_.size());
    if (mapped_ != nullptr) ::explicit_bzero(mapped_, size_);
}

bool HttpBody::append(std::string_view bytes) {
    if (mapped_ == nullptr && small_.size() + bytes.size() <= most_small) return small_.append(bytes), true;
    auto const before = size();
    if (!grow(before + bytes.size())) return false;
    std::memcpy(mapped_ + before, bytes.data(), bytes.size());
    size_ = before + bytes.size();
    return true;
}

/// Pages that nothing was written to cost nothing.
bool HttpBody::grow(std::size_t least) {
    auto room = std::max(room_, first_room);
    while (room < least) room *= 2;
    if (room == room_) return true;
    void* const place = mapped_ == nullptr ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                           : ::mremap(mapped_, room_, room, MREMAP_MAYMOVE);
    if (place == MAP_FAILED) return false;
    if (mapped_ == nullptr) std::memcpy(place, small_.data(), small_.size());
    mapped_ = static_cast<char*>(place);
    room_ = room;
    std::string().swap(small_);
    return true;
}

} // namespace pfar::gateway
