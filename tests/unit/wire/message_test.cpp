// Messages and batches: what is heard, what is trouble, and that one never hides the other.
#include "wire/message.hpp"

#include "wire/scan.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using pfar::wire::Message;
using namespace std::string_literals;

namespace {

struct Heard {
    std::vector<std::string> messages; // kind id method payload
    std::vector<std::string> troubles;
};

Heard read(std::string_view text) {
    Heard heard;
    pfar::wire::read_messages(
        text,
        [&](Message const& message) {
            static constexpr char const* kinds[] = {"request", "notification", "result", "error"};
            heard.messages.push_back(std::string(kinds[static_cast<int>(message.kind)]) + "|" +
                                     std::string(message.id) + "|" + std::string(message.method) + "|" +
                                     std::string(message.payload));
        },
        [&](std::string const& what) { heard.troubles.push_back(what); });
    return heard;
}

std::string only(std::string_view text) {
    auto const heard = read(text);
    REQUIRE(heard.troubles.empty());
    REQUIRE(heard.messages.size() == 1);
    return heard.messages[0];
}

std::string trouble(std::string_view text) {
    auto const heard = read(text);
    CAPTURE(text);
    CHECK(heard.messages.empty());
    REQUIRE(heard.troubles.size() == 1);
    return heard.troubles[0];
}

std::string batch(std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + R"({"jsonrpc":"2.0","method":"n"})"s;
    return out + "]";
}

} // namespace

TEST_CASE("the four kinds are told apart, with their parts as they came") {
    CHECK(only(R"({"jsonrpc":"2.0","id":7,"method":"a/b","params":{ "x" : 1 }})") == R"(request|7|a/b|{ "x" : 1 })");
    CHECK(only(R"({"params":[1],"method":"m","id":"seven","jsonrpc":"2.0"})") == R"(request|"seven"|m|[1])");
    CHECK(only(R"({"jsonrpc":"2.0","method":"n"})") == "notification||n|");
    CHECK(only(R"({"jsonrpc":"2.0","id":-3,"result":null})") == "result|-3||null");
    CHECK(only(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}})") ==
          R"(error|1||{"code":1,"message":"m"})");
    CHECK(only("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r") == "result|1||{}");
    CHECK(only(R"({"jsonrpc":"2.0","id":1,"result":{},"extra":{"id":2,"method":"m"}})") == "result|1||{}");
}

TEST_CASE("an empty line says nothing") {
    for (auto const* const text : {"", " ", "\r", " \t\r"}) {
        CHECK(read(text).messages.empty());
        CHECK(read(text).troubles.empty());
    }
}

TEST_CASE("what is no message is trouble, once") {
    for (std::string const& text : {"Welcome!"s,
                                    "{"s,
                                    "1"s,
                                    "\"a\""s,
                                    "null"s,
                                    "{}"s,
                                    R"({"jsonrpc":"2.0"})"s,
                                    R"({"id":1,"method":"m"})"s,
                                    R"({"jsonrpc":"1.0","id":1,"method":"m"})"s,
                                    R"({"jsonrpc":2.0,"id":1,"method":"m"})"s,
                                    R"({"jsonrpc":"2.0","id":1})"s,
                                    R"({"jsonrpc":"2.0","result":{}})"s,
                                    R"({"jsonrpc":"2.0","id":1,"method":3})"s,
                                    R"({"jsonrpc":"2.0","id":1,"method":"m","params":"text"})"s,
                                    R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})"s,
                                    R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})"s,
                                    R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"s,
                                    R"({"jsonrpc":"2.0","id":1,"error":"no"})"s,
                                    R"({"jsonrpc":"2.0","id":1,"method":"m\u0065"})"s,
                                    R"({"jsonrpc":"2.0","id":1,"result":{}} {})"s,
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"s,
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\0\"}"s,
                                    "\0{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}"s,
                                    "\0\0\0"s,
                                    "\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}"s})
        CHECK_FALSE(trouble(text).empty());
}

TEST_CASE("a member that stands twice in the envelope makes it ambiguous") {
    for (auto const* const twice :
         {R"("id":2)", R"("jsonrpc":"2.0")", R"("method":"other")", R"("params":{})", R"("id":1)"})
        CHECK(trouble(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{},)"s + twice + "}") ==
              "a member stands in it twice");
    CHECK(only(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"id":1,"id":2}})") ==
          R"(request|1|m|{"id":1,"id":2})");
}

TEST_CASE("ids are strings or integers of a bounded size") {
    auto const with = [](std::string const& id) { return R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}"; };
    CHECK(only(with("0")) == "request|0|m|");
    CHECK(only(with(R"("")")) == R"(request|""|m|)");
    CHECK(only(with(std::string(256, '9'))) == "request|" + std::string(256, '9') + "|m|");
    CHECK(only(with("\"" + std::string(254, 'x') + "\"")).size() == 256 + 11);
    for (auto const& id : {"1.5"s, "1e3"s, "null"s, "true"s, "{}"s, "[1]"s, std::string(257, '9'),
                           "\"" + std::string(255, 'x') + "\"", "\"" + std::string(1U << 20U, 'x') + "\""})
        CHECK(trouble(with(id)).find("id") != std::string::npos);
}

TEST_CASE("a method's name is bounded") {
    auto const with = [](std::size_t size) {
        return R"({"jsonrpc":"2.0","method":")" + std::string(size, 'm') + "\"}";
    };
    CHECK(only(with(256)).size() == 256 + 15);
    CHECK(trouble(with(257)).find("too long") != std::string::npos);
}

TEST_CASE("64 levels of a message are heard, also in a batch, and 65 are not") {
    auto const deep = [](unsigned depth) {
        return R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
    };
    CHECK(read(deep(64)).messages.size() == 1);
    CHECK_FALSE(trouble(deep(65)).empty());
    CHECK(read("[" + deep(64) + "]").messages.size() == 1);
    CHECK_FALSE(trouble("[" + deep(65) + "]").empty());
}

TEST_CASE("batches of up to 64 messages are heard; larger, empty and nested ones are trouble") {
    CHECK(read(batch(1)).messages.size() == 1);
    CHECK(read(batch(64)).messages.size() == 64);
    CHECK(trouble(batch(65)).find("64") != std::string::npos);
    CHECK(trouble(batch(0)) == "an empty batch");
    CHECK_FALSE(trouble("[" + batch(2) + "]").empty());
    auto const mixed = read(R"([1,{"jsonrpc":"2.0","id":1,"result":2},{},[],{"jsonrpc":"2.0","method":"n"}])");
    CHECK(mixed.messages == std::vector<std::string>{"result|1||2", "notification||n|"});
    CHECK(mixed.troubles.size() == 3);
}

TEST_CASE("a batch that is broken anywhere is not heard at all") {
    auto const broken = read(R"([{"jsonrpc":"2.0","method":"n"},{"jsonrpc":)");
    CHECK(broken.messages.empty());
    CHECK(broken.troubles.size() == 1);
}

TEST_CASE("lines that are written are messages that are read") {
    using namespace pfar::wire;
    auto const text = "a \"b\" \n \x01 \xc3\xa9"s;
    auto const line = [](std::string const& whole) {
        REQUIRE(whole.find('\n') == whole.size() - 1);
        return only(std::string_view(whole).substr(0, whole.size() - 1));
    };
    CHECK(line(request_line("1", "m", "")) == "request|1|m|");
    CHECK(line(request_line(R"("a")", "m", "{}")) == R"(request|"a"|m|{})");
    CHECK(line(notification_line("n", R"({"a":1})")) == R"(notification||n|{"a":1})");
    CHECK(line(notification_line("n", "")) == "notification||n|");
    CHECK(line(result_line("5", "[]")) == "result|5||[]");
    CHECK(line(error_line("5", -32000, text)) ==
          R"(error|5||{"code":-32000,"message":)" + pfar::wire::quoted(text) + "}");
    CHECK(scan(pfar::wire::quoted(text), {}));
}
