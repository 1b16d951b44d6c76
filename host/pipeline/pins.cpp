// The file is one JSON object, a member for each tool: {"search":{"pin":"...","tool":{...}}}. The texts are only read when somebody wants to see a difference.
#include "pipeline/pins.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "wire/json_text.hpp"
#include "wire/message.hpp"
#include "wire/scan.hpp"

#include <fmt/format.h>

namespace pfar::pipeline {
namespace {

constexpr std::size_t most_file = std::size_t{16} << 20U;

struct Kept {
    std::string pin, text;
};

Result<std::map<std::string, Kept>> read_kept(std::filesystem::path const& file) {
    PFAR_TRY(text, base::read_file(file, most_file));
    std::map<std::string, Kept> out;
    wire::ScanTask task;
    task.member = [&](std::string_view key, std::string_view value) {
        out[wire::string_in(fmt::format("\"{}\"", key))] = {wire::string_in(wire::member_of(value, "pin")),
                                                            std::string(wire::member_of(value, "tool"))};
        return true;
    };
    auto const first = text.find_first_not_of(" \n");
    if (!wire::scan(text, task) || first == std::string::npos || text[first] != '{')
        return fail(Errc::invalid, fmt::format("{} is damaged", base::printable(file.native())));
    return out;
}

} // namespace

Pins Pins::read(std::filesystem::path file) {
    Pins out(std::move(file));
    auto kept = read_kept(out.file_);
    if (!kept) {
        out.fresh_ = kept.error().code == Errc::not_found;
        if (!out.fresh_) out.trouble_ = kept.error().what;
        return out;
    }
    out.fresh_ = false;
    for (auto const& [tool, one] : *kept) out.digests_[tool] = one.pin;
    return out;
}

bool Pins::has(std::string const& tool, std::string const& digest) const {
    auto const found = digests_.find(tool);
    return found != digests_.end() && found->second == digest;
}

void Pins::agree(std::string const& tool, std::string const& digest, std::string text) {
    digests_[tool] = digest;
    new_texts_[tool] = std::move(text);
}

void Pins::forget(std::string const& tool) {
    digests_.erase(tool);
    new_texts_.erase(tool);
}

Result<void> Pins::keep() {
    auto const kept = read_kept(file_);
    std::string out = "{";
    for (auto const& [tool, pin] : digests_) {
        auto const fresh = new_texts_.find(tool);
        std::string text = fresh != new_texts_.end() ? fresh->second : "";
        if (text.empty() && kept && kept->contains(tool)) text = kept->at(tool).text;
        out += fmt::format("{}{}:{{\"pin\":{},\"tool\":{}}}", out.size() > 1 ? ",\n" : "", wire::quoted(tool),
                           wire::quoted(pin), text.empty() ? "null" : text);
    }
    PFAR_CHECK(base::write_file(file_, out + "}\n", 0600));
    fresh_ = false;
    trouble_.clear();
    new_texts_.clear();
    return {};
}

std::string Pins::text_of(std::string const& tool) const {
    auto const kept = read_kept(file_);
    auto const text = kept && kept->contains(tool) ? kept->at(tool).text : "";
    return text == "null" ? "" : text;
}

} // namespace pfar::pipeline
