// Target: where a request goes, read by libcurl's own parser and written anew from what was judged: no second reader can see another host in it.
#pragma once

#include <pfar/result.hpp>

#include <string>
#include <string_view>

namespace pfar::fetch {

struct Target {
    std::string scheme, host; // canonical
    std::string url;          // all of it, without a fragment
    unsigned port = 0;
};

/// Errc::refused for whatever is not http(s), has a user or password in it, or could be read in two ways. [any thread]
Result<Target> read_target(std::string_view url);
/// `path` with or without its first slash, and with a query if it likes, below the base's own path.
Result<Target> target_below(Target const& base, std::string_view path);
/// The same with `query` behind what it has already.
Result<Target> with_query(Target const& target, std::string_view query);

/// Scheme, host and port: who gets the token.
bool is_same_origin(Target const& a, Target const& b);
/// Errc::refused if `to` is another host than `from`, or the same without TLS where there was some.
Result<void> check_stays(Target const& from, Target const& to);

/// As a part of a query: everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

} // namespace pfar::fetch
