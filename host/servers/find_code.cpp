// The order: the program first, so that its prefix explains what lies in it, then arguments, then what the owner adds.
#include "servers/find_code.hpp"

#include "servers/code_collector.hpp"
#include "servers/find_command.hpp"

namespace pfar::servers {

Result<Code> find_code(CodeQuery const& query) {
    PFAR_TRY(command, find_command(query.command, query.search_path, query.user_home));
    PFAR_TRY(program, in_canonical_directory(command));
    CodeCollector collector(query);
    PFAR_CHECK(collector.add_program(command));
    std::vector<std::string> args;
    for (auto const& arg : query.args) {
        PFAR_TRY(written, collector.add_argument(arg));
        args.push_back(std::move(written));
    }
    for (auto const& path : query.extra) PFAR_CHECK(collector.add_extra(path));
    PFAR_TRY(code, collector.finish());
    code.program = std::move(program);
    code.args = std::move(args);
    return code;
}

} // namespace pfar::servers
