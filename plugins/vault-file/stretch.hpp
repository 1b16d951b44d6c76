// Argon2id: a key out of words that somebody can remember, slow on purpose.
#pragma once

#include "header.hpp"

namespace pfar::vault_file {

/// With the salt and the bounded cost in `header`. Errc::unavailable if there is not enough memory. [may block: about
/// 0.2 s]
Result<Secret> stretch(Header const& header, Secret const& words);

} // namespace pfar::vault_file
