// Records of a graph's optimization. It happens when the graph first runs and leaves an account: a graph
// record, then a graph_pass for each pass, followed by the rewrites it made and the hints it gave; then its
// fused loops, each followed by its members. What runs a loop is written once, and again whenever it changes.
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

// A loop of the graph that the optimizer made of several ops. This record and the next two name the graph by
// its name, function and trace.
struct FusedLoopRecord {
  static constexpr RecordKind kKind{58};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t loop = 0;  // its number in the graph, from 0
  NameField graph = 0;
  std::uint32_t function = 0;
  std::uint32_t trace = 0;
  WideOpNameField op = 0;
  SiteField site = 0;
  std::uint64_t unused_z = 0;
};

// A member of a fused loop, in the order they are computed.
struct LoopMemberRecord {
  static constexpr RecordKind kKind{59};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t loop = 0;  // its number in the graph, from 0
  NameField graph = 0;
  std::uint32_t function = 0;
  std::uint32_t trace = 0;
  WideOpNameField op = 0;
  SiteField site = 0;
  float share = 0;  // of the time of all members, each run alone on elements in the first cache; from 0 to 1
  std::uint32_t unused_z = 0;
};

enum class LoopCode : std::uint8_t {
  interpreter = 0,  // tile by tile
  waiting = 1,      // tile by tile until its machine code is made
  machine_code = 2,
};

// What runs a fused loop from now on.
struct LoopCodeRecord {
  static constexpr RecordKind kKind{60};

  RecordKind kind = kKind;
  LoopCode code = LoopCode::interpreter;
  std::uint16_t loop = 0;  // its number in the graph, from 0
  NameField graph = 0;
  std::uint32_t function = 0;
  std::uint32_t trace = 0;
  NameField why = 0;        // why it is not machine code; 0 where it is
  std::uint32_t bytes = 0;  // of the machine code
  float microseconds = 0;   // that making it took, 0 where equal code was there
  std::uint32_t unused_z = 0;
};

using GraphRecords = RecordList<GraphRecord, GraphPassRecord, RewriteRecord, RecomputationHintRecord,
                                FusedLoopRecord, LoopMemberRecord, LoopCodeRecord>;

}  // namespace tapescope
