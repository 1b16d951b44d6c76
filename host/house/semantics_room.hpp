// SemanticsRoom: the semantics scripts of the owner and of the program, for the pipeline, for reports and for `pfar check`.
#pragma once

#include "flows/semantics.hpp"
#include "house/check.hpp"
#include "house/file_watch.hpp"
#include "house/house.hpp"
#include "pipeline/pipeline.hpp"

#include <set>

namespace pfar::house {

class SemanticsRoom {
public:
    /// Reads the scripts, and again when the owner's change. [main thread, as all of it]
    SemanticsRoom(boost::asio::any_io_executor const& executor, House const& house);
    ~SemanticsRoom();
    SemanticsRoom(SemanticsRoom const&) = delete;
    SemanticsRoom& operator=(SemanticsRoom const&) = delete;

    /// What scripts say about a call; a mistake of theirs is logged, once.
    std::optional<pipeline::Meaning> of(pipeline::Call const& call);
    /// What they say about a tool without arguments, and the last mistake at one with arguments: for reports.
    flows::Word of(std::string_view server, pipeline::Tool const& tool);
    void reload();

private:
    void tell(std::string const& trouble);

    std::filesystem::path own_;
    flows::Semantics semantics_;
    std::set<std::string> told_;
    std::map<std::string, std::string> mistakes_; // the last one about the arguments of each tool
    std::shared_ptr<FileWatch> watch_;
};

/// Whether a tool reads, and who says so: the owner's file, a rule, its hint.
struct Judged {
    bool reads = false;
    bool by_arguments = false; // a rule may say otherwise about a call
    std::string why;
};
Judged judged(config::ServerSpec const& spec, pipeline::Tool const& tool, flows::Word const& word);

/// The owner's script, if there is one, and the shipped one, if there is something wrong with it.
std::vector<CheckedFile> check_scripts(House const& house);

} // namespace pfar::house
