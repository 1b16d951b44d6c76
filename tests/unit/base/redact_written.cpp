// How servers write secrets: the ways that redaction promises to see through.
#include "unit/base/redact_reference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace test {
namespace {

std::string percent_encoded(std::string_view text, Choices& choices) {
    std::string out;
    bool const lower = choices.below(2) == 0, all = choices.below(2) == 0;
    for (auto const character : text) {
        auto const byte = static_cast<unsigned char>(character);
        bool const must = character == '%' || character == ' ' || byte >= 0x80;
        if (!must && !all && choices.below(4) != 0)
            out += character;
        else
            out += lower ? fmt::format("%{:02x}", byte) : fmt::format("%{:02X}", byte);
    }
    return out;
}

std::string base64_encoded(std::string const& value, Choices& choices) {
    auto const before = choices.text("abc:", choices.below(4)), after = choices.text("xyz", choices.below(3));
    auto out = base64(before + value + after);
    if (choices.below(2) == 0) {
        std::replace(out.begin(), out.end(), '+', '-');
        std::replace(out.begin(), out.end(), '/', '_');
    }
    if (choices.below(2) == 0) out.erase(std::min(out.find('='), out.size()));
    return out;
}

std::string wrapped(std::string const& text, Choices& choices) {
    std::string const line_break = choices.below(2) == 0 ? "\n" : choices.below(2) == 0 ? "\r\n" : "\n   ";
    auto const width = 16 + choices.below(8);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += width) out += (at == 0 ? "" : line_break) + text.substr(at, width);
    return out;
}

} // namespace

pfar::base::Redactor redactor_for(Secrets const& secrets) {
    std::vector<pfar::Secret> values;
    for (auto const& [name, value] : secrets) values.emplace_back(value);
    std::vector<pfar::base::Redactor::Known> known;
    for (std::size_t i = 0; i < secrets.size(); ++i) known.push_back({secrets[i].first, &values[i]});
    return pfar::base::Redactor(known);
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bits, out;
    for (auto const byte : bytes) bits += fmt::format("{:08b}", static_cast<unsigned char>(byte));
    while (bits.size() % 6 != 0) bits += '0';
    for (std::size_t at = 0; at < bits.size(); at += 6) out += letters[std::stoul(bits.substr(at, 6), nullptr, 2)];
    return out.append((4 - out.size() % 4) % 4, '=');
}

std::string Choices::text(std::string_view alphabet, std::size_t size) {
    std::string out;
    while (out.size() < size) out += alphabet[below(alphabet.size())];
    return out;
}

std::string json_escaped(std::string_view text, Choices& choices) {
    std::string out;
    bool const some = choices.below(2) == 0;
    for (auto const character : text) {
        auto const byte = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\')
            out += std::string("\\") + character;
        else if (character == '\n')
            out += "\\n";
        else if (character == '/' && choices.below(2) == 0)
            out += "\\/";
        else if (byte < 0x20 || (byte < 0x80 && some && choices.below(8) == 0))
            out += choices.below(2) == 0 ? fmt::format("\\u{:04x}", byte) : fmt::format("\\u{:04X}", byte);
        else
            out += character;
    }
    return out;
}

std::string written(std::string const& value, Choices& choices) {
    switch (choices.below(9)) {
    case 0:
        return value;
    case 1:
        return percent_encoded(value, choices);
    case 2:
        return base64_encoded(value, choices);
    case 3:
        return percent_encoded(base64_encoded(value, choices), choices);
    case 4:
        return wrapped(base64_encoded(value, choices), choices);
    case 5:
        return percent_encoded(wrapped(base64_encoded(value, choices), choices), choices);
    case 6:
        return json_escaped(value, choices);
    case 7:
        return json_escaped(json_escaped(value, choices), choices);
    default:
        return json_escaped(percent_encoded(value, choices), choices);
    }
}

} // namespace test
