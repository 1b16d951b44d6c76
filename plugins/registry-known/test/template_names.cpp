// What can be seen of a broken file: every table's name, however it is written.
#include "template_names.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pfar::registry_known {

TEST_CASE("a broken text still shows the names that it would define") {
    using Names = std::vector<std::string>;
    struct Row {
        std::string text;
        Names names;
    };
    for (auto const& row : {
             Row{"[notes]\ntitle = \"x", {"notes"}},
             Row{"  [ notes ]\n[[notes.credentials]]\n", {"notes", "notes"}},
             Row{"[notes\ntitle = 1", {"notes"}},
             Row{"[\"notes\"]\nx", {"notes"}},
             Row{"['Our Notes']", {"Our"}},
             Row{"notes = { title = \"x\"\n", {"notes"}},
             Row{"notes.title = \"x\"\n\"other\".title = 1\n[third]\ntitle = 3\n", {"third", "notes", "other"}},
             Row{"[notes]\naliases = [\"n\",\n  'Our Notes'\n", {"notes", "n", "Our Notes"}},
             Row{"\xff\xfe[notes]\n[other]\n", {"other"}},
             Row{"# [notes]\n", {}},
             Row{"", {}},
         }) {
        INFO(row.text);
        CHECK(names_by_look(row.text) == row.names);
    }
}

} // namespace pfar::registry_known
