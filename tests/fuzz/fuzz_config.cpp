// Server files: any bytes give a spec or a mistake, every mistake can be shown, and what is shown is safe for a terminal. A domain can be added to
// whatever gives a spec, or the line to write is told.
#include "config/edit.hpp"

#include <cstdint>
#include <cstdlib>

using namespace pfar::config;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    FileContext const context{"notion.toml", "/home/me/.pfar", "/home/me/.pfar", "/home/me", false, {"bwrap"}};
    std::string const text(reinterpret_cast<char const*>(data), size);
    auto const result = read_server_file(Source(text), context);
    if (result.spec.has_value() == (count(result.mistakes, Severity::error) > 0)) std::abort(); // one or the other
    for (auto const& mistake : result.mistakes)
        for (char const c : describe("notion.toml", mistake))
            if (static_cast<unsigned char>(c) < 0x20 && c != '\n') std::abort();
    auto const added = add_domain(text, {"new.example.com", false, false, {}}, context);
    if (!added && (added.error().code == pfar::Errc::invalid) != !result.spec) std::abort();
    return 0;
}
