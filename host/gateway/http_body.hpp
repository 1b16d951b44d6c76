// HttpBody: bytes that arrive little by little, up to megabytes, without ever being copied: a large one is a mapping of its own that grows in place,
// and goes back to the kernel at once.
#pragma once

#include <string>
#include <string_view>

namespace pfar::gateway {

class HttpBody {
public:
    HttpBody() = default;
    HttpBody(HttpBody&& other) noexcept;
    HttpBody& operator=(HttpBody&& other) noexcept;
    HttpBody(HttpBody const&) = delete;
    HttpBody& operator=(HttpBody const&) = delete;
    ~HttpBody();

    /// False: there is no memory for it.
    [[nodiscard]] bool append(std::string_view bytes);
    [[nodiscard]] std::string_view view() const {
        return mapped_ == nullptr ? std::string_view(small_) : std::string_view(mapped_, size_);
    }
    [[nodiscard]] std::size_t size() const { return view().size(); }
    /// All of it is zeros then. Copies that it left behind while it grew are not.
    void wipe();
    /// What it holds of the machine's addresses.
    [[nodiscard]] std::size_t room() const { return mapped_ == nullptr ? small_.capacity() : room_; }

private:
    bool grow(std::size_t least);

    std::string small_;
    char* mapped_ = nullptr;
    std::size_t size_ = 0, room_ = 0; // of the mapping
};

} // namespace pfar::gateway
