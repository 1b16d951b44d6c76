// What a server may put in the place of its socket.
#include "servers/server_socket.hpp"
#include "support/temp_dir.hpp"
#include "unit/servers/session_stage.hpp"

#include <sys/stat.h>
#include <sys/un.h>

using namespace pfar;
using namespace pfar::servers;
using namespace std::chrono_literals;

namespace {

struct Stage {
    test::TempDir dir;
    boost::asio::io_context context;
    Wish wish;
    std::optional<ServerSocket> socket;

    Stage() {
        auto made = ServerSocket::make(file("s.sock"), dir / "run", wish);
        REQUIRE(made);
        REQUIRE(*made);
        socket.emplace(std::move(**made));
    }
    static config::SurveyedFile file(std::optional<std::string> name) {
        config::SurveyedFile out{};
        out.spec.emplace();
        out.spec->name = "notes";
        out.spec->server.socket = std::move(name);
        return out;
    }
    [[nodiscard]] std::filesystem::path place() const { return *wish.socket_directory / "s.sock"; }
    Result<wire::Ends> connect(std::chrono::milliseconds time) {
        auto const late = std::chrono::steady_clock::now() + time;
        auto const done = test::begin(context, socket->connect(context.get_executor(), late, [] { return false; }));
        REQUIRE(test::turn_until(context, [&] { return done->has_value(); }));
        return std::move(**done);
    }
};

base::Fd listen_at(std::filesystem::path const& path) {
    base::Fd out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(out.number(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
    REQUIRE(::listen(out.number(), 4) == 0);
    return out;
}

} // namespace

TEST_CASE("a file without a socket gets none, and one with file grants is refused with both remedies") {
    test::TempDir const dir;
    Wish wish;
    auto const none = ServerSocket::make(Stage::file({}), dir / "run", wish);
    REQUIRE(none);
    CHECK_FALSE(*none);
    CHECK_FALSE(wish.socket_directory);
    wish.grants.push_back({"/notes", {.read = true}, "grant"});
    auto const refused = ServerSocket::make(Stage::file("s.sock"), dir / "run", wish);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported);
    CHECK(refused.error().what.find("let it speak over stdio, or remove the grants") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(dir / "run"));
}

TEST_CASE("the directory is the owner's alone, another for each, and goes with the socket") {
    std::filesystem::path directory;
    {
        Stage stage;
        directory = *stage.wish.socket_directory;
        struct stat info {};
        REQUIRE(::stat(directory.c_str(), &info) == 0);
        CHECK((info.st_mode & 0777U) == 0700);
        Wish other;
        auto const second = ServerSocket::make(Stage::file("s.sock"), stage.dir / "run", other);
        CHECK(other.socket_directory != stage.wish.socket_directory);
        auto moved = std::move(*stage.socket);
        stage.socket.reset();
        CHECK(std::filesystem::exists(directory));
    }
    CHECK_FALSE(std::filesystem::exists(directory));
}

TEST_CASE("once the server listens it is connected to, both ways") {
    Stage stage;
    auto const late = std::chrono::steady_clock::now() + 10s;
    auto const done =
        test::begin(stage.context, stage.socket->connect(stage.context.get_executor(), late, [] { return false; }));
    test::turn(stage.context);
    CHECK_FALSE(done->has_value());
    auto const server = listen_at(stage.place());
    REQUIRE(test::turn_until(stage.context, [&] { return done->has_value(); }));
    REQUIRE(**done);
    base::Fd const accepted(::accept(server.number(), nullptr, nullptr));
    REQUIRE(accepted);
    REQUIRE(::write((**done)->out.number(), "x", 1) == 1);
    char byte = 0;
    CHECK(::read(accepted.number(), &byte, 1) == 1);
    REQUIRE(::write(accepted.number(), "y", 1) == 1);
    CHECK(::read((**done)->in.number(), &byte, 1) == 1);
    CHECK(byte == 'y');
}

TEST_CASE("nothing, or a socket that nobody listens on, is waited for and then given up") {
    Stage stage;
    auto const nothing = stage.connect(30ms);
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == Errc::timeout);
    CHECK(nothing.error().what.starts_with("it did not listen on its socket in time; "));
    listen_at(stage.place()); // and closed
    auto const dead = stage.connect(30ms);
    REQUIRE_FALSE(dead);
    CHECK(dead.error().what.starts_with("its socket could not be connected to (Connection refused) in time; "));
}

TEST_CASE("a link to another socket, a file, a FIFO or a directory in its place is refused at once") {
    test::TempDir const outside;
    auto const victim = listen_at(outside / "victim.sock");
    for (int what = 0; what < 4; ++what) {
        Stage stage;
        if (what == 0) std::filesystem::create_symlink(outside / "victim.sock", stage.place());
        if (what == 1) std::ofstream(stage.place()) << "x";
        if (what == 2) REQUIRE(::mkfifo(stage.place().c_str(), 0600) == 0);
        if (what == 3) std::filesystem::create_directory(stage.place());
        auto const begun = std::chrono::steady_clock::now();
        auto const refused = stage.connect(1h);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::refused);
        CHECK(refused.error().what == "what it put in the place of its socket is none");
        CHECK(std::chrono::steady_clock::now() - begun < 10s);
        CHECK(::accept(victim.number(), nullptr, nullptr) < 0);
    }
}
