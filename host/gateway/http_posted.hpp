// Posted: what a POST's body holds, as far as HTTP has to know: which requests wait for an answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pfar::gateway {

struct Posted {
    std::vector<std::string> asked; // ids of requests, as written
    std::size_t messages = 0;
    bool is_batch = false, initializes = false;
    std::string trouble{}; // it is no message, and why
};
Posted read_posted(std::string_view body);

/// The ids that a message, or an array of them, answers.
std::vector<std::string> answered_by(std::string_view message);
/// It asks the client something.
bool is_request(std::string_view message);
/// An error as the answer to a request.
bool is_error(std::string_view message);

} // namespace pfar::gateway
