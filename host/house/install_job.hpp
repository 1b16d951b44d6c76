// What installing has in common, whoever the package manager is: where it may go, and how to look at what it left.
#pragma once

#include "house/install_sandbox.hpp"
#include "house/install_source.hpp"
#include "servers/wish.hpp"

#include <boost/json/object.hpp>

#include <optional>

namespace pfar::house {

/// What an install works from and tells.
struct InstallJob {
    House const& house;
    servers::OwnerFacts const& owner;
    InstallWish const& wish;
    std::filesystem::path const& staging;
    InstallProgress const& progress;
    std::string& blocked;
    Record& record;
};

/// Lets it go to these, and to what the owner has allowed besides. A source at home implies that what it points to may be at home too.
/// [may block]
Result<void> allow_sources(InstallRun& run, std::vector<SourceUrl> const& sources, InstallWish const& wish);

/// Why it failed, if the filter refused a host: with the host in job.blocked if the owner has not been asked for it yet.
Error refused_host(InstallJob const& job, std::vector<egress::Blocked> const& all);

/// What is in the directory was put there by a stranger. A path as it really is, if that lies in `root`, which is canonical. [may block]
std::optional<std::filesystem::path> inside_of(std::filesystem::path const& root, std::filesystem::path const& path);

/// Errc::invalid for a file that is not in `root` or is no JSON object. [may block]
Result<boost::json::object> read_description(std::filesystem::path const& root, std::filesystem::path const& file,
                                             std::size_t limit);

/// A text member; empty if there is none.
std::string text_in(boost::json::object const& all, std::string_view key);
/// An object member; null if there is none.
boost::json::object const* object_in(boost::json::object const& all, std::string_view key);

/// The program that is meant, the only one, or the one that is called like the package. Errc::invalid with the candidates otherwise.
Result<std::string> program_of(std::map<std::string, std::string> const& all, InstallWish const& wish);

/// A package's name without its scope.
std::string last_part(std::string const& package);

} // namespace pfar::house
