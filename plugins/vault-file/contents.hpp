// What is in a vault file: [header][index][records...][index again][header again].
//
// Pure functions between bytes and contents. One damaged place costs at most the entry it lies in: header and index are
// there twice. Records are carried from one file to the next as they are, so a damaged one stays what it was and is
// reported as long as it is there.
#pragma once

#include "index.hpp"

namespace pfar::vault_file {

inline constexpr std::size_t max_file = 64U << 20U;

/// What can be seen of a file without its key.
struct Outside {
    std::vector<Header> headers; // that can be read: none, one, or two if they differ
    bool copies_agree = false;
};
Outside look_at(std::string_view file);

struct Slot {
    std::string name;
    Time set_at;
    std::string record, tag; // the tag is the one it should have
};

class Contents {
public:
    Contents(Header header, Secret const& data_key) : header_(std::move(header)), keys_(data_key) {}
    /// Errc::io, a phrase, if neither of the indexes can be read.
    static Result<Contents> open(std::string_view file, Header header, Secret const& data_key);

    [[nodiscard]] Header const& header() const { return header_; }
    [[nodiscard]] Keys const& keys() const { return keys_; }
    [[nodiscard]] std::vector<Slot> const& slots() const { return slots_; }
    /// Null if there is none.
    [[nodiscard]] Slot const* slot(std::string const& name) const;

    /// Errc::io with a phrase that says what is wrong: "was changed, cut or swapped".
    [[nodiscard]] Result<Entry> read(Slot const& slot) const;
    /// Replaces what has that name.
    void put(Entry const& entry);
    void erase(std::string const& name);

    /// The next file.
    [[nodiscard]] std::string bytes() const;

private:
    Header header_;
    Keys keys_;
    std::uint64_t generation_ = 0;
    std::vector<Slot> slots_; // in the file's order, which tells nothing of their names
};

} // namespace pfar::vault_file
