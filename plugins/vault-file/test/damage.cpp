// Every bit of the vault file counts: what is damaged is named, and nothing else is touched.
#include "temp_home.hpp"

#include <catch2/catch_get_random_seed.hpp>

#include <map>
#include <random>

namespace pfar::vault_file {

namespace {

using Values = std::map<std::string, std::string>; // a value, or "trouble: ..."

struct Sample {
    explicit Sample(Values const& values) {
        REQUIRE(start_sodium());
        auto header = new_header(KeyKind::file);
        auto const data_key = random_key();
        wrap(header, key, data_key);
        Contents contents(header, data_key);
        for (auto const& [name, value] : values) contents.put(Entry{name, Time(), Secret(value)});
        file = contents.bytes();
    }
    [[nodiscard]] std::optional<Contents> open(std::string_view bytes) const {
        for (auto const& header : look_at(bytes).headers)
            if (auto const data_key = unwrap(header, key))
                if (auto contents = Contents::open(bytes, header, *data_key)) return std::move(*contents);
        return std::nullopt;
    }
    /// Nothing if the file cannot be opened at all.
    [[nodiscard]] std::optional<Values> read(std::string_view bytes) const {
        auto const contents = open(bytes);
        if (!contents) return std::nullopt;
        Values out;
        for (auto const& slot : contents->slots()) {
            auto const entry = contents->read(slot);
            out[slot.name] = entry ? std::string(entry->value.reveal()) : "trouble: " + entry.error().what;
        }
        return out;
    }

    Secret key = random_key();
    std::string file;
};

Values const values{{"first", "1111"}, {"second", "2222"}, {"third", std::string(100, '3')}};

/// How many are damaged; -1 if one is missing or has a value that it never had.
int damaged(Values const& read) {
    if (read.size() != values.size()) return -1;
    int count = 0;
    for (auto const& [name, value] : values) {
        auto const found = read.find(name);
        if (found == read.end()) return -1;
        if (found->second == value) continue;
        if (!found->second.starts_with("trouble: ")) return -1;
        ++count;
    }
    return count;
}

} // namespace

TEST_CASE("a flipped bit anywhere costs at most the entry it lies in") {
    Sample const sample(values);
    int total = 0, wrong = 0;
    for (std::size_t bit = 0; bit < 8 * sample.file.size(); ++bit) {
        auto changed = sample.file;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
        auto const read = sample.read(changed);
        auto const count = read ? damaged(*read) : -1;
        if (count < 0 || count > 1) ++wrong;
        if (count == 1) ++total;
    }
    CHECK(wrong == 0);
    std::size_t records = 0;
    auto const whole = sample.open(sample.file);
    for (auto const& slot : whole->slots()) records += slot.record.size();
    CHECK(total == static_cast<int>(8 * records)); // headers and indexes are there twice
}

TEST_CASE("a file cut anywhere behind its first index still tells what it had") {
    Sample const sample(values);
    auto const index_size = look_at(sample.file).headers.at(0).index_size;
    for (std::size_t size = 0; size < sample.file.size(); ++size) {
        auto const read = sample.read(std::string_view(sample.file).substr(0, size));
        CHECK(read.has_value() == (size >= header_size + index_size));
        if (read) CHECK(damaged(*read) >= 0);
        if (read && size >= sample.file.size() - header_size - index_size) CHECK(damaged(*read) == 0);
    }
}

TEST_CASE("bytes lost at the beginning or put in between cost at most the entry they lie in") {
    Sample const sample(values);
    for (std::size_t lost = 1; lost <= header_size; ++lost)
        CHECK(damaged(sample.read(std::string_view(sample.file).substr(lost)).value_or(Values())) == 0);
    for (std::size_t at = 0; at <= sample.file.size(); at += 7) {
        auto const longer = sample.file.substr(0, at) + "xyz" + sample.file.substr(at);
        auto const count = damaged(sample.read(longer).value_or(Values()));
        CHECK((count == 0 || count == 1));
    }
}

TEST_CASE("no damage of any kind makes a wrong value") {
    Sample const sample(values), other(values);
    std::mt19937 random(Catch::getSeed());
    auto const any = [&] { return random() % sample.file.size(); };
    int wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        auto bytes = sample.file;
        for (auto left = 1 + random() % 4; left > 0; --left) {
            auto const at = any(), size = any() % 200;
            if (random() % 3 == 0) bytes.resize(std::min(bytes.size(), any()));
            if (random() % 3 == 0) bytes.insert(std::min(bytes.size(), at), sample.file.substr(any(), size));
            if (random() % 3 == 0) bytes.replace(std::min(bytes.size(), at), size, other.file.substr(any(), size));
            if (!bytes.empty()) bytes[at % bytes.size()] = static_cast<char>(random());
        }
        auto const read = sample.read(bytes);
        if (read && damaged(*read) < 0) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("records that were swapped are both named") {
    Sample const sample(values);
    auto const whole = sample.open(sample.file);
    auto const &first = whole->slots().at(0).record, &second = whole->slots().at(1).record;
    REQUIRE(first.size() == second.size());
    auto swapped = sample.file;
    swapped.replace(sample.file.find(first), first.size(), second)
        .replace(sample.file.find(second), second.size(), first);
    auto const read = sample.read(swapped).value();
    CHECK(read.at("first") == "trouble: was changed, cut or swapped");
    CHECK(read.at("second") == "trouble: was changed, cut or swapped");
    CHECK(read.at("third") == values.at("third"));
}

TEST_CASE("an older copy of a record is told from a damaged one, even together with the older index") {
    Sample const sample(values);
    auto contents = sample.open(sample.file).value();
    contents.put(Entry{"third", Time(), Secret(std::string(100, 'x'))}); // the last one: it keeps its place
    auto const newer = contents.bytes();
    auto const old = sample.open(sample.file)->slot("third")->record;
    auto back = newer;
    back.replace(newer.find(contents.slot("third")->record), old.size(), old);
    CHECK(sample.read(back).value().at("third") == "trouble: is an older copy that somebody put back");
    auto const front = header_size + look_at(newer).headers.at(0).index_size;
    back.replace(0, front, sample.file.substr(0, front));
    CHECK(sample.read(back).value().at("third") == "trouble: is an older copy that somebody put back");
    CHECK(sample.read(back).value().at("first") == "1111");
}

TEST_CASE("a header that somebody wrote anew does not hide the other one") {
    Sample const sample(values), other({});
    auto mixed = sample.file;
    mixed.replace(0, header_size, other.file.substr(0, header_size));
    CHECK(damaged(sample.read(mixed).value()) == 0);
}

TEST_CASE("what a header says is bounded before it is used") {
    REQUIRE(start_sodium());
    auto header = new_header(KeyKind::passphrase);
    wrap(header, random_key(), random_key());
    CHECK(header_from(to_bytes(header)) == header);
    for (auto const& [passes, kibibytes] : {std::pair(0U, 65536U), {11U, 65536U}, {3U, 8191U}, {3U, 1048577U}}) {
        header.passes = passes, header.kibibytes = kibibytes;
        CHECK_FALSE(header_from(to_bytes(header)));
    }
    header = new_header(static_cast<KeyKind>(4));
    wrap(header, random_key(), random_key());
    CHECK_FALSE(header_from(to_bytes(header)));
}

TEST_CASE("sealing the same twice differs, and another vault's records do not open") {
    Sample const one(values), two(values);
    CHECK((one.file != two.file));
    CHECK_FALSE(one.open(two.file));
    auto const contents = one.open(one.file).value(), others = two.open(two.file).value();
    CHECK_FALSE(open_entry(contents.keys(), contents.header(), "first", others.slots().at(0).record));
    CHECK_FALSE(open_entry(contents.keys(), contents.header(), "second", contents.slots().at(0).record));
}

} // namespace pfar::vault_file
