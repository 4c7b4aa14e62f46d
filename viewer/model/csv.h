// Tables for other programs (RFC 4180).
#pragma once
#include <string>
#include <string_view>

namespace tapescope {

// Quoted where it must be; after an apostrophe where a spreadsheet would take it for a formula.
std::string csv_field(std::string_view text);
// Lines with tabs between their fields.
std::string csv_of_tabs(std::string_view text);

}  // namespace tapescope
