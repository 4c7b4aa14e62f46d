// Texts and places of the log's lines.
#include "viewer/store/log_row.h"

#include <fmt/format.h>

#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"

namespace tapescope {
namespace {

LogRow made_row(NameId text, int severity, SiteId site, std::uint64_t step) {
  const NameId place = site ? intern_name(location_text(site_with_id(site))) : 0;
  return {name_text(text), severity, place ? name_text(place) : std::string_view(), step};
}

}  // namespace

LogRow log_row(const Record& record, std::uint64_t step) {
  if (record.is<BatchFallbackRecord>()) {
    const auto fallback = record.as<BatchFallbackRecord>();
    const std::string text = fmt::format("{} has no batching rule: it ran once for each of {} rows",
                                         op_name_text(fallback.op), fallback.rows);
    return made_row(intern_name(text), 1, fallback.site, step);
  }
  const auto message = record.as<MessageRecord>();
  return made_row(message.text, message.severity, message.site, step);
}

}  // namespace tapescope
