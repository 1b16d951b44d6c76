// The lines below the first one of a head: `name: value`, and what they say about the connection and the body.
#pragma once

#include "http_head.hpp"

#include <optional>
#include <vector>

namespace pfar::proxy_connect {

/// Like scan_head, for lines of which already the first is a field, or none are: a trailer.
HeadScan scan_fields(std::string_view bytes, std::size_t known);

struct Field {
    std::string_view name, value; // the value without the blanks around it
};
using Fields = std::vector<Field>;

/// A head in its parts, which live as long as its bytes do.
struct HeadLines {
    std::string_view first;
    Fields fields;
};

/// Errc::invalid if `head` is not one complete head, or has more lines than anybody needs.
Result<HeadLines> split_head(std::string_view head);

std::size_t count(Fields const& fields, std::string_view name);
/// Of the first of that name; empty if there is none.
std::string_view value_of(Fields const& fields, std::string_view name);

/// The elements of a list between commas, of every field of that name, without blanks and without empty ones.
std::vector<std::string_view> elements(Fields const& fields, std::string_view name);
bool contains(std::vector<std::string_view> const& elements, std::string_view element);

enum class Version { http_1_0, http_1_1 };
std::optional<Version> version_of(std::string_view text);

/// Where the body ends by the fields; Kind::none if they do not say. Errc::invalid if they say it twice or in an unknown way.
Result<Body> framing(Fields const& fields, Version version);

} // namespace pfar::proxy_connect
