// Names become labels that are safe in JSON and on a terminal; the rest is redaction::Finder.
#include "base/redact.hpp"

#include "base/redact_finder.hpp"
#include "base/redact_json.hpp"

#include <algorithm>

namespace pfar::base {
namespace {

std::string label_for(std::string name) {
    auto const is_odd = [](char character) {
        return character < '!' || character > '~' || character == '"' || character == '\\';
    };
    std::replace_if(name.begin(), name.end(), is_odd, '_');
    return "[redacted:" + name + "]";
}

} // namespace

Redactor::Redactor(std::vector<Known> const& secrets) : finder_(std::make_unique<redaction::Finder>()) {
    for (auto const& [name, value] : secrets) {
        finder_->add(value->reveal(), labels_.size());
        labels_.push_back(label_for(name));
    }
    finder_->seal();
}

Redactor::Redactor(std::vector<std::shared_ptr<Redactor const>> parts) : Redactor(std::vector<Known>()) {
    parts_ = std::move(parts);
}

Redactor::Redactor(Redactor&&) noexcept = default;
Redactor& Redactor::operator=(Redactor&&) noexcept = default;
Redactor::~Redactor() = default;

bool Redactor::empty() const {
    return finder_->empty() &&
           std::all_of(parts_.begin(), parts_.end(), [](auto const& part) { return part->empty(); });
}

std::optional<std::string> Redactor::by_parts(std::string_view text, Redact how) const {
    std::optional<std::string> out;
    for (auto const& part : parts_)
        if (auto changed = ((*part).*how)(out ? std::string_view(*out) : text)) out = std::move(changed);
    return out;
}

std::optional<std::string> Redactor::redact(std::string_view text) const {
    if (!parts_.empty()) return by_parts(text, &Redactor::redact);
    auto found = finder_->find(text, false);
    if (found.empty()) return {};
    std::string out;
    std::size_t done = 0;
    for (auto const& finding : std::move(found).merged()) {
        out.append(text.substr(done, finding.begin - done)).append(labels_[finding.secret]);
        done = finding.end;
    }
    return out.append(text.substr(done));
}

std::optional<std::string> Redactor::redact_json(std::string_view json) const {
    if (!parts_.empty()) return by_parts(json, &Redactor::redact_json);
    auto found = finder_->find(json, false);
    if (found.empty()) return {};
    std::string out;
    std::size_t done = 0;
    redaction::JsonEdges edges(json);
    for (auto const& finding : std::move(found).merged()) {
        if (finding.end <= done) continue; // the one before it took this one too
        auto const place = edges.of({std::max(finding.begin, done), finding.end});
        auto const begin = std::max(place.span.begin, done);
        out.append(json.substr(done, begin - done)).append(place.opens ? "\"" : "");
        out.append(labels_[finding.secret]).append(place.closes ? "\"" : "");
        done = place.span.end;
    }
    return out.append(json.substr(done));
}

} // namespace pfar::base
