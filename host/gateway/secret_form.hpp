// The form of a SecretPage, and the value out of what it posts: from the posted bytes right into a Secret, with no copy between.
#pragma once

#include "gateway/http_message.hpp"
#include "gateway/secret_page.hpp"

namespace pfar::gateway {

/// `mark` is what the form carries; `notice` says why it is there again.
HttpReply secret_form(SecretRequest const& request, std::string_view mark, std::string_view notice);
/// A page with one sentence.
HttpReply secret_notice(unsigned status, std::string_view title, std::string_view sentence);
/// Without the blanks around it, or with line breaks as \n if it has several lines. Errc::invalid with a sentence for the person.
Result<Secret> posted_secret(SecretRequest const& request, std::string_view form);

} // namespace pfar::gateway
