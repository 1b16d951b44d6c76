// The question is read once, label by label, and given back byte by byte.
#include "dns_message.hpp"
#include "client_hello_cursor.hpp"
#include "http_letters.hpp"

namespace pfar::proxy_connect {

namespace {

constexpr std::size_t longest_name = 255,
                      longest_label = 63; // as bytes, with a length before each label and a 0 behind
constexpr std::uint32_t answer_seconds = 60;
constexpr unsigned is_answer = 0x8000, opcode = 0x7800, recursion_desired = 0x0100, recursion_available = 0x0080,
                   checking_disabled = 0x0010;
constexpr unsigned class_in = 1, type_opt = 41, our_udp_size = 1232, name_of_question = 0xc00c;

bool is_label(std::string_view label) {
    return std::all_of(label.begin(), label.end(),
                       [](char letter) { return is_letter_or_digit(letter) || letter == '-' || letter == '_'; });
}

// A label may have any bytes, also a dot; a name with such a label is on nobody's list, so it does not exist.
DnsCode read_name(Cursor& cursor, std::string& name) {
    auto code = DnsCode::no_error;
    for (std::size_t size = 0;;) {
        auto const label = cursor.block(1);
        size += label.size() + 1;
        if (!cursor.good || label.size() > longest_label || size > longest_name) return DnsCode::format_error;
        if (label.empty()) break;
        if (!is_label(label)) code = DnsCode::no_such_name;
        name.append(name.empty() ? "" : ".").append(label);
    }
    return name.empty() ? DnsCode::refused : code; // empty: the root
}

DnsCode read_question(Cursor& cursor, DnsQuery& query) {
    auto const start = cursor.rest;
    auto const code = read_name(cursor, query.name);
    if (code == DnsCode::format_error) return code;
    query.type = static_cast<std::uint16_t>(cursor.number(2));
    auto const in = cursor.number(2) == class_in;
    if (!cursor.good) return DnsCode::format_error;
    query.question = start.substr(0, start.size() - cursor.rest.size());
    return in ? code : DnsCode::refused;
}

// What it offers is of no use here: no answer is that long.
bool read_edns(Cursor& cursor) {
    auto const root = cursor.block(1).empty();
    auto const is_opt = cursor.number(2) == type_opt;
    cursor.take(2 + 4); // the client's size, flags
    cursor.block(2);
    return cursor.good && root && is_opt;
}

DnsCode read_sections(Cursor& cursor, DnsQuery& query) {
    auto const questions = cursor.number(2), answers = cursor.number(2), authorities = cursor.number(2),
               additional = cursor.number(2);
    if ((query.flags & opcode) != 0) return DnsCode::not_implemented;
    if (questions != 1 || answers != 0 || authorities != 0 || additional > 1) return DnsCode::format_error;
    auto const code = read_question(cursor, query);
    if (code == DnsCode::format_error) return code;
    if (additional == 1) query.edns = read_edns(cursor);
    return cursor.at_end() && query.edns == (additional == 1) ? code : DnsCode::format_error;
}

void put(std::string& bytes, std::uint32_t number, unsigned size = 2) {
    while (size-- > 0) bytes.push_back(static_cast<char>(number >> (8 * size) & 0xffU));
}

std::string start_answer(DnsQuery const& query, DnsCode code, unsigned records) {
    std::string bytes;
    put(bytes, query.id);
    put(bytes, (query.flags & (opcode | recursion_desired | checking_disabled)) | is_answer | recursion_available |
                   static_cast<unsigned>(code));
    put(bytes, query.question.empty() ? 0 : 1);
    put(bytes, records);
    put(bytes, 0);
    put(bytes, query.edns ? 1 : 0);
    return bytes.append(query.question);
}

std::string end_answer(DnsQuery const& query, std::string bytes) {
    if (!query.edns) return bytes;
    put(bytes, 0, 1);
    put(bytes, type_opt);
    put(bytes, our_udp_size);
    put(bytes, 0, 4);
    put(bytes, 0);
    return bytes;
}

} // namespace

std::optional<DnsQuery> parse_dns_query(std::string_view message) {
    if (message.size() < 12) return std::nullopt;
    Cursor cursor{message};
    DnsQuery query;
    query.id = static_cast<std::uint16_t>(cursor.number(2));
    query.flags = static_cast<std::uint16_t>(cursor.number(2));
    if ((query.flags & is_answer) != 0) return std::nullopt;
    query.code = read_sections(cursor, query);
    if (query.code != DnsCode::no_error) query.name.clear(); // nobody is to judge half of one
    return query;
}

std::string dns_answer(DnsQuery const& query, DnsCode code) {
    return end_answer(query, start_answer(query, code, 0));
}

std::string dns_answer(DnsQuery const& query, asio::ip::address_v4 const& address) {
    auto bytes = start_answer(query, DnsCode::no_error, 1);
    put(bytes, name_of_question);
    put(bytes, dns_type_a);
    put(bytes, class_in);
    put(bytes, answer_seconds, 4);
    put(bytes, 4);
    put(bytes, address.to_uint(), 4);
    return end_answer(query, std::move(bytes));
}

} // namespace pfar::proxy_connect
