// Records kept by chunks and records made from nodes, merged by the order stamps both carry.
#include "engine/tape/journal.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "engine/debug/member_places.h"
#include "engine/events/records/table.h"
#include "engine/events/threads.h"
#include "engine/explain/explain_none.h"
#include "engine/gate/printed_reads.h"

namespace tapescope {
namespace {

// One thing that happened: its records, at a place in the order of tensor ids.
struct Piece {
  TensorId order;
  std::uint32_t first, count;
};

struct Log {
  std::vector<Record> records;
  std::vector<Piece> pieces;
  std::unordered_set<TensorId> ops;  // first outputs of the ops in chunks
};

void add_chunk(Log& log, const EventChunk& chunk) {
  const std::uint32_t count = chunk.count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Record& record = chunk.records[i];
    // Records without an order stand where the one before them does.
    TensorId order = log.pieces.empty() ? 0 : log.pieces.back().order;
    if (record.is<OpRecord>()) {
      order = record.as<OpRecord>().output;
      log.ops.insert(order);
    } else {
      order = std::max(order, order_of(record).value_or(0));
    }
    log.records.push_back(record);
    if (record.is<HostReadRecord>()) {
      auto read = record.as<HostReadRecord>();
      read.printed = is_printed(read.site) ? 1 : 0;
      log.records.back() = read;
    } else if (record.is<VariableRecord>()) {
      auto made = record.as<VariableRecord>();
      made.site = member_place(made.site, made.name);
      log.records.back() = made;
    }
    if (shape_of(record.kind).continues && !log.pieces.empty()) {
      ++log.pieces.back().count;
    } else {
      log.pieces.push_back({order, static_cast<std::uint32_t>(log.records.size() - 1), 1});
    }
  }
}

void add_node(Log& log, const TapeStorage& tape, const Node& node) {
  const std::uint32_t first = static_cast<std::uint32_t>(log.records.size());
  OpRecord op;
  op.name = node.op->id;
  op.site = intern_site(node.location, node.scope);
  op.output = node.output;
  op.type = tape.values[node.first_value].type;
  op.flags = gradient_flags(*node.op, node.inputs);
  OperandsRecord operands;
  operands.inputs = static_cast<std::uint8_t>(std::min(node.inputs, 255u));
  operands.outputs = node.outputs;
  operands.answers = static_cast<std::uint32_t>(TapeAnswer::recorded);
  for (std::uint32_t i = 0; i < std::min(node.inputs, 3u); ++i) {
    operands.input[i] = tape.inputs[node.first_input + i].id;
  }
  if (node.op->name == "ReadVariableOp") op.flags |= OpRecord::kHandle;
  log.records.push_back(op);
  log.records.push_back(operands);
  for (std::uint32_t i = 3; i < node.inputs; i += 3) {
    OperandsRecord more;
    more.answers = i;
    for (std::uint32_t k = 0; k < 3 && i + k < node.inputs; ++k) {
      more.input[k] = tape.inputs[node.first_input + i + k].id;
    }
    log.records.push_back(more);
  }
  for (std::uint32_t k = 1; k < node.outputs; ++k) {
    log.records.push_back(OutputRecord{.index = static_cast<std::uint16_t>(k),
                                       .tensor = node.output + k,
                                       .type = tape.values[node.first_value + k].type});
  }
  log.pieces.push_back({node.output, first, static_cast<std::uint32_t>(log.records.size()) - first});
}

}  // namespace

History history_of(const TapeStorage& tape) {
  // Chunks of the tape, and what else the journals of all threads still hold, each once.
  std::map<std::pair<std::uint32_t, std::uint64_t>, ChunkRef> chunks;
  for (const ChunkRef& chunk : tape.chunks) chunks.emplace(std::pair(chunk->thread, chunk->sequence), chunk);
  for (const ChunkRef& chunk : journals_of_all_threads()) {
    chunks.emplace(std::pair(chunk->thread, chunk->sequence), chunk);
  }
  std::map<std::uint32_t, Log> logs;
  for (const auto& [key, chunk] : chunks) add_chunk(logs[key.first], *chunk.get());
  for (std::uint32_t n = 0; n < tape.nodes.size(); ++n) {
    const Node& node = tape.nodes[n];
    Log& log = logs[node.thread];
    if (!log.ops.contains(node.output)) add_node(log, tape, node);
  }
  History history;
  for (auto& [thread, log] : logs) {
    std::stable_sort(log.pieces.begin(), log.pieces.end(),
                     [](const Piece& a, const Piece& b) { return a.order < b.order; });
    std::vector<Record> ordered;
    ordered.reserve(log.records.size());
    for (const Piece& piece : log.pieces) {
      ordered.insert(ordered.end(), log.records.begin() + piece.first,
                     log.records.begin() + piece.first + piece.count);
    }
    history.add(thread, ordered);
  }
  for (std::uint32_t n = 0; n < tape.nodes.size(); ++n) history.mark_recorded(tape.id, tape.nodes[n].output);
  return history;
}

Explanation explain_from_tape(const TapeStorage& tape, const Traced& target, const Traced& source) {
  return explain_none(history_of(tape), tape.id, target.tensor().id(), source.tensor().id());
}

}  // namespace tapescope
