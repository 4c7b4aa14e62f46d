// Names of things, and their lines.
#include "engine/explain/words.h"

#include <fmt/format.h>

namespace tapescope {

bool is_of_standard_library(SiteId site) {
  return site != 0 && site_with_id(site).function.starts_with("std::");
}

std::string place_text(SiteId site) { return site == 0 ? std::string() : location_text(site_with_id(site)); }

namespace {

std::string at(SiteId site) {
  const std::string place = place_text(site);
  return place.empty() ? std::string() : " at " + place;
}

}  // namespace

std::string tensor_text(const History& history, TensorId tensor) {
  const std::string_view name = history.given_name(tensor);
  if (history.variable(tensor)) return fmt::format("variable '{}'", name);
  if (!name.empty()) return fmt::format("tensor '{}'", name);
  if (const HistoryOp* op = history.producer(tensor)) {
    return fmt::format("the result of {}{}", op_name_text(op->op), at(op->site));
  }
  if (history.create(tensor)) return fmt::format("the tensor made{}", at(history.site_of(tensor)));
  return fmt::format("tensor {}", tensor);
}

std::string tensor_with_line(const History& history, TensorId tensor) {
  const std::string text = tensor_text(history, tensor);
  const std::string place = place_text(history.site_of(tensor));
  if (place.empty() || text.ends_with(place)) return text;
  return fmt::format("{} ({})", text, place);
}

std::string short_name(const History& history, TensorId tensor) {
  const std::string_view name = history.given_name(tensor);
  return name.empty() ? std::string("that tensor") : std::string(name);
}

std::string op_text(const History& history, const HistoryOp& op) {
  const std::string_view name = history.given_name(op.output);
  const std::string text = fmt::format("{}{}", op_name_text(op.op), at(op.site));
  return name.empty() ? text : fmt::format("'{}' = {}", name, text);
}

std::string tape_text(const History& history, TapeId tape) {
  const HistoryTape* known = history.tape(tape);
  const std::string place = known ? place_text(known->site) : std::string();
  return place.empty() ? fmt::format("tape {}", tape) : fmt::format("the tape opened at {}", place);
}

PathItem item_of(const History& history, const HistoryOp& op) {
  PathItem item;
  item.op = op_name_text(op.op);
  const CallSite site = site_with_id(op.site);
  item.location = op.site == 0 ? std::string() : location_text(site);
  item.output = op.output;
  const std::string_view name = history.given_name(op.output);
  if (!name.empty()) {
    item.name = name;
  } else if (site.scope != 0) {
    item.name = scope_path(site.scope) + "/" + item.op;
  } else {
    item.name = item.op;
  }
  return item;
}

PathItem item_of_leaf(const History& history, TensorId tensor) {
  PathItem item;
  item.op = history.variable(tensor) ? "Variable" : "Const";
  const std::string_view name = history.given_name(tensor);
  item.name = name.empty() ? item.op : std::string(name);
  item.location = place_text(history.site_of(tensor));
  item.output = tensor;
  return item;
}

}  // namespace tapescope
