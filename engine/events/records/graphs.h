// Records of a graph's optimization. It happens when the graph first runs and leaves an account: a graph
// record, then a graph_pass for each pass, followed by the rewrites it made and the hints it gave.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// A graph was optimized.
struct GraphRecord {
  static constexpr RecordKind kKind{43};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;  // "__backward_f" is the gradient's graph of f
  std::uint32_t function = 0;
  std::uint32_t trace = 0;  // of the function
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

// A pass over the graph.
struct GraphPassRecord {
  static constexpr RecordKind kKind{33};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t off = 0;     // 1: switched off, so it did nothing
  std::uint16_t round = 0;  // from 1
  NameField pass = 0;
  std::uint32_t nodes_before = 0;
  std::uint32_t nodes_after = 0;
  float bytes_before = 0;  // read and written; what a graph moves can exceed 32 bits
  float bytes_after = 0;
  float flops_before = 0;
  float flops_after = 0;
};

enum class RewriteKind : std::uint8_t { bit_exact = 0, reassociating = 1, nan_discarding = 2 };

// The pass before applied a rule.
struct RewriteRecord {
  static constexpr RecordKind kKind{34};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  RewriteKind what = RewriteKind::bit_exact;
  std::uint16_t unused_h = 0;
  NameField rule = 0;
  NameField before = 0;  // words for the ops before it
  NameField after = 0;   // and after it
  SiteField site = 0;
  std::uint32_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

// A value that is kept for the gradient could be computed again instead. Nothing was changed.
struct RecomputationHintRecord {
  static constexpr RecordKind kKind{44};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField op = 0;
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  float bytes = 0;  // that would not be kept
  float flops = 0;  // that would be spent again
  std::uint64_t unused_z = 0;
};

using GraphRecords = RecordList<GraphRecord, GraphPassRecord, RewriteRecord, RecomputationHintRecord>;

}  // namespace tapescope
