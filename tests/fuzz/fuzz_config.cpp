// Server files: any bytes give a spec or a mistake, every mistake can be shown, and what is shown is safe for a terminal.
#include "config/server_file.hpp"

#include <cstdint>
#include <cstdlib>

using namespace pfar::config;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    FileContext const context{"notion.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", false, {"bwrap"}};
    auto const result = read_server_file(Source(std::string(reinterpret_cast<char const*>(data), size)), context);
    if (result.spec.has_value() == (count(result.mistakes, Severity::error) > 0)) std::abort(); // one or the other
    for (auto const& mistake : result.mistakes)
        for (char const c : describe("notion.toml", mistake))
            if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
    return 0;
}
