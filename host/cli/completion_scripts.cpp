// Each hands the typed words to `pfar __complete` and shows what comes back.
#include "cli/completion_scripts.hpp"

namespace pfar::cli {
namespace {

constexpr std::string_view bash = R"(# pfar completion for bash
_pfar() {
    local line cur=${COMP_WORDS[COMP_CWORD]}
    [[ $cur == "=" ]] && cur=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames 2>/dev/null
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur") ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _pfar pfar
)";

constexpr std::string_view zsh = R"(#compdef pfar
# pfar completion for zsh
_pfar() {
    local line
    local -a offers
    while IFS= read -r line; do
        case $line in
            :files) _files ;;
            *$'\t'*) offers+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
            ?*) offers+=("${line//:/\\:}") ;;
        esac
    done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#offers} )) && _describe pfar offers
}
if [[ $funcstack[1] == _pfar ]]; then
    _pfar "$@"
else
    compdef _pfar pfar
fi
)";

constexpr std::string_view fish = R"(# pfar completion for fish
function __pfar_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    for line in ($typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c pfar -f -a '(__pfar_complete)'
)";

} // namespace

std::string_view completion_script(std::string_view shell) {
    return shell == "bash" ? bash : shell == "zsh" ? zsh : shell == "fish" ? fish : "";
}

} // namespace pfar::cli
