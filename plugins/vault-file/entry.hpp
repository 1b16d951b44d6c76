// An entry as it lies in the vault file: a record of its own, which opens only under its name in its vault.
#pragma once

#include "header.hpp"
#include "numbers.hpp"

namespace pfar::vault_file {

inline constexpr std::size_t max_name = 64, max_value = 1U << 20U;

struct Entry {
    std::string name;
    Time set_at;
    Secret value;
};

/// What is derived from the data key: each key has one purpose.
struct Keys {
    explicit Keys(Secret const& data_key);
    Secret index, records, uses;
};

/// Name and value are within their bounds. The length tells the value's only roughly.
std::string seal_entry(Keys const& keys, Header const& header, Entry const& entry);
/// Nothing if it was changed, cut or swapped. An older record under the same name opens too: its tag tells.
std::optional<Entry> open_entry(Keys const& keys, Header const& header, std::string const& name,
                                std::string_view record);
std::string_view tag_of(std::string_view record);

} // namespace pfar::vault_file
