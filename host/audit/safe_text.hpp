// JSON text that may come from a stranger, made fit for a line of the record.
#pragma once

#include <string>
#include <string_view>

namespace pfar::audit {

/// Appends it such that nothing in it can end a line or disturb a terminal: control and direction characters become JSON's own \u escapes,
/// bytes that are no UTF-8 become \\xNN. What is valid JSON stays so and means the same. Text without any of these is copied at the speed of
/// memory. [any thread]
void append_safe(std::string& out, std::string_view json);

/// Nothing but ASCII without control characters and halves of surrogate pairs: append_safe would only copy it.
bool is_plain(std::string_view text);

} // namespace pfar::audit
