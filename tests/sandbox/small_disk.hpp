// A file system of its own in a directory, gone with its object, that can be filled to the last byte.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <sys/mount.h>

#include <filesystem>
#include <fstream>

namespace test {

class SmallDisk {
public:
    SmallDisk(std::filesystem::path place, unsigned uid) : place_(std::move(place)) {
        auto const options = fmt::format("size=256k,mode=0700,uid={0},gid={0}", uid);
        is_mounted_ = ::mount("pfar-test", place_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
    }
    SmallDisk(SmallDisk const&) = delete;
    SmallDisk& operator=(SmallDisk const&) = delete;
    ~SmallDisk() {
        if (is_mounted_) ::umount2(place_.c_str(), MNT_DETACH);
    }

    [[nodiscard]] bool is_mounted() const { return is_mounted_; }
    void fill() const {
        std::ofstream out(filler(), std::ios::binary);
        out << std::string(1U << 20U, 'x') << std::flush;
        REQUIRE_FALSE(out);
    }
    void make_room() const { std::filesystem::remove(filler()); }

private:
    [[nodiscard]] std::filesystem::path filler() const { return place_ / "filler"; }

    std::filesystem::path place_;
    bool is_mounted_ = false;
};

} // namespace test
