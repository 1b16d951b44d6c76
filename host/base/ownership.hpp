// Who can change what a path names: the question behind every file whose content the host will run.
#pragma once

#include <pfar/result.hpp>

#include <filesystem>

namespace pfar::base {

/// `strict`: not even the owner's private group may write the file and its directory.
enum class Strictness { strict, private_group };

/// The canonical form of `path`, if it and every directory above it belong to this process's user or to root and nobody
/// else can write there. Errc::refused with the remedy otherwise. What passes cannot be exchanged by anybody else later.
/// [any thread, may block]
Result<std::filesystem::path> only_ours(std::filesystem::path const& path, Strictness strictness);

} // namespace pfar::base
