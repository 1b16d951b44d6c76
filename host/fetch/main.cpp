// pfar-http: HTTP as an MCP server, for services that have none. Run by pfar in a sandbox like any other; see settings.hpp for its variables.
#include "fetch/server.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return std::fputs("pfar-http: libcurl cannot be used here\n", stderr), 70;
    auto settings = pfar::fetch::read_settings([](char const* name) { return std::getenv(name); });
    if (!settings) return std::fprintf(stderr, "pfar-http: %s\n", settings.error().what.c_str()), 78;
    pfar::fetch::Server(std::move(*settings), STDIN_FILENO, STDOUT_FILENO).run();
    return 0;
}
