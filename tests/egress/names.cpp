// One table. Addresses of documentation ranges are public to pfar; the others of the list are those that it must never dial.
#include "egress/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace test {
namespace {

struct Entry {
    std::string_view name; // "*.NAME": whatever is below it
    std::vector<std::string> first, later;
};

std::vector<Entry> const& table() {
    static std::vector<Entry> const all{
        {"good.example", {"203.0.113.10", "2001:db8::10"}, {}},
        {"*.wild.example", {"203.0.113.11"}, {}},
        {"db.example", {"203.0.113.12"}, {}},
        {"other.example", {"198.51.100.7"}, {}},
        {"six.example", {"2001:db8::10"}, {}},
        {"half-dead.example", {"2001:db8::dead", "203.0.113.10"}, {}}, // the first of them is nobody's
        {"xn--bcher-kva.example", {"203.0.113.10"}, {}},
        {"proxy.example", {"203.0.113.30"}, {}},
        {"rebinding.answers.example", {"203.0.113.10"}, {"127.0.0.1"}},
        {"loopback.answers.example", {"127.0.0.1"}, {}},
        {"other-loopback.answers.example", {"127.9.9.9"}, {}},
        {"loopback6.answers.example", {"::1"}, {}},
        {"ten.answers.example", {"10.9.8.7"}, {}},
        {"seventeen.answers.example", {"172.16.9.9"}, {}},
        {"nineteen.answers.example", {"192.168.9.9"}, {}},
        {"metadata.answers.example", {"169.254.169.254"}, {}},
        {"link-local.answers.example", {"169.254.7.7"}, {}},
        {"cgnat.answers.example", {"100.64.0.9"}, {}},
        {"unspecified.answers.example", {"0.0.0.0"}, {}},
        {"unspecified6.answers.example", {"::"}, {}},
        {"ula.answers.example", {"fd00::9"}, {}},
        {"mapped.answers.example", {"::ffff:127.0.0.1"}, {}},
        {"mapped-private.answers.example", {"::ffff:10.9.8.7"}, {}},
        {"nat64.answers.example", {"64:ff9b::7f00:1"}, {}},
        {"six-to-four.answers.example", {"2002:7f00:1::1"}, {}},
        {"teredo.answers.example", {"2001:0:cb00:7142:0:fbff:80ff:fffe"}, {}}, // its client is 127.0.0.1
        {"compatible.answers.example", {"::10.9.8.7"}, {}},
        {"site-local.answers.example", {"fec0::9"}, {}},
        {"mixed.answers.example", {"127.0.0.1", "203.0.113.10"}, {}},
    };
    return all;
}

bool is_below(std::string_view name, std::string_view above) {
    return name.size() > above.size() + 1 && name.ends_with(above) && name[name.size() - above.size() - 1] == '.';
}

Entry const* find(std::string_view name) {
    for (auto const& entry : table())
        if (entry.name == name || (entry.name.starts_with("*.") && is_below(name, entry.name.substr(2)))) return &entry;
    return nullptr;
}

} // namespace

std::vector<std::string> addresses_of(std::string const& name, unsigned asked) {
    auto const* const entry = find(name);
    if (entry == nullptr) return {"203.0.113.66"};
    return asked > 0 && !entry->later.empty() ? entry->later : entry->first;
}

std::vector<std::string> const& own_addresses() {
    static std::vector<std::string> const all = [] {
        std::vector<std::string> made{"203.0.113.20", "203.0.113.30", "203.0.113.66",
                                      "2001:db8::20", "2001:db8::66", "8.8.8.8"};
        constexpr std::array there{"::", "0.0.0.0", "::1", "2001:db8::dead"}; // or not to be had
        for (auto const& entry : table())
            for (auto const& address : entry.first)
                if (std::find(there.begin(), there.end(), address) == there.end() && !address.starts_with("::ffff:") &&
                    !address.starts_with("127."))
                    made.push_back(address);
        std::sort(made.begin(), made.end());
        made.erase(std::unique(made.begin(), made.end()), made.end());
        return made;
    }();
    return all;
}

bool is_good_address(std::string_view address) {
    constexpr std::array<std::string_view, 7> good{"203.0.113.10", "203.0.113.11", "203.0.113.12", "198.51.100.7",
                                                   "203.0.113.20", "2001:db8::10", "2001:db8::20"};
    return std::find(good.begin(), good.end(), address) != good.end();
}

bool is_good_name(std::string_view said) {
    std::string name(said);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.find("evil") == std::string::npos && (find(name) != nullptr || is_good_address(name));
}

bool is_good_place(std::string_view address, unsigned port) {
    bool const database = port == 5432 || port == 6379 || port == 7000;
    return is_good_address(address) && (address == "203.0.113.12" ? database : port == 443 || port == 80);
}

} // namespace test
