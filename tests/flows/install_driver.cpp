// Installs a package as a flow does, from a program of its own: what came of it is one JSON object on stdout.
//
// install-driver SERVER npm|pypi NAME VERSION [entry=E] [host=H]... [bytes=N] [seconds=N] [scripts] [keep] ; install-driver clear
#include "base/log.hpp"
#include "house/install.hpp"

#include <boost/json.hpp>

#include <sys/stat.h>

#include <iostream>

namespace {

using namespace pfar;

house::InstallWish wish_of(std::vector<std::string> const& words) {
    house::InstallWish wish;
    wish.server = words[0];
    wish.package = {words[1] == "npm" ? Package::Source::npm : Package::Source::pypi, words[2], words[3], ""};
    for (std::size_t i = 4; i < words.size(); ++i) {
        auto const equals = words[i].find('=');
        auto const key = words[i].substr(0, equals);
        auto const value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
        if (key == "entry") wish.package.entry = value;
        if (key == "host") wish.hosts.push_back(value);
        if (key == "bytes") wish.limits.bytes = std::stoull(value);
        if (key == "seconds") wish.limits.patience = std::chrono::seconds(std::stol(value));
        if (key == "scripts") wish.scripts = true;
    }
    return wish;
}

boost::json::object install(house::House const& house, std::vector<std::string> const& words) {
    house::Record record(house);
    boost::json::object out;
    std::string blocked;
    auto const progress = [](std::string const& text) { std::cerr << text << std::endl; };
    auto staged = house::Staged::install(house, wish_of(words), progress, blocked, record);
    out["blocked"] = blocked;
    if (!staged) {
        out["error"] = staged.error().what;
        out["code"] = static_cast<int>(staged.error().code);
        return out;
    }
    auto const& facts = staged->facts();
    out["version"] = facts.version;
    out["integrity"] = facts.integrity;
    out["command"] = facts.command;
    out["args"] = boost::json::array(facts.args.begin(), facts.args.end());
    out["scripts"] = boost::json::array(facts.skipped_scripts.begin(), facts.skipped_scripts.end());
    out["staging"] = staged->directory().native();
    if (words.back() != "keep") {
        auto const before = staged->put_in_place();
        out["before"] = before ? before->native() : "error: " + before.error().what;
    }
    record.close();
    return out;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> const words(argv + 1, argv + argc);
    ::umask(077); // as pfar
    (void)pfar::base::start_log("");
    auto const house = pfar::house::open_house();
    if (!house) {
        std::cerr << house.error().what << "\n";
        return 1;
    }
    if (words.size() == 1 && words[0] == "clear") {
        pfar::house::clear_stagings(house->places.home);
        return 0;
    }
    if (words.size() == 3 && words[0] == "newest") {
        auto const source = words[1] == "npm" ? pfar::Package::Source::npm : pfar::Package::Source::pypi;
        auto const newest = pfar::house::newest_version(*house, {source, words[2], "", ""});
        std::cout << (newest ? *newest : "error: " + newest.error().what) << "\n";
        return newest ? 0 : 1;
    }
    if (words.size() < 4) return 64;
    std::cout << boost::json::serialize(install(*house, words)) << std::endl;
    return 0;
}
