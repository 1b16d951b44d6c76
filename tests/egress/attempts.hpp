// A table of attempts, performed by attempts.py inside of a sandbox, and outside of it, where each has to work.
#pragma once

#include "egress/world.hpp"

#include <boost/json/array.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace test {

struct Attempt {
    std::string name;
    boost::json::array steps;     // see attempts.py
    std::string inside;           // what it has to come to there; alternatives by |
    std::string control = "evil"; // what it has to come to outside
};

/// Bytes in JSON: a character for each.
boost::json::string bytes(std::string_view raw);

/// What each came to, by its name.
using Outcomes = std::map<std::string, std::string>;
Outcomes perform_inside(WorldStage const& stage, std::vector<std::string> const& domains,
                        std::vector<Attempt> const& table);
Outcomes perform_outside(WorldStage const& stage, std::vector<Attempt> const& table);

/// Both, with the oracle: inside all are refused as they say, and no peer saw anything that it should not have.
void check_attempts(WorldStage const& stage, std::vector<std::string> const& domains,
                    std::vector<Attempt> const& table);
/// Only what works: no control, and no evil either.
void check_inside(WorldStage const& stage, std::vector<std::string> const& domains, std::vector<Attempt> const& table);

/// CONNECT to this, and a request for whoever answers.
Attempt by_connect(std::string name, std::string_view authority, std::string inside);
/// CONNECT to this, and these bytes inside.
Attempt by_connect(std::string name, std::string_view authority, std::string_view raw, std::string inside,
                   int answers = 1);
/// The same as one request in absolute form.
Attempt by_absolute(std::string name, std::string_view authority, std::string inside);
/// These bytes to the proxy; as many answers as said.
Attempt by_bytes(std::string name, std::string_view raw, std::string inside, int answers = 1);
/// TCP to there, then these bytes.
Attempt by_tcp(std::string name, std::string_view host, unsigned port, std::string_view raw, std::string inside,
               int answers = 1);
/// TCP to there, TLS with this server name (empty: none), then a request.
Attempt by_tls(std::string name, std::string_view host, unsigned port, std::string_view server_name,
               std::string inside);
/// CONNECT to this, TLS with this server name (empty: none), then a request.
Attempt by_tunnel(std::string name, std::string_view authority, std::string_view server_name, std::string inside);
/// The same, with the first bytes of TLS right behind the CONNECT.
Attempt by_eager_tunnel(std::string name, std::string_view authority, std::string_view server_name, std::string inside);
/// A question about a name.
Attempt by_question(std::string name, std::string_view server, std::string_view transport, std::string_view about,
                    unsigned kind, std::string inside);

} // namespace test
