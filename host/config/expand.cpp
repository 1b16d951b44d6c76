// One pass from left to right: what was put in is not looked at again.
#include "config/expand.hpp"

namespace pfar::config {
namespace {

Wrong unknown(std::string_view name, Variables const& variables) {
    if (name.starts_with("vault:"))
        return {"a secret may not stand here", "text without ${vault:...}",
                "secrets go into [auth], as NAME = \"" + base::printable(name) + "\""};
    std::vector<std::string_view> known;
    std::string expected;
    for (auto const& [key, value] : variables) {
        if (key == "~") continue;
        known.push_back(key);
        expected += fmt::format("{}${{{}}}", expected.empty() ? "" : " or ", key);
    }
    auto const meant = base::nearest(name, known);
    return {fmt::format("${{{}}} is not known here", base::printable(name)), std::move(expected),
            meant ? fmt::format("did you mean ${{{}}}? A plain ${{ is written $${{", *meant)
                  : "a plain ${ is written $${"};
}

} // namespace

Parsed<std::string> expand(std::string_view text, Variables const& variables) {
    std::string out;
    if (text == "~" || text.starts_with("~/")) {
        if (auto const home = variables.find("~"); home != variables.end()) out = home->second, text.remove_prefix(1);
    }
    for (;;) {
        auto const at = text.find("${");
        if (at == std::string_view::npos) return out.append(text);
        if (at > 0 && text[at - 1] == '$') {
            out.append(text.substr(0, at - 1)).append("${");
            text.remove_prefix(at + 2);
            continue;
        }
        auto const end = text.find('}', at);
        if (end == std::string_view::npos) return Wrong{"${ without a }", "${PFAR_HOME}", "a plain ${ is written $${"};
        auto const name = text.substr(at + 2, end - at - 2);
        auto const variable = variables.find(name);
        if (variable == variables.end()) return unknown(name, variables);
        out.append(text.substr(0, at)).append(variable->second);
        text.remove_prefix(end + 1);
    }
}

Parsed<std::filesystem::path> expand_path(std::string_view text, Variables const& variables,
                                          std::filesystem::path const& base) {
    if (text.empty() || text.find('\0') != std::string_view::npos)
        return Wrong{"this is not a path", "a path that is not empty", "such as \"~/notes\""};
    if (text.starts_with('~') && text.size() > 1 && text[1] != '/')
        return Wrong{"the home directories of others are not expanded", "~/... or an absolute path",
                     "write the path in full, beginning with /"};
    auto expanded = expand(text, variables);
    if (!expanded) return expanded.error();
    auto path = (base / *expanded).lexically_normal();
    return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

} // namespace pfar::config
