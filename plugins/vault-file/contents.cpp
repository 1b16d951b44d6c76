#include "contents.hpp"

#include <algorithm>

namespace pfar::vault_file {

namespace {

/// As much of it as there is.
std::string_view part(std::string_view file, std::uint64_t offset, std::uint64_t length) {
    if (offset >= file.size()) return {};
    return file.substr(static_cast<std::size_t>(offset),
                       static_cast<std::size_t>(std::min<std::uint64_t>(length, file.size())));
}

std::string_view front_index(std::string_view file, Header const& header) {
    return part(file, header_size, header.index_size);
}

std::string_view back_index(std::string_view file, Header const& header) {
    auto const behind = header_size + std::uint64_t{header.index_size};
    return behind > file.size() ? std::string_view() : part(file, file.size() - behind, header.index_size);
}

std::optional<Index> index_in(std::string_view file, Header const& header, Keys const& keys) {
    auto front = open_index(keys, header, front_index(file, header));
    auto back = open_index(keys, header, back_index(file, header));
    if (!front || (back && back->generation > front->generation)) return back;
    return front;
}

/// Where bytes were lost or added before a record, it still is where it was as seen from the end.
std::string_view record_in(std::string_view file, Index const& index, IndexLine const& line) {
    auto const record = part(file, line.offset, line.length);
    if (file.size() == index.file_size || same_bytes(tag_of(record), line.tag)) return record;
    auto const moved =
        part(file, line.offset + file.size() - index.file_size, line.length); // it may wrap, and is then nowhere
    return same_bytes(tag_of(moved), line.tag) ? moved : record;
}

} // namespace

Outside look_at(std::string_view file) {
    Outside outside;
    auto const front = header_from(file.substr(0, header_size));
    auto const back = header_from(file.substr(file.size() - std::min(file.size(), header_size)));
    if (front) outside.headers.push_back(*front);
    if (back && back != front) outside.headers.push_back(*back);
    outside.copies_agree = front && front == back && front_index(file, *front) == back_index(file, *front);
    return outside;
}

Result<Contents> Contents::open(std::string_view file, Header header, Secret const& data_key) {
    Contents contents(std::move(header), data_key);
    auto const index = index_in(file, contents.header_, contents.keys_);
    if (!index) return fail(Errc::io, "is damaged in both copies of its index");
    contents.generation_ = index->generation;
    for (auto const& line : index->lines)
        contents.slots_.push_back(Slot{line.name, line.set_at, std::string(record_in(file, *index, line)), line.tag});
    return contents;
}

Slot const* Contents::slot(std::string const& name) const {
    auto const found = std::find_if(slots_.begin(), slots_.end(), [&](Slot const& slot) { return slot.name == name; });
    return found == slots_.end() ? nullptr : &*found;
}

Result<Entry> Contents::read(Slot const& slot) const {
    auto entry = open_entry(keys_, header_, slot.name, slot.record);
    if (!entry) return fail(Errc::io, "was changed, cut or swapped");
    if (!same_bytes(tag_of(slot.record), slot.tag)) return fail(Errc::io, "is an older copy that somebody put back");
    return std::move(*entry);
}

void Contents::put(Entry const& entry) {
    auto record = seal_entry(keys_, header_, entry);
    std::string tag(tag_of(record));
    erase(entry.name);
    slots_.push_back(Slot{entry.name, entry.set_at, std::move(record), std::move(tag)});
}

void Contents::erase(std::string const& name) {
    std::erase_if(slots_, [&](Slot const& slot) { return slot.name == name; });
}

std::string Contents::bytes() const {
    auto header = header_;
    header.index_size = static_cast<std::uint32_t>(sealed_index_size(slots_.size()));
    Index index{generation_ + 1, 0, {}};
    std::uint64_t offset = header_size + header.index_size;
    for (auto const& slot : slots_) {
        index.lines.push_back(IndexLine{slot.name, slot.set_at, offset, slot.record.size(), slot.tag});
        offset += slot.record.size();
    }
    index.file_size = offset + header.index_size + header_size;
    auto const outer = to_bytes(header), inner = seal_index(keys_, header, index);
    auto file = outer + inner;
    file.reserve(index.file_size);
    for (auto const& slot : slots_) file += slot.record;
    return file.append(inner).append(outer);
}

} // namespace pfar::vault_file
