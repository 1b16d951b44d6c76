// Plugin files: the note reader looks at bytes of strangers before anything is checked.
#include "loader/plugin_note.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    (void)pfar::loader::read_plugin_note(std::as_bytes(std::span(data, size)));
    return 0;
}
