// A person with npm or pip, a package registry of the test's own, and the driver that installs from it.
#pragma once

#include "sandbox/live.hpp"
#include "support/temp_dir.hpp"

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

namespace test {

class InstallStage : public Stage {
public:
    explicit InstallStage(Setting setting) : Stage(std::move(setting)) {
        secret = write("home/.pfar/secret.txt", "the owner's secret", 0600);
        auto const directory = make("registry");
        certificate = directory / "cert.pem";
        static_cast<void>(bare("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext "
                               "subjectAltName=DNS:localhost -keyout " +
                               (directory / "key.pem").native() + " -out " + certificate.native()));
        registry_ = std::make_unique<Live>(*this, std::vector<std::string>{"/usr/bin/python3",
                                                                           PFAR_SOURCE "/tests/flows/registry.py",
                                                                           directory.native(), secret.native()});
        REQUIRE(registry_->says("."));
        REQUIRE(std::sscanf(registry_->heard().c_str(), "ready %d %d %d.", &port, &other_port, &tls_port) == 3);
    }

    [[nodiscard]] std::string url(std::string const& path = "/") const {
        return "http://127.0.0.1:" + std::to_string(port) + path;
    }
    [[nodiscard]] std::string other() const { return "127.0.0.2:" + std::to_string(other_port); }
    void npmrc(std::string const& more = "") const {
        static_cast<void>(write("home/.npmrc", "registry=" + url() + "\n" + more, 0600));
    }
    [[nodiscard]] std::string log() const { return read(path() / "registry/log"); }
    [[nodiscard]] std::filesystem::path place(std::string const& server) const {
        return pfar_home() / "mcp-servers" / server;
    }

    [[nodiscard]] std::vector<std::string> driver(std::vector<std::string> const& arguments) const {
        auto all = words({});
        all.back() = PFAR_INSTALL_DRIVER;
        all.insert(all.end(), arguments.begin(), arguments.end());
        return all;
    }
    [[nodiscard]] Outcome drive(std::vector<std::string> const& arguments) const {
        return run({driver(arguments), {}, "/", {}, setting().uid, 300});
    }
    /// What came of it; empty if the driver itself failed.
    [[nodiscard]] boost::json::object install(std::vector<std::string> const& arguments) const {
        auto const outcome = drive(arguments);
        UNSCOPED_INFO(outcome.err << outcome.out);
        boost::system::error_code error;
        auto const line = outcome.out.rfind("\n{") + 1; // the log may be in front of it
        auto value = boost::json::parse(std::string_view(outcome.out).substr(line), error);
        return !error && value.is_object() ? value.get_object() : boost::json::object();
    }
    /// Directories of mcp-servers that installs are working in, or have left.
    [[nodiscard]] std::size_t stagings() const {
        std::size_t count = 0;
        std::error_code error;
        for (auto const& entry : std::filesystem::directory_iterator(pfar_home() / "mcp-servers", error))
            if (entry.path().filename().native().find(".installing-") != std::string::npos) ++count;
        return count;
    }
    /// Files below the home directory that have this text in them, but for those that the test wrote itself.
    [[nodiscard]] std::vector<std::string> files_with(std::string const& text) const {
        std::vector<std::string> out;
        for (auto const& path : paths_below(home()))
            if (std::error_code error; path.filename() != ".npmrc" && path.filename() != "pip.conf" &&
                                       std::filesystem::is_regular_file(path, error) &&
                                       read(path).find(text) != std::string::npos)
                out.push_back(path.native());
        return out;
    }

    std::filesystem::path secret, certificate; // the latter is not there without openssl
    int port = 0, other_port = 0, tls_port = 0;

private:
    std::unique_ptr<Live> registry_;
};

/// A member as text; empty if there is none.
inline std::string text(boost::json::object const& all, std::string_view key) {
    auto const* const found = all.if_contains(key);
    if (found == nullptr) return "";
    return found->is_string() ? std::string(found->get_string()) : boost::json::serialize(*found);
}

inline bool has_npm() {
    return ::access("/usr/bin/npm", X_OK) == 0 && ::access("/usr/bin/node", X_OK) == 0;
}

} // namespace test

#define NEEDS_NPM()                                                                                                    \
    if (!test::has_npm()) SKIP("there is no /usr/bin/npm")
