#include "pipeline/standing.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace pfar::base;
using pfar::pipeline::Labels;
using pfar::pipeline::Offer;
using pfar::pipeline::Standing;

namespace {

Offer offer(std::string name, Label label, Taint taint = Taint::clean) {
    Offer out;
    out.identity = "/mcp/" + name + ".toml", out.name = std::move(name), out.label = label, out.taint = taint;
    return out;
}

Standing standing(Label label = Label::open) {
    Standing out;
    out.id = "s-1", out.label = label;
    return out;
}

} // namespace

TEST_CASE("a session becomes what it has seen, remembers where from, and never less") {
    Labels const labels;
    auto one = standing();
    labels.seen(one, offer("notes", Label::sensitive, Taint::extracted));
    CHECK(one.label == Label::sensitive);
    CHECK(one.label_from == "notes");
    CHECK(one.taint == Taint::extracted);
    labels.seen(one, offer("web", Label::open, Taint::raw));
    CHECK(one.label == Label::sensitive);
    CHECK(one.label_from == "notes");
    CHECK(one.taint == Taint::raw);
    CHECK(one.taint_from == "web");
    labels.seen(one, offer("other", Label::sensitive, Taint::raw)); // not more than before: the first stays named
    labels.seen(one, offer("clean", Label::open, Taint::clean));
    CHECK(one.label_from == "notes");
    CHECK(one.taint_from == "web");
}

TEST_CASE("what was written to a server comes out of it again, for others too, until its process is new") {
    Labels labels;
    auto const board = offer("board", Label::internal);
    labels.written(standing(Label::regulated), board);
    labels.written(standing(Label::open), board); // the highest counts
    CHECK(labels.of(board) == Label::regulated);
    CHECK(labels.of(offer("else", Label::internal)) == Label::internal);
    auto reader = standing();
    labels.seen(reader, board);
    CHECK(reader.label == Label::regulated);
    CHECK(reader.label_from == "board");
    labels.forget("/mcp/nobody.toml");
    CHECK(labels.of(board) == Label::regulated);
    labels.forget(board.identity);
    CHECK(labels.of(board) == Label::internal);
    CHECK(reader.label == Label::regulated); // what it has seen it has seen
}

TEST_CASE("a server's own label is never lowered by what was written to it") {
    Labels labels;
    auto const vault = offer("vault", Label::secret);
    labels.written(standing(Label::open), vault);
    CHECK(labels.of(vault) == Label::secret);
}

TEST_CASE("two files of one name are two servers") {
    Labels labels;
    auto mine = offer("github", Label::internal), theirs = offer("github", Label::internal);
    theirs.identity = "/project/.pfar/mcp/github.toml";
    labels.written(standing(Label::secret), mine);
    CHECK(labels.of(theirs) == Label::internal);
}
