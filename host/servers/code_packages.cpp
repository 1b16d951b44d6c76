// The part of CodeCollector that knows packages: what lies around a file of code.
#include "base/paths.hpp"
#include "servers/code_collector.hpp"

#include "base/text.hpp"
#include "servers/package.hpp"

namespace pfar::servers {
namespace fs = std::filesystem;

/// True if `file` lies in something that is covered now.
bool CodeCollector::add_package(fs::path const& file) {
    auto const name = base::printable(file.filename().native());
    if (auto const modules = outermost_modules(file); modules && bounds_.may_show_tree(*modules))
        add_tree(*modules, "modules of " + name);
    auto const package = package_root(file);
    if (package && packages_.insert(*package).second) {
        if (bounds_.may_show_tree(*package))
            add_tree(*package, "package of " + name);
        else
            add_package_parts(*package);
        for (auto const& modules : shared_modules(*package))
            if (bounds_.may_show_tree(modules)) add_tree(modules, "modules of " + name);
        if (auto const prefix = prefix_at(*package); prefix && prefix->venv)
            add_prefix(*package / "bin/python", file, false);
    }
    return is_covered(file);
}

/// A package.json in the home directory: node needs it to know what kind of module a file is, and the modules beside it.
void CodeCollector::add_package_parts(fs::path const& package) {
    std::error_code error;
    auto const description = package / "package.json";
    if (!fs::is_symlink(description, error) && is_file(description) && bounds_.may_show_file(description))
        add_tree(description, "describes the package");
    auto const modules = package / "node_modules";
    if (!fs::is_symlink(modules, error) && fs::is_directory(modules, error) && bounds_.may_show_tree(modules))
        add_tree(modules, "modules beside it");
}

void CodeCollector::add_linked_packages(fs::path const& modules) {
    for (auto const& link : linked_packages(modules)) {
        if (code_.roots.size() > most_roots) return; // finish() refuses
        auto const way = follow(link);
        if (!way || is_system(way->end) || is_covered(way->end) || strays(*way)) continue;
        if (!base::lies_in(way->end, modules.parent_path()))
            continue; // a package may bring any link; [server] code names what is elsewhere
        if (!is_file(way->end / "package.json") || !bounds_.may_show_file(way->end)) continue;
        add_package(way->end / "package.json");
        add_links(*way);
    }
}

} // namespace pfar::servers
