// What `pfar edit` does: a private copy of a server's file, judged before it takes the file's place.
#pragma once

#include "house/rewrite.hpp"

#include <utility>

namespace pfar::house {

/// The copy as the editor left it.
struct Draft {
    std::string text; // with the command's absolute path
    bool changed = false;
    bool valid = false;
    std::vector<config::Mistake> mistakes; // warnings too
    std::string resolved;                  // "node is written as /usr/bin/node"; or empty
};

class Edit {
public:
    /// Makes the copy, in a directory of its own below run/. Errors as find_file's and check_writable's. [main thread, may block]
    static Result<Edit> begin(House const& house, std::string const& server);

    Edit(Edit&& other) noexcept
        : house_(other.house_), file_(std::move(other.file_)), before_(std::move(other.before_)),
          copy_(std::exchange(other.copy_, {})) {}
    Edit& operator=(Edit&&) = delete;
    ~Edit();

    /// `editor` may have arguments, as git takes it. Its exit code. [main thread, may block]
    [[nodiscard]] Result<int> run_editor(std::string const& editor) const;
    /// [main thread, may block]
    [[nodiscard]] Result<Draft> read(std::string const& search_path) const;
    /// Puts it in place, if the file is still what it was: else Errc::conflict. A project's file stays trusted if it was. [main thread, may block]
    Result<void> finish(Draft const& draft) const;
    /// From now on the copy stays.
    std::filesystem::path keep_copy();

    [[nodiscard]] config::SurveyedFile const& file() const { return file_; }
    [[nodiscard]] bool stays_trusted() const { return file_.standing == config::Standing::trusted; }

private:
    Edit(House const& house, config::SurveyedFile file) : house_(&house), file_(std::move(file)) {}
    [[nodiscard]] Draft judge(std::string text) const;

    House const* house_;
    config::SurveyedFile file_;
    std::string before_;
    std::filesystem::path copy_; // empty once it is not ours to remove
};

} // namespace pfar::house
