// What `pfar add` says at its end: what each new server may do, and what is still to be done.
#pragma once

#include "cli/console.hpp"
#include "house/add_server.hpp"

namespace pfar::cli {

void print_added(Console& console, house::AddWish const& wish, house::Added const& added);
std::string added_json(house::AddWish const& wish, house::Added const& added);
/// For --dry-run: the files as they would be.
void show_drafts(Console& console, house::AddWish const& wish, std::vector<house::Prepared> const& files, bool json);

} // namespace pfar::cli
