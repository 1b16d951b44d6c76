// A file that does not parse still has lines that look like the beginning of a table.
#include "template_names.hpp"

#include <re2/re2.h>

namespace pfar::registry_known {

namespace {

/// What the group of each match has.
std::vector<std::string> all_of(RE2 const& form, re2::StringPiece text) {
    std::vector<std::string> out;
    for (std::string found; RE2::FindAndConsume(&text, form, &found);) out.push_back(found);
    return out;
}

void add(std::vector<std::string>& out, std::vector<std::string> more) {
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

std::vector<std::string> names_of(KnownServer const& server) {
    std::vector<std::string> out{server.name};
    add(out, server.aliases);
    return out;
}

std::vector<std::string> names_by_look(std::string_view text) {
    RE2::Options bytes;
    bytes.set_encoding(RE2::Options::EncodingLatin1); // it may be no UTF-8 either
    RE2 const header(R"re((?m)^[ \t]*\[\[?[ \t]*["']?([A-Za-z0-9_-]+)[^\n]*)re", bytes);
    RE2 const key(R"re((?m)^[ \t]*["']?([A-Za-z0-9_-]+)["']?[ \t]*[.=][^\n]*)re", bytes);
    RE2 const aliases(R"re(\baliases[ \t]*=[ \t]*\[([^\]]*))re", bytes), quoted(R"re(["']([^"'\n]*)["'])re", bytes);
    re2::StringPiece const whole(text.data(), text.size());
    auto out = all_of(header, whole);
    auto first = whole;
    if (RE2::FindAndConsume(&first, header)) // keys above it are names, below it they are not
        add(out, all_of(key, {whole.data(), whole.size() - first.size()}));
    else
        add(out, all_of(key, whole));
    for (auto const& list : all_of(aliases, whole)) add(out, all_of(quoted, list));
    return out;
}

} // namespace pfar::registry_known
