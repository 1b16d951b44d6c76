// Secret: bytes that must not leave by accident.
//
// Pages of its own, locked and kept out of core dumps where the kernel allows it, wiped before they are given back.
// There is no formatter, no stream operator and no conversion: whoever needs the bytes writes `reveal()`, and that can be searched for.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace pfar {

class Secret {
public:
    Secret() = default;

    /// Copies `bytes`; wiping the original is the caller's.
    explicit Secret(std::string_view bytes) : Secret(bytes.size()) {
        if (size_ != 0) std::memcpy(data_, bytes.data(), size_);
    }

    /// `size` bytes that `fill(char*)` writes: for what must not stand anywhere else first.
    template <class Fill> static Secret filled(std::size_t size, Fill&& fill) {
        Secret made(size);
        fill(made.data_);
        return made;
    }

    Secret(Secret&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Secret& operator=(Secret&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    Secret(Secret const&) = delete;
    Secret& operator=(Secret const&) = delete;
    ~Secret() {
        if (data_ == nullptr) return;
        ::explicit_bzero(data_, size_);
        ::munmap(data_, size_);
    }

    /// A second copy, on purpose.
    [[nodiscard]] Secret clone() const { return Secret(reveal()); }
    /// Valid as long as this object is.
    [[nodiscard]] std::string_view reveal() const { return {data_, size_}; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Takes the same time wherever the first difference is.
    [[nodiscard]] bool same_as(Secret const& other) const {
        if (size_ != other.size_) return false;
        unsigned difference = 0;
        for (std::size_t i = 0; i < size_; ++i) difference |= static_cast<unsigned char>(data_[i] ^ other.data_[i]);
        return difference == 0;
    }

private:
    explicit Secret(std::size_t size) : size_(size) {
        if (size_ == 0) return;
        void* const pages = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        ::mlock(pages, size_); // best effort: RLIMIT_MEMLOCK may be small
        ::madvise(pages, size_, MADV_DONTDUMP);
        data_ = static_cast<char*>(pages);
    }

    char* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace pfar
