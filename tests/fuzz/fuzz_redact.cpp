// Secrets, and a text with those secrets in it in every way they may be written, cut anywhere: what comes out is what the slow obvious
// way makes of it, however it is cut, and none of them is left in it. As JSON, it stays JSON.
#include "base/redact_stream.hpp"
#include "unit/base/redact_reference.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

using namespace pfar;

namespace {

void insist(bool truth) {
    if (!truth) std::abort();
}

class Input : public test::Choices {
public:
    explicit Input(std::string_view bytes) : left_(bytes) {}
    std::size_t below(std::size_t limit) override {
        if (left_.empty() || limit == 0) return 0;
        auto const byte = static_cast<unsigned char>(left_[0]);
        left_.remove_prefix(1);
        return byte % limit;
    }
    std::string bytes(std::size_t count) {
        auto const taken = left_.substr(0, count);
        left_.remove_prefix(taken.size());
        return std::string(taken);
    }
    [[nodiscard]] bool done() const { return left_.empty(); }

private:
    std::string_view left_;
};

test::Secrets secrets_from(Input& input) {
    test::Secrets secrets;
    auto const least = input.below(8) == 0 ? 3U : 8U;
    for (auto count = 1 + input.below(3); count != 0; --count) {
        auto const size = least + input.below(24);
        auto value = input.bytes(size);
        if (input.below(4) == 0) value = value.substr(0, 4) + value.substr(0, 4) + value; // repeats itself
        if (value.size() >= least) secrets.emplace_back(std::string(1, static_cast<char>('A' + count)), value);
    }
    return secrets;
}

std::string text_from(Input& input, test::Secrets const& secrets) {
    std::string text;
    while (!input.done() && text.size() < 400) {
        text += input.bytes(input.below(16));
        if (input.below(3) == 0) continue;
        auto const way = test::written(secrets[input.below(secrets.size())].second, input);
        text += input.below(5) == 0 ? way.substr(0, input.below(way.size() + 1)) : way;
    }
    return text;
}

std::string streamed(base::Redactor const& redactor, std::string_view text, Input sizes) {
    base::RedactingStream stream(redactor);
    std::string out;
    for (auto const most = 1 + sizes.below(64); !text.empty();) {
        auto const size = std::min(text.size(), 1 + sizes.below(most));
        out += stream.feed(text.substr(0, size));
        text.remove_prefix(size);
    }
    return out + stream.finish();
}

/// A secret that itself ends in half an escape takes, if that is cut off, the other half from what follows: then an escape that follows
/// is read in another way afterwards. That is a limit; for all others nothing may be left.
bool is_left(std::string_view text, test::Secrets const& secrets) {
    bool const odd = std::any_of(secrets.begin(), secrets.end(), [](auto const& secret) {
        auto const end = secret.second.substr(secret.second.size() - std::min<std::size_t>(secret.second.size(), 12));
        return end.find_first_of("\\%") != std::string::npos;
    });
    return !odd && test::has_leak(text, secrets);
}

bool is_json(std::string_view text) {
    boost::system::error_code error;
    boost::json::parse_options options;
    options.allow_invalid_utf8 = true;
    boost::json::parse(text, error, {}, options);
    return !error;
}

void check_json(base::Redactor const& redactor, test::Secrets const& secrets, std::string const& text, Input choices) {
    auto const key = test::json_escaped(text, choices), value = test::json_escaped(text, choices);
    auto const json = fmt::format("{{\"{}\":[\"{}\",1]}}", key, value);
    auto const out = redactor.redact_json(json).value_or(json);
    insist(!is_left(out, secrets));
    bool const structural = std::any_of(secrets.begin(), secrets.end(), [](auto const& secret) {
        return secret.second.find_first_of("\"{}[]:,") !=
               std::string::npos; // such may be cut out of the structure itself
    });
    insist(structural || is_json(out) || !is_json(json));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
    if (size < 12 || size > 2048) return 0;
    Input input(std::string_view(reinterpret_cast<char const*>(data), size));
    auto const secrets = secrets_from(input);
    if (secrets.empty()) return 0;
    auto const text = text_from(input, secrets);
    auto const redactor = test::redactor_for(secrets);
    auto const whole = redactor.redact(text).value_or(text);
    insist(whole == test::slowly_redacted(text, secrets));
    Input const choices(std::string_view(reinterpret_cast<char const*>(data), size));
    insist(streamed(redactor, text, choices) == whole);
    insist(whole == text || !is_left(whole, secrets));
    check_json(redactor, secrets, text, choices);
    return 0;
}
