// The owner's page: servers, approvals that wait, blocked domains. Plain HTML of its own, without scripts and without anything from elsewhere.
#pragma once

#include "gateway/http_message.hpp"

namespace pfar::gateway {

struct OwnersPage {
    std::string servers, approvals, blocked; // JSON texts as HttpRooms gives them
    std::string form;                        // the login's mark that every form carries
    std::string notice;
};

/// A whole document with the page's style and the policy that lets in nothing else. `head` and `body` are HTML.
HttpReply page_document(unsigned status, std::string_view head, std::string_view body);
HttpReply owners_page(OwnersPage const& page);
/// The form that asks for the owner's token; `notice` says why it is there again.
HttpReply login_page(unsigned status, std::string_view notice);

} // namespace pfar::gateway
