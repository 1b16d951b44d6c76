// Rows become JSON, lines become outcomes; the peers say whether anything got through that no row has noticed.
#include "egress/attempts.hpp"

#include "support/temp_dir.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>

#include <sstream>

namespace json = boost::json;

namespace test {
namespace {

json::array step(std::string_view verb, std::initializer_list<json::value> words = {}) {
    json::array made;
    made.push_back(bytes(verb));
    made.insert(made.end(), words.begin(), words.end());
    return made;
}

json::array all(std::initializer_list<json::array> steps) {
    json::array made;
    for (auto const& one : steps) made.push_back(one);
    return made;
}

json::value name_or_none(std::string_view server_name) {
    return server_name.empty() ? json::value(nullptr) : json::value(bytes(server_name));
}

std::vector<std::string> command(WorldStage const& stage, std::vector<Attempt> const& table) {
    json::array rows;
    for (auto const& attempt : table) rows.push_back({{"name", attempt.name}, {"steps", attempt.steps}});
    static int number = 0;
    auto const file = stage.write("given/table" + std::to_string(++number) + ".json", json::serialize(rows));
    auto const script = stage.write("given/attempts.py", read(PFAR_SOURCE "/tests/egress/attempts.py"));
    return {"/usr/bin/python3", script.native(), file.native()};
}

Outcomes outcomes(Outcome const& outcome) {
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    Outcomes all;
    std::istringstream in(outcome.out);
    for (std::string line; std::getline(in, line);)
        all[line.substr(0, line.find('\t'))] = line.substr(std::min(line.find('\t'), line.size() - 1) + 1);
    return all;
}

bool is_one_of(std::string const& text, std::string const& alternatives) {
    std::istringstream in(alternatives);
    for (std::string one; std::getline(in, one, '|');)
        if (text == one) return true;
    return false;
}

/// Outside it is the same for every backend and person, so it is done once for each table.
std::string const& control_of(WorldStage const& stage, std::vector<Attempt> const& table, Attempt const& attempt) {
    static std::map<std::string, std::string> done; // by name and steps
    auto const key = [](Attempt const& one) { return one.name + json::serialize(one.steps); };
    if (!done.contains(key(attempt))) {
        auto controls = perform_outside(stage, table);
        for (auto const& one : table) done[key(one)] = controls[one.name];
        CHECK_FALSE(World::here().seen().evil().empty());
    }
    return done[key(attempt)];
}

json::string connect_head(std::string_view authority) {
    auto const where = std::string(authority);
    return bytes("CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n\r\n");
}

json::array in_the_tunnel(std::string_view authority) {
    return all({step("dial", {"proxy", 0}), step("send", {connect_head(authority)}), step("granted")});
}

json::array request() {
    return step("send", {"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n"});
}

} // namespace

json::string bytes(std::string_view raw) {
    json::string text;
    for (auto const c : raw) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) text.push_back(static_cast<char>(0xc0U | byte >> 6U));
        text.push_back(static_cast<char>(byte < 0x80 ? byte : 0x80U | (byte & 0x3fU)));
    }
    return text;
}

Outcomes perform_inside(WorldStage const& stage, std::vector<std::string> const& domains,
                        std::vector<Attempt> const& table) {
    return outcomes(stage.reaching(domains, command(stage, table)));
}

Outcomes perform_outside(WorldStage const& stage, std::vector<Attempt> const& table) {
    auto words = command(stage, table);
    words.emplace_back("--relay");
    return outcomes(stage.outside(words));
}

void check_attempts(WorldStage const& stage, std::vector<std::string> const& domains,
                    std::vector<Attempt> const& table) {
    for (auto const& attempt : table) {
        auto const& control = control_of(stage, table, attempt);
        INFO(attempt.name << ", outside: " << control);
        CHECK(control.find(attempt.control) != std::string::npos);
    }
    World::here().seen();
    check_inside(stage, domains, table);
}

void check_inside(WorldStage const& stage, std::vector<std::string> const& domains, std::vector<Attempt> const& table) {
    auto found = perform_inside(stage, domains, table);
    CHECK(World::here().seen().evil() == std::vector<std::string>());
    for (auto const& attempt : table) {
        INFO(attempt.name << ": " << found[attempt.name] << ", not " << attempt.inside);
        CHECK(is_one_of(found[attempt.name], attempt.inside));
    }
}

Attempt by_connect(std::string name, std::string_view authority, std::string inside) {
    auto const host =
        std::string(authority.substr(0, authority.rfind(':'))); // the name of the tunnel, as it is said inside
    return by_connect(std::move(name), authority, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n", std::move(inside));
}

Attempt by_connect(std::string name, std::string_view authority, std::string_view raw, std::string inside,
                   int answers) {
    auto steps = in_the_tunnel(authority);
    steps.push_back(step("send", {bytes(raw)}));
    steps.push_back(step("answers", {answers}));
    return {std::move(name), std::move(steps), std::move(inside)};
}

Attempt by_absolute(std::string name, std::string_view authority, std::string inside) {
    auto const where = std::string(authority);
    return by_bytes(std::move(name), "GET http://" + where + "/ HTTP/1.1\r\nHost: " + where + "\r\n\r\n",
                    std::move(inside));
}

Attempt by_bytes(std::string name, std::string_view raw, std::string inside, int answers) {
    return {std::move(name), all({step("dial", {"proxy", 0}), step("send", {bytes(raw)}), step("answers", {answers})}),
            std::move(inside)};
}

Attempt by_tcp(std::string name, std::string_view host, unsigned port, std::string_view raw, std::string inside,
               int answers) {
    auto const dial = step("dial", {bytes(host), port}), send = step("send", {bytes(raw)});
    return {std::move(name), all({dial, send, step("answers", {answers})}), std::move(inside)};
}

Attempt by_tls(std::string name, std::string_view host, unsigned port, std::string_view server_name,
               std::string inside) {
    auto const tls = step("tls", {name_or_none(server_name)});
    return {std::move(name), all({step("dial", {bytes(host), port}), tls, request()}), std::move(inside)};
}

Attempt by_tunnel(std::string name, std::string_view authority, std::string_view server_name, std::string inside) {
    auto steps = in_the_tunnel(authority);
    steps.push_back(step("tls", {name_or_none(server_name)}));
    steps.push_back(request());
    return {std::move(name), std::move(steps), std::move(inside)};
}

Attempt by_eager_tunnel(std::string name, std::string_view authority, std::string_view server_name,
                        std::string inside) {
    auto const hold = step("hold", {connect_head(authority)}), tls = step("tls", {name_or_none(server_name)});
    return {std::move(name), all({step("dial", {"proxy", 0}), hold, tls, request()}), std::move(inside)};
}

Attempt by_question(std::string name, std::string_view server, std::string_view transport, std::string_view about,
                    unsigned kind, std::string inside) {
    auto const ask = step("ask", {bytes(server), 53, bytes(transport), bytes(about), kind});
    return {std::move(name), all({ask}), std::move(inside), "answered"};
}

} // namespace test
