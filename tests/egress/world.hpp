// A network and a few files in /etc of the test's own, with peers in it. Everything this program starts after that lives there.
#pragma once

#include "sandbox/stage.hpp"

#include <pfar/fd.hpp>

#include <string>
#include <vector>

namespace test {

/// What the peers saw since it was last asked for.
class Seen {
public:
    explicit Seen(std::vector<std::string> lines) : lines_(std::move(lines)) {}
    [[nodiscard]] std::vector<std::string> beginning(std::string const& with) const;
    [[nodiscard]] std::size_t count(std::string const& with) const { return beginning(with).size(); }
    /// The security oracle: all that nobody was allowed to do. Has to be empty.
    [[nodiscard]] std::vector<std::string> evil() const { return beginning("evil "); }

private:
    std::vector<std::string> lines_;
};

class World {
public:
    /// Made when it is first asked for. Skips the test where it cannot be made: it takes root.
    static World& here();

    World(World const&) = delete;
    World& operator=(World const&) = delete;
    ~World();

    /// Everything that has reached a peer until now.
    Seen seen();
    [[nodiscard]] std::string const& authority() const { return authority_; } // PEM

private:
    World();
    pfar::Fd control_;
    pid_t peers_ = -1;
    std::string authority_;
};

/// Each backend and each person once, for what does not depend on both together.
std::vector<Setting> some_settings();

/// A person's stage in this world: the authority's file is there, and clients are told about it as their owner would.
class WorldStage : public Stage {
public:
    explicit WorldStage(Setting setting);
    /// What is read inside.
    [[nodiscard]] std::filesystem::path given() const { return path() / "given"; }
    /// --read GIVEN --allow-domain D...
    [[nodiscard]] std::vector<std::string> options(std::vector<std::string> const& domains) const;
    [[nodiscard]] Outcome reaching(std::vector<std::string> const& domains,
                                   std::vector<std::string> const& command) const;
    /// The same command with no sandbox around it.
    [[nodiscard]] Outcome outside(std::vector<std::string> const& command) const;
};

} // namespace test
