// Records of any kind as text, with the names of their structs, for approved texts.
#pragma once
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/events/records/callers.h"
#include "engine/events/records/digests.h"
#include "engine/events/records/endings.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/events/records/values.h"

namespace tapescope::test {

template <class R>
constexpr std::string_view struct_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.rfind("R = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  if (const std::size_t last = name.rfind("::"); last != name.npos) name = name.substr(last + 2);
  return name.substr(0, name.rfind("Record"));
}

template <class... R>
std::string_view kind_in(RecordKind kind, RecordList<R...>) {
  std::string_view found;
  ((is_kind<R>(kind) ? void(found = struct_name<R>()) : void()), ...);
  return found;
}

// "StepEnd"; the number where there is no such kind.
inline std::string kind_text(RecordKind kind) {
  const std::string_view all[] = {
      kind_in(kind, OpRecords{}),       kind_in(kind, TensorRecords{}),  kind_in(kind, TapeRecords{}),
      kind_in(kind, GradientRecords{}), kind_in(kind, StepRecords{}),    kind_in(kind, FunctionRecords{}),
      kind_in(kind, GraphRecords{}),    kind_in(kind, FindingRecords{}), kind_in(kind, ValueRecords{}),
      kind_in(kind, EndingRecords{}),   kind_in(kind, ReplicaRecords{}), kind_in(kind, DigestRecords{}),
      kind_in(kind, CallerRecords{})};
  for (const std::string_view name : all) {
    if (!name.empty()) return std::string(name);
  }
  return std::to_string(static_cast<int>(kind));
}

// "StepEnd a 1, y 250": what is not 0 of its words.
inline std::string record_text(const Record& record) {
  std::string text = kind_text(record.kind);
  const std::pair<const char*, std::uint64_t> words[] = {{"a", record.a}, {"h", record.h}, {"b", record.b},
                                                         {"x", record.x}, {"y", record.y}, {"z", record.z}};
  bool first = true;
  for (const auto& [name, value] : words) {
    if (value == 0) continue;
    text += fmt::format("{} {} {:x}", first ? "" : ",", name, value);
    first = false;
  }
  return text;
}

}  // namespace tapescope::test
