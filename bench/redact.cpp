// pfar-bench-redact: what redaction costs, as time and as a ratio to looking for one byte (memchr) and to copying (memcpy) the same bytes
// in the same run. 50 secrets of 40 characters; texts without a secret, which is the common case, and texts made to be slow.
//   pfar-bench-redact [--rounds N] [--json]
#include "base/redact_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>

namespace {

using namespace pfar;

constexpr std::size_t mib = 1U << 20U;
constexpr double bar = 3; // ms for 1 MiB of output

std::mt19937 engine(7);

std::string random_text(std::size_t size) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    std::string out;
    while (out.size() < size) out += letters[engine() % letters.size()];
    return out;
}

std::string repeated(std::string const& unit, std::size_t size) {
    std::string out;
    while (out.size() < size) out += unit;
    out.resize(size);
    return out;
}

/// A line of a log, or of JSON, as servers write them; no two alike.
std::string line(std::size_t number) {
    auto const token = random_text(24);
    switch (number % 4) {
    case 0:
        return fmt::format("2025-11-03T10:22:{:02}.123Z INFO request {} to /v1/items/{} took {} ms, 100% of quota\n",
                           number % 60, token, number, number % 977);
    case 1:
        return fmt::format(
            R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"Found {} items\nfor \"{}\""}}]}}}})"
            "\n",
            number, number % 31, token);
    case 2:
        return fmt::format(
            R"({{"id":"{}","name":"item number {}","tags":["new","sale"],"price":{}.95,"url":"https://shop.example/i?q=a%20b&n={}"}})"
            "\n",
            token, number, number % 400, number);
    default:
        return fmt::format(
            "The quick brown fox jumps over the lazy dog, and the {} other animals look on without a word.\n", number);
    }
}

std::string ordinary(std::size_t size) {
    std::string out;
    for (std::size_t number = 0; out.size() < size; ++number) out += line(number);
    out.resize(size);
    return out;
}

/// JSON in a string of JSON, as tools answer; `deep`: and that in a string once more.
std::string escaped_string(std::size_t size, bool deep) {
    std::string out = "\"";
    while (out.size() < size) {
        auto const word = random_text(6);
        out += deep ? fmt::format(R"({{\\\"name\\\":\\\"{}\\\",\\n\"path\":\"C:\\\\tmp\\u00e9\/\"}},)", word)
                    : fmt::format(R"({{\"name\":\"{}\",\n\t\"path\":\"caf\u00e9\/\"}},)", word);
    }
    return out += '"';
}

std::string percent_encoded(std::size_t size) {
    std::string out;
    while (out.size() < size) out += fmt::format("%{:02X}", 32 + engine() % 90);
    out.resize(size);
    return out;
}

std::string wrapped_base64(std::size_t size) {
    auto out = random_text(size);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '.' || c == '~'; }, '/');
    for (std::size_t i = 76; i < out.size(); i += 77) out[i] = '\n';
    return out;
}

class Secrets {
public:
    explicit Secrets(std::vector<std::string> const& values) {
        for (auto const& value : values) values_.emplace_back(value);
    }
    [[nodiscard]] base::Redactor redactor() const {
        std::vector<base::Redactor::Known> known;
        for (auto const& value : values_) known.push_back({fmt::format("secret_{}", known.size()), &value});
        return base::Redactor(known);
    }

private:
    std::vector<Secret> values_;
};

struct Case {
    std::string name;
    std::string text;
    std::function<std::size_t(std::string_view)> run;
    double limit; // ms for all of it; 0: no bar
};

double milliseconds(std::function<std::size_t()> const& work) {
    auto const begin = std::chrono::steady_clock::now();
    [[maybe_unused]] static volatile std::size_t sink;
    sink = work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Row {
    double redact, search, copy;
};

/// In turns, so that whatever else the machine does falls on all alike.
Row measure(Case const& one, int rounds) {
    std::vector<double> redact, search, copy;
    std::string target(one.text.size(), 'x');
    for (int round = 0; round <= rounds; ++round) {
        auto const a = milliseconds([&] { return one.run(one.text); });
        auto const b = milliseconds([&] {
            return std::memchr(one.text.data(), '\x01', one.text.size()) == nullptr ? std::size_t{0} : std::size_t{1};
        });
        auto const c = milliseconds([&] {
            std::memcpy(target.data(), one.text.data(), target.size());
            return static_cast<std::size_t>(target[target.size() / 2]);
        });
        if (round == 0) continue; // the caches are warm for all
        redact.push_back(a), search.push_back(b), copy.push_back(c);
    }
    return {median(redact), median(search), median(copy)};
}

std::vector<Case> cases(base::Redactor const& usual, base::Redactor const& periodic, std::string const& known) {
    auto const text = [&](std::string_view t) { return usual.redact(t).value_or("").size(); };
    auto const json = [&](std::string_view t) { return usual.redact_json(t).value_or("").size(); };
    auto const worst = [&](std::string_view t) { return periodic.redact(t).value_or("").size(); };
    auto const stream = [&](std::size_t chunk) {
        return [&usual, chunk](std::string_view t) {
            base::RedactingStream out(usual);
            std::size_t size = 0;
            for (; !t.empty(); t.remove_prefix(std::min(chunk, t.size()))) size += out.feed(t.substr(0, chunk)).size();
            return size + out.finish().size();
        };
    };
    return {
        {"1 MiB of log and JSON lines", ordinary(mib), text, bar},
        {"16 MiB of log and JSON lines", ordinary(16 * mib), text, 16 * bar},
        {"1 MiB of JSON lines, as JSON", ordinary(mib), json, bar},
        {"1 MiB through a stream, chunks of 64 KiB", ordinary(mib), stream(65536), bar},
        {"1 MiB through a stream, chunks of 100 bytes", ordinary(mib), stream(100), 0},
        {"one JSON string full of escapes, 1 MiB", escaped_string(mib, false), json, 0},
        {"one JSON string full of escapes, 16 MiB", escaped_string(16 * mib, false), json, 0},
        {"one JSON string, escaped three times, 1 MiB", escaped_string(mib, true), json, 0},
        {"1 MiB, every byte URL-encoded", percent_encoded(mib), text, 0},
        {"1 MiB of base64 in lines of 76", wrapped_base64(mib), text, 0},
        {"1 MiB of a secret's first 39 characters", repeated(known.substr(0, 39), mib), text, 0},
        {"1 MiB of nothing but secrets", repeated(known, mib), text, 0},
        {"1 MiB of a, secrets are 50 of the form a...ab", std::string(mib, 'a'), worst, 0},
        {"1 MiB of backslashes", std::string(mib, '\\'), json, 0},
    };
}

std::string verdict(Row const& row, double limit) {
    if (limit == 0) return "";
    return fmt::format("  < {} ms: {}", limit, row.redact < limit ? "ok" : "MISSED");
}

int run(int rounds, bool as_json) {
    std::vector<std::string> values, alike;
    for (std::size_t i = 0; i < 50; ++i) {
        values.push_back(random_text(40));
        alike.push_back(std::string(i == 49 ? mib : 40 + i, 'a') + 'b');
    }
    Secrets const usual(values), periodic(alike);
    auto const known = usual.redactor(), worst = periodic.redactor();
    if (!as_json)
        fmt::print("redaction of 50 secrets: median of {} rounds, in turns{:>29} {:>9} {:>9}\n", rounds, "ms",
                   "x memchr", "x memcpy");
    std::string rows;
    bool good = true;
    for (auto const& one : cases(known, worst, values[0])) {
        auto const row = measure(one, rounds);
        good = good && (one.limit == 0 || row.redact < one.limit);
        if (as_json)
            rows += fmt::format(R"({}"{}":{{"ms":{:.3f},"memchr_ms":{:.4f},"memcpy_ms":{:.4f}}})",
                                rows.empty() ? "" : ",", one.name, row.redact, row.search, row.copy);
        else
            fmt::print("  {:<64} {:9.2f} {:9.1f} {:9.1f}{}\n", one.name, row.redact, row.redact / row.search,
                       row.redact / row.copy, verdict(row, one.limit));
    }
    auto const made = milliseconds([&] { return std::size_t{usual.redactor().empty()}; });
    if (as_json)
        fmt::print(R"({{"rounds":{},"setup_ms":{:.3f},"cases":{{{}}},"ok":{}}})"
                   "\n",
                   rounds, made, rows, good);
    else
        fmt::print("  {:<64} {:9.2f}\n", "learning the 50 secrets", made);
    return 0;
}

} // namespace

int main(int count, char** words) {
    int rounds = 15;
    bool as_json = false;
    for (int i = 1; i < count; ++i) {
        std::string_view const word = words[i];
        if (word == "--json")
            as_json = true;
        else if (word == "--rounds" && i + 1 < count)
            rounds = std::max(1, std::atoi(words[++i]));
        else
            return fmt::print(stderr, "./dev bench redact [--rounds N] [--json]: what is {}?\n", word), 64;
    }
    return run(rounds, as_json);
}
