// RFC 1035, as much of it as a stub resolver uses.
#include "egress/dns_responder.hpp"

#include "egress/names.hpp"

#include <arpa/inet.h>

#include <cctype>

namespace test {
namespace {

constexpr unsigned a = 1, text = 16, aaaa = 28;

void put(std::string& out, unsigned number) {
    out += static_cast<char>(number >> 8U);
    out += static_cast<char>(number & 255U);
}

unsigned number_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[at])) << 8U |
           static_cast<unsigned char>(bytes[at + 1]);
}

void put_record(std::string& out, unsigned kind, std::string const& data) {
    put(out, 0xc00c); // the question's name
    put(out, kind);
    put(out, 1);
    out.append(4, '\0'); // to be forgotten at once
    put(out, static_cast<unsigned>(data.size()));
    out += data;
}

/// The address as bytes if it is of this kind, else empty.
std::string bytes_of(std::string const& address, unsigned kind) {
    char bytes[16];
    if (::inet_pton(kind == a ? AF_INET : AF_INET6, address.c_str(), bytes) != 1) return {};
    return {bytes, kind == a ? 4U : 16U};
}

} // namespace

std::optional<DnsQuestion> read_question(std::string_view query) {
    if (query.size() < 17 || (static_cast<unsigned char>(query[2]) & 0x80U) != 0 || number_at(query, 4) != 1) return {};
    DnsQuestion found;
    std::size_t at = 12;
    for (; at < query.size() && query[at] != 0;) {
        auto const size = static_cast<unsigned char>(query[at]);
        if (size > 63 || at + 1 + size >= query.size()) return {};
        if (!found.name.empty()) found.name += '.';
        for (auto const byte : query.substr(at + 1, size)) found.name += static_cast<char>(std::tolower(byte));
        at += 1U + size;
    }
    if (at + 5 > query.size()) return {};
    found.kind = number_at(query, at + 1);
    found.end = at + 5;
    return found;
}

std::string answer_to(std::string_view query, DnsQuestion const& question, unsigned asked) {
    unsigned count = 0;
    std::string records;
    if (question.kind == a || question.kind == aaaa)
        for (auto const& address : addresses_of(question.name, asked))
            if (auto const bytes = bytes_of(address, question.kind); !bytes.empty())
                put_record(records, question.kind, bytes), ++count;
    if (question.kind == text) put_record(records, text, "\x0apeer=evil\n"), ++count;
    std::string out(query.substr(0, 2));
    put(out, 0x8580); // an answer, authoritative, recursion asked for and to be had
    put(out, 1);
    put(out, count);
    put(out, 0);
    put(out, 0);
    out += query.substr(12, question.end - 12);
    return out + records;
}

std::string kind_name(unsigned kind) {
    return kind == a ? "A" : kind == aaaa ? "AAAA" : "type " + std::to_string(kind);
}

} // namespace test
