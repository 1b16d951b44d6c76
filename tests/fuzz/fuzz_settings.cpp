// pfar.toml: any bytes give settings, with mistakes that can be shown.
#include "config/host_settings.hpp"

#include <cstdint>

using namespace pfar::config;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    FileContext const context{"pfar.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", false, {}};
    for (auto const& mistake :
         read_host_settings(Source(std::string(reinterpret_cast<char const*>(data), size)), context).mistakes)
        describe("pfar.toml", mistake);
    return 0;
}
