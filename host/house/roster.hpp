// Roster: which servers there are, by their files: those of the owner and the system, and those of every project that somebody works in.
#pragma once

#include "house/file_watch.hpp"
#include "house/house.hpp"
#include "servers/server.hpp"

#include <set>

namespace pfar::house {

/// Servers that do not run, by their files, and why: what run/disabled.json keeps. [may block]
std::map<std::string, std::string> read_disabled(std::filesystem::path const& home);

class Roster {
public:
    using Servers = std::map<std::string, std::shared_ptr<servers::Server>>; // by identity

    /// A file that is no server: it has mistakes, or waits for trust.
    struct Idle {
        config::SurveyedFile file;
        std::string reason;
        bool broken; // it has mistakes
    };

    /// [main thread, as all of it]
    Roster(House& house, std::shared_ptr<servers::Common const> common);
    ~Roster();

    void open_directory(std::filesystem::path const& directory);
    /// Reads all files again.
    void refresh();
    [[nodiscard]] Servers const& servers() const { return servers_; }
    [[nodiscard]] std::vector<Idle> const& idle() const { return idle_; }
    /// As seen from a directory. Errc::not_found with what was meant, or why it cannot be used.
    Result<std::shared_ptr<servers::Server>> find(std::string const& name,
                                                  std::filesystem::path const& directory) const;
    /// The servers of these files are what one sees from there.
    [[nodiscard]] std::set<std::string> seen_from(std::filesystem::path const& directory) const;
    /// Called when servers have come or gone, or are seen otherwise; may be empty.
    std::function<void()> changed{};
    /// Writes down which ones are disabled, and why.
    Result<void> keep_disabled();
    boost::asio::awaitable<void> stop();

private:
    using View = std::vector<config::SurveyedFile>;
    [[nodiscard]] std::map<std::string, std::string> const* view_from(std::filesystem::path const& directory) const;
    View survey(std::filesystem::path const& root) const;
    void use(config::SurveyedFile file);
    void close(std::shared_ptr<servers::Server> server, std::string why);
    [[nodiscard]] std::vector<std::filesystem::path> watched() const;

    House& house_;
    std::shared_ptr<servers::Common const> common_;
    std::set<std::filesystem::path> projects_;
    std::map<std::filesystem::path, std::map<std::string, std::string>>
        names_; // by project ("" for none): name -> identity
    Servers servers_;
    std::vector<Idle> idle_;
    std::map<std::string, std::string> disabled_; // by identity: why
    std::shared_ptr<FileWatch> watch_;
    std::size_t closing_ = 0;
    servers::Change closed_;
};

} // namespace pfar::house
