// A record in a directory of the test's own, and ways to look at it and to spoil it.
#pragma once

#include "audit/files.hpp"
#include "audit/verify.hpp"
#include "audit/writer.hpp"
#include "support/child.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>

#include <sstream>

namespace test {

struct Record {
    TempDir root;
    std::filesystem::path directory = root / "audit";

    [[nodiscard]] std::unique_ptr<pfar::audit::Writer> open(pfar::audit::Limits const& limits = {}) const {
        return std::move(pfar::audit::Writer::open(directory, limits).value());
    }
    /// One group for each event if `one_by_one`.
    void write(int events, pfar::audit::Limits const& limits = {}, bool one_by_one = false) const {
        auto const writer = open(limits);
        for (int i = 0; i < events; ++i) {
            writer->add({"egress", {{"server", "notion"}, {"n", i}}});
            if (one_by_one) writer->flush().value();
        }
        writer->flush().value();
    }
    [[nodiscard]] std::filesystem::path file(std::uint32_t number = 1) const {
        return directory / pfar::audit::file_name(number);
    }
    [[nodiscard]] std::vector<std::string> lines(std::uint32_t number = 1) const {
        std::istringstream in(read(file(number)));
        std::vector<std::string> out;
        for (std::string line; std::getline(in, line);) out.push_back(line);
        return out;
    }
    void replace(std::vector<std::string> const& lines, std::uint32_t number = 1) const {
        std::string text;
        for (auto const& line : lines) text += line + "\n";
        root.write("audit/" + pfar::audit::file_name(number), text);
    }
    [[nodiscard]] std::vector<boost::json::value> events() const {
        std::vector<boost::json::value> out;
        for (std::uint32_t number = 1; number <= pfar::audit::last_file(directory); ++number)
            for (auto const& line : lines(number)) out.push_back(boost::json::parse(line));
        return out;
    }
    [[nodiscard]] std::size_t count(std::string_view kind) const {
        std::size_t n = 0;
        for (auto const& event : events()) n += event.at("kind").as_string() == kind ? 1 : 0;
        return n;
    }
    [[nodiscard]] std::string fault(std::optional<std::string> const& head = {}) const {
        auto const verified = pfar::audit::verify(directory, head);
        return verified ? "" : verified.error().what;
    }
};

} // namespace test
