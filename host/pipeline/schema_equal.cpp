#include "pipeline/schema_equal.hpp"

#include "pipeline/schema_number.hpp"

#include <algorithm>
#include <functional>

namespace pfar::pipeline::schemas {
namespace {

constexpr std::size_t bytes_a_step = 64, digits_a_step = 16;

bool equal_strings(Value a, Value b, Budget& budget) {
    auto const decoded = a.escaped_bytes() + b.escaped_bytes();
    if (decoded == 0) return budget.spend(a.written().size() / bytes_a_step) && a.written() == b.written();
    std::string kept, other;
    auto const shorter = std::min(a.written().size(), b.written().size());
    if (decoded > 12 * shorter || !budget.spend(decoded / digits_a_step)) return false;
    return a.string(kept) == b.string(other);
}

bool equal_arrays(Value a, Value b, Budget& budget) {
    auto other = b.elements().begin();
    for (auto const element : a.elements()) {
        if (!equal(element, *other, budget)) return false;
        ++other;
    }
    return true;
}

/// Usually they are in the same order; if not, it is searched for.
bool equal_objects(Value a, Value b, Budget& budget) {
    std::string kept;
    auto other = b.members().begin();
    for (auto const [key, value] : a.members()) {
        std::optional<Value> same = (*other).value;
        if (!equal_strings(key, (*other).key, budget)) {
            if (!budget.spend(b.count() + key.escaped_bytes() / digits_a_step)) return false;
            same = b.find(key.string(kept));
        }
        if (!same || !equal(value, *same, budget)) return false;
        ++other;
    }
    return true;
}

std::uint64_t mixed(std::uint64_t hash) {
    hash = (hash ^ hash >> 32U) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 29U;
}

std::uint64_t hash_of(Value value, Budget& budget) {
    bool const flat = value.count() == 0;
    budget.spend(1 + (flat ? value.written().size() / digits_a_step : 0));
    auto out = static_cast<std::uint64_t>(value.kind()) + value.count() * 8;
    std::string kept;
    switch (value.kind()) {
    case Kind::null:
        break;
    case Kind::boolean:
        out += value.is_true() ? 64 : 0;
        break;
    case Kind::number:
        out += hash_of_number(value.written());
        break;
    case Kind::string:
        out += std::hash<std::string_view>()(value.string(kept));
        break;
    case Kind::array:
        for (auto const element : value.elements()) out = mixed(out) + hash_of(element, budget);
        break;
    case Kind::object: // in any order
        for (auto const [key, inner] : value.members())
            out += mixed(hash_of(key, budget) * 31 + hash_of(inner, budget));
        break;
    }
    return mixed(out);
}

} // namespace

bool equal(Value a, Value b, Budget& budget) {
    if (!budget.spend(1) || a.kind() != b.kind() || a.count() != b.count()) return false;
    switch (a.kind()) {
    case Kind::null:
        return true;
    case Kind::boolean:
        return a.is_true() == b.is_true();
    case Kind::number:
        return budget.spend((a.written().size() + b.written().size()) / digits_a_step) &&
               compare(a.written(), b.written()) == 0;
    case Kind::string:
        return equal_strings(a, b, budget);
    case Kind::array:
        return equal_arrays(a, b, budget);
    case Kind::object:
        return equal_objects(a, b, budget);
    }
    return false;
}

bool has_twins(Value array, Budget& budget) {
    struct Hashed {
        std::uint64_t hash;
        Value value;
    };
    if (array.count() < 2 || !budget.spend(array.count())) return false;
    std::vector<Hashed> all;
    all.reserve(array.count());
    for (auto const element : array.elements()) all.push_back({hash_of(element, budget), element});
    std::sort(all.begin(), all.end(), [](Hashed const& a, Hashed const& b) { return a.hash < b.hash; });
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size() && all[i].hash == all[j].hash && !budget.spent(); ++j)
            if (equal(all[i].value, all[j].value, budget)) return true;
    return false;
}

} // namespace pfar::pipeline::schemas
