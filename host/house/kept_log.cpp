#include "house/kept_log.hpp"

#include "house/find_server.hpp"
#include "servers/server_log.hpp"
#include "servers/server_wish.hpp"

namespace pfar::house {

Result<std::vector<std::string>> kept_log(std::string const& server, std::size_t lines) {
    PFAR_TRY(house, open_house("none"));
    PFAR_TRY(found, find_server(house, server));
    return servers::read_server_log(house.places.home / "log/servers" / (servers::slug_of(found) + ".log"), lines);
}

} // namespace pfar::house
