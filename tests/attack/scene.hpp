// The scene: everything that is attacked, built for one run and taken away after it.
#pragma once

#include "attack.hpp"

namespace attack {

/// Builds under `directory`, says `ready KEY=VALUE...` on stdout, lives until stdin closes, removes all of it. The exit code.
int run_scene(std::string const& directory);

/// The process that is attacked: has the secret in its memory, environment, command line and at a descriptor.
int run_victim(char** arguments);

/// Puts granted/swap back as it was, for the row that exchanges it.
void restore_swap(Facts const& facts);

/// Listeners; answers each with the secret.
class Listeners {
public:
    Facts open(std::string const& directory, std::string const& secret);
    /// Serves until `until` is readable.
    void serve(int until);

private:
    void answer(int fd) const;
    std::string secret_;
    std::vector<int> streams_, datagrams_, silent_; // accepted from, answered, only drained
};

} // namespace attack
