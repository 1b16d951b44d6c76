// AgentTalk: a conversation for an agent, over pipes to the host: a JSON object a line, both ways.
#pragma once

#include "flows/talk.hpp"

#include <boost/json/object.hpp>

namespace pfar::cli {

class AgentTalk final : public flows::Talk {
public:
    void say(std::string const& text) override;
    void progress(std::string const& text) override;
    Result<flows::Reply> ask(flows::Question const& question) override;
    void end(std::string const& outcome);
    /// The next line; Errc::refused at the end. [may block]
    static Result<boost::json::object> next();
};

} // namespace pfar::cli
