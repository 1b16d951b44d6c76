// The copy has the file's name, so that editors know what it is, and a directory of its own, so that what they leave beside it goes too.
#include "house/edit_server.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "config/write_server.hpp"
#include "house/home_lock.hpp"
#include "servers/find_command.hpp"
#include "spawn/foreground.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

namespace pfar::house {
namespace {

namespace fs = std::filesystem;

Result<fs::path> private_directory(fs::path const& home) {
    auto const run = home / "run";
    auto pattern = (run / "edit-XXXXXX").native();
    if ((::mkdir(run.c_str(), 0700) != 0 && errno != EEXIST) || ::mkdtemp(pattern.data()) == nullptr)
        return fail(Errc::io, fmt::format("no copy could be made in {}: {}; make room and see that it is yours",
                                          base::printable(run.native()), base::errno_text(errno)));
    return fs::path(pattern);
}

} // namespace

Edit::~Edit() {
    if (copy_.empty()) return;
    std::error_code error;
    fs::remove_all(copy_.parent_path(), error);
}

Result<Edit> Edit::begin(House const& house, std::string const& server) {
    PFAR_TRY(file, find_file(house, server));
    PFAR_CHECK(check_writable(file, house));
    Edit edit(house, std::move(file));
    PFAR_TRY(text, read_same(edit.file_));
    PFAR_TRY(directory, private_directory(house.places.home));
    edit.copy_ = directory / edit.file_.found.file.filename();
    PFAR_CHECK(base::write_file(edit.copy_, text, 0600));
    edit.before_ = std::move(text);
    return edit;
}

Result<int> Edit::run_editor(std::string const& editor) const {
    return spawn::run_in_foreground({"/bin/sh", "-c", editor + " \"$@\"", editor, copy_.native()});
}

Draft Edit::judge(std::string text) const {
    auto read = config::read_server_file(config::Source(text), config::context_of(file_.found, house_->places));
    return {std::move(text), false, read.spec.has_value(), std::move(read.mistakes), ""};
}

Result<Draft> Edit::read(std::string const& search_path) const {
    auto text = base::read_file(copy_, config::most_config_bytes);
    if (!text) return fail(text.error().code, fmt::format("the edited copy cannot be read: {}", text.error().what));
    bool const changed = *text != before_;
    auto draft = judge(std::move(*text));
    draft.changed = changed;
    if (!changed || !draft.valid) return draft;
    auto const spec =
        config::read_server_file(config::Source(draft.text), config::context_of(file_.found, house_->places)).spec;
    auto const& command = spec->server.command;
    if (command.find('/') != std::string::npos) return draft;
    auto const found = servers::find_command(command, search_path, house_->places.user_home);
    auto const with =
        found ? config::with_command(draft.text, config::plain_text(found->native(), false)) : std::nullopt;
    if (!with) return draft; // the reader has warned of one that is not there
    auto resolved = judge(*with);
    if (!resolved.valid) return draft;
    resolved.changed = true;
    resolved.resolved = fmt::format("{} is written as {}", base::printable(command), base::printable(found->native()));
    return resolved;
}

Result<void> Edit::finish(Draft const& draft) const {
    PFAR_TRY(held, lock_home(house_->places.home));
    auto const now = read_same(file_);
    if (!now && now.error().code == Errc::conflict)
        return fail(Errc::conflict, fmt::format("{} was changed by somebody else meanwhile, and is left as it is",
                                                base::printable(file_.found.file.native())));
    if (!now) return now.error();
    PFAR_CHECK(rewrite(file_.identity, draft.text));
    return stays_trusted() ? keep_trusted(*house_, file_, draft.text) : Result<void>();
}

fs::path Edit::keep_copy() {
    return std::exchange(copy_, {});
}

} // namespace pfar::house
