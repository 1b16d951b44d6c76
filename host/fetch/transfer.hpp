// Transfer: one request by libcurl, with the redirects that may follow. Redirects are followed by hand: each is judged like a request of its own,
// and the token goes only where the base says.
#pragma once

#include "fetch/arguments.hpp"

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

namespace pfar::fetch {

struct Response {
    std::string status_line{};
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> fields{}; // names in lower case
    std::string body{};
    bool cut = false;   // there was more of the body than the limit
    std::string note{}; // why a redirect was not followed
    std::string url{};  // the last one asked

    /// The first of this name; empty if there is none.
    [[nodiscard]] std::string_view field(std::string_view name) const;
};

class Transfer {
public:
    /// `settings` outlives it.
    Transfer(Wanted wanted, Settings const& settings);
    Transfer(Transfer const&) = delete;
    Transfer& operator=(Transfer const&) = delete;
    ~Transfer() = default;

    /// For curl_multi_add_handle; a new request each time leg() has been called.
    [[nodiscard]] CURL* handle() { return easy_.get(); }
    /// Prepares the next leg. Errc::timeout if there is no time left for it.
    Result<void> leg();
    /// To be asked when curl is done with a leg: true if a redirect leads to another one.
    Result<bool> ended(CURLcode code);
    Response& response() { return response_; }

private:
    using Clock = std::chrono::steady_clock;
    static std::size_t hear_field(char* bytes, std::size_t one, std::size_t count, void* self);
    static std::size_t hear_body(char* bytes, std::size_t one, std::size_t count, void* self);
    void hear_line(std::string_view line);
    void set_method();
    void set_fields();
    void set_connection();
    [[nodiscard]] Error failure(CURLcode code) const;
    bool follow();

    Wanted wanted_;
    Settings const& settings_;
    Clock::time_point late_;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy_;
    std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> fields_;
    char trouble_[CURL_ERROR_SIZE] = {};
    Response response_;
    std::size_t head_bytes_ = 0;
    unsigned redirects_ = 0;
};

} // namespace pfar::fetch
