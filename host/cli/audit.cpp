// pfar audit: the files as they are, from where the wanted lines begin. Rows are printed a few hundred at a time, so that columns are as wide as
// they need to be and memory is bounded.
#include "audit/files.hpp"
#include "audit/read.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "cli/audit_since.hpp"
#include "cli/audit_words.hpp"
#include "cli/host_client.hpp"
#include "cli/record_commands.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

namespace pfar::cli {
namespace {

constexpr std::uint64_t usual_lines = 50, most_lines = 1'000'000;
constexpr std::size_t rows_at_once = 500, widest_column = 40;
constexpr std::chrono::milliseconds a_look{250};

/// Characters, not bytes.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

/// Prints lines as they come: as stored, or as rows below headings.
class Printer {
public:
    Printer(Console& console, bool json) : console_(console), json_(json) {}

    void take(std::string_view line, boost::json::object const& event) {
        if (json_)
            text_.append(line).append("\n");
        else
            rows_.push_back(audit_row(line, event));
        if (rows_.size() >= rows_at_once || text_.size() >= (1U << 16U)) print();
    }
    void print() {
        if (!rows_.empty() && widths_.empty()) begin();
        for (auto const& row : rows_) text_ += line_of(row);
        printed_ = printed_ || !text_.empty();
        if (!text_.empty()) console_.print(text_);
        rows_.clear();
        text_.clear();
    }
    [[nodiscard]] bool has_printed() const { return printed_; }

private:
    static std::vector<std::string> cells(AuditRow const& row) {
        auto const or_dash = [](std::string const& text) { return text.empty() ? "-" : text; };
        return {row.time, row.kind, or_dash(row.subject), or_dash(row.outcome), or_dash(row.session), row.what};
    }
    /// The first rows say how wide the columns are; none is as wide as one stranger likes.
    void begin() {
        std::vector<std::string> const headings{"TIME", "KIND", "SUBJECT", "OUTCOME", "SESSION", "WHAT"};
        for (auto const& heading : headings) widths_.push_back(heading.size());
        for (auto const& row : rows_) {
            auto const texts = cells(row);
            for (std::size_t i = 0; i < texts.size(); ++i)
                widths_[i] = std::max(widths_[i], std::min(width_of(texts[i]), widest_column));
        }
        std::string line;
        for (std::size_t i = 0; i + 1 < headings.size(); ++i) line += fmt::format("{:<{}}  ", headings[i], widths_[i]);
        text_ += console_.paint(Colour::bold, line + headings.back() + "\n");
    }
    [[nodiscard]] std::string line_of(AuditRow const& row) const {
        auto const texts = cells(row);
        std::string out;
        for (std::size_t i = 0; i + 1 < texts.size(); ++i) {
            auto const gap = widths_[i] - std::min(widths_[i], width_of(texts[i]));
            out += console_.paint(i == 3 ? colour_of(texts[i]) : Colour::none, texts[i]) + std::string(gap + 2, ' ');
        }
        out += texts.back();
        return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
    }

    Console& console_;
    bool json_, printed_ = false;
    std::vector<AuditRow> rows_;
    std::vector<std::size_t> widths_;
    std::string text_;
};

/// None: all.
Result<std::optional<std::uint64_t>> lines_wanted(Arguments const& arguments) {
    auto const given = arguments.options.find("last");
    if (given == arguments.options.end()) {
        bool const all = arguments.has("json") || arguments.has("since");
        return all ? std::nullopt : std::optional(usual_lines);
    }
    std::uint64_t lines = 0;
    auto const& text = given->second;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
    if (error == std::errc() && stop == text.data() + text.size() && lines <= most_lines) return std::optional(lines);
    return fail(Errc::invalid,
                fmt::format("--last is a number up to {}, not \"{}\"", most_lines, base::printable(text)));
}

audit::Filter filter_of(Arguments const& arguments) {
    auto const value = [&](char const* name) {
        auto const found = arguments.options.find(name);
        return found == arguments.options.end() ? std::string() : found->second;
    };
    return {value("server"), value("tool"), value("session"), value("kind"), value("outcome")};
}

/// Whoever read what is printed may have gone.
bool is_gone_within(std::chrono::milliseconds wait) {
    pollfd out{STDOUT_FILENO, 0, 0};
    bool const gone = ::poll(&out, 1, static_cast<int>(wait.count())) > 0;
    return gone || std::ferror(stdout) != 0;
}

class Showing {
public:
    Showing(audit::Reader reader, Console& console, bool json)
        : reader_(std::move(reader)), console_(console), printer_(console, json) {}

    Result<void> start(std::optional<std::uint64_t> last) {
        if (last) PFAR_CHECK(reader_.go_to_last(*last));
        return read();
    }
    /// What one sees of a line that is being written is not held against it.
    Result<void> finish() {
        for (int tries = 0; reader_.is_torn() && tries < 5; ++tries) {
            std::this_thread::sleep_for(a_look / 5);
            PFAR_CHECK(read());
        }
        if (reader_.is_torn())
            console_.note("pfar: the last line is not whole: its writer was killed; the next one repairs it\n");
        return tell_skipped(), Result<void>();
    }
    Result<void> follow() {
        while (!is_gone_within(a_look)) {
            PFAR_CHECK(read());
            tell_skipped();
        }
        return {};
    }
    [[nodiscard]] bool has_printed() const { return printer_.has_printed(); }

private:
    Result<void> read() {
        auto const done = reader_.read([this](std::string_view line, boost::json::object const& event) {
            printer_.take(line, event);
            return std::ferror(stdout) == 0;
        });
        printer_.print();
        return done;
    }
    void tell_skipped() {
        auto const skipped = reader_.skipped();
        if (skipped == told_) return;
        console_.note(
            fmt::format("pfar: {} line{} could not be read and {} left out; pfar audit verify names the first\n",
                        skipped, skipped == 1 ? "" : "s", skipped == 1 ? "was" : "were"));
        told_ = skipped;
    }

    audit::Reader reader_;
    Console& console_;
    Printer printer_;
    std::uint64_t told_ = 0;
};

/// It is there, or it is not there yet; anything else is told.
Result<bool> is_there(std::filesystem::path const& directory) {
    std::error_code error;
    std::filesystem::directory_iterator const entries(directory, error);
    if (error && error != std::errc::no_such_file_or_directory)
        return fail(Errc::io,
                    fmt::format("{} could not be read: {}", base::printable(directory.native()), error.message()));
    return !error && audit::last_file(directory) > 0;
}

} // namespace

int run_audit(Arguments const& arguments, Console& console) {
    auto const misused = [&](Error const& error) { return console.complain(error.what), exit_usage; };
    auto const last = lines_wanted(arguments);
    if (!last) return misused(last.error());
    std::optional<audit::Time> since;
    if (arguments.has("since")) {
        auto const parsed = parse_since(arguments.options.at("since"), std::chrono::system_clock::now());
        if (!parsed) return misused(parsed.error());
        since = *parsed;
    }
    auto const home = base::home();
    if (!home) return failed(console, home.error());
    auto const directory = *home / "audit";
    bool const json = arguments.has("json"), follows = arguments.has("follow");
    auto const there = is_there(directory);
    if (!there) return failed(console, there.error());
    if (*there) settle_record();
    Showing showing(audit::Reader(directory, filter_of(arguments), since), console, json);
    auto shown = showing.start(*last);
    if (shown && !showing.has_printed() && *last != 0U)
        console.note(*there
                         ? "no line of the record is about that\n"
                         : fmt::format("there is no record yet in {}\n", base::printable(base::for_people(directory))));
    if (shown) shown = follows ? showing.follow() : showing.finish();
    return shown ? static_cast<int>(exit_ok) : failed(console, shown.error());
}

} // namespace pfar::cli
