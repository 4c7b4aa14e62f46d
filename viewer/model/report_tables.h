// Tables of a report that stand in the terminal and in Markdown.
#pragma once
#include "viewer/model/report.h"
#include "viewer/model/text_table.h"

namespace tapescope {

inline constexpr std::size_t kShownRows = 24;  // of a table or list; the rest is counted

// A row per op type, source or function, at most kShownRows.
TextTable ops_table(const RunReport& report);
TextTable gradients_table(const RunReport& report);
TextTable functions_table(const RunReport& report);
// "24 B saved for backward, peak 48 B"; the peak alone where nothing is saved, or that is not known.
std::string memory_figures(const TapeCounts& tape);

}  // namespace tapescope
