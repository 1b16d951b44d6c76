// DNS questions: every answer repeats the question, stays small, and is one that a client can read. Then the same bytes as a stream.
#include "../../plugins/proxy-connect/dns_message.hpp"

#include <cstdlib>
#include <vector>

using namespace pfar::proxy_connect;

namespace {

void insist(bool holds) {
    if (!holds) std::abort();
}

// Without its mark, an answer that has no record reads like the query again.
void check_answer(DnsQuery const& query, DnsCode code) {
    auto answer = dns_answer(query, code);
    insist(answer.size() <= 512 + 11 && !parse_dns_query(answer));
    insist((answer[3] & 0x0f) == static_cast<int>(code));
    answer[2] = static_cast<char>(answer[2] & 0x7f);
    auto const again = parse_dns_query(answer);
    insist(again && again->id == query.id);
    if (query.code == DnsCode::no_error)
        insist(again->name == query.name && again->question == query.question && again->edns == query.edns);
}

void check_address(DnsQuery const& query) {
    auto const answer = dns_answer(query, asio::ip::address_v4(0xc6120001));
    insist(answer.size() == 12 + query.question.size() + 16 + (query.edns ? 11 : 0));
    insist(answer.substr(12, query.question.size()) == query.question);
    insist(!query.name.empty() && query.name.size() <= 253 && query.name.find("..") == std::string::npos);
}

std::vector<std::string> messages(std::string_view bytes, std::size_t piece) {
    DnsStream stream;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        stream.take(bytes.substr(at, piece));
        while (auto message = stream.next()) found.push_back(std::move(*message));
    }
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    std::string_view const bytes(reinterpret_cast<char const*>(data), size);
    insist(messages(bytes, 1) == messages(bytes, bytes.size() + 1));
    auto const query = parse_dns_query(bytes);
    if (!query) return 0;
    for (auto const code : {DnsCode::no_error, DnsCode::format_error, DnsCode::server_failure, DnsCode::no_such_name,
                            DnsCode::not_implemented, DnsCode::refused})
        check_answer(*query, code);
    if (query->code == DnsCode::no_error) check_address(*query);
    return 0;
}
