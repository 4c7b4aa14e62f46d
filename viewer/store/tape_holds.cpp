// Counts tapes by the line that makes them.
#include "viewer/store/tape_holds.h"

#include <algorithm>

#include "engine/core/names.h"
#include "engine/explain/words.h"

namespace tapescope {

SiteId place_of(const TapeEnterRecord& enter) {
  return enter.made != 0 && !is_of_standard_library(enter.made) ? enter.made : enter.site;
}

void TapeHolds::entered(const TapeEnterRecord& enter, std::uint64_t step) {
  if (asked_ || step != step_) ++rounds_;
  asked_ = false;
  step_ = step;
  const auto [known, fresh] = tapes_.try_emplace(enter.tape);
  Held& tape = known->second;
  if (!fresh) let_go(tape);
  // A gradient inside a step's blocks is no end of a round.
  if (tape.asked && tape.round != rounds_) ++tape.piled_up;
  tape.asked = false;
  tape.row = {enter.tape, (enter.flags & TapeEnterRecord::kPersistent) != 0, true,
              name_text(intern_name(location_text(site_with_id(place_of(enter))))), step};
  tape.round = rounds_;
  if (!tape.row.persistent) return;
  Place& place = places_[tape.row.location];
  place.seen.location = tape.row.location;
  place.seen.made += fresh;
  place.newest = std::max(place.newest, enter.tape);
  place.seen.piled_up = std::max(place.seen.piled_up, tape.piled_up);
  ++place.held[tape.round];
  if (place.held.size() <= place.seen.most_held) return;
  place.seen.most_held = place.held.size();
  place.seen.last_step = step;
}

void TapeHolds::asked(TapeId tape) {
  asked_ = true;
  const auto known = tapes_.find(tape);
  if (known == tapes_.end() || !known->second.row.persistent) return;
  known->second.asked = true;
  Place& place = places_[known->second.row.location];
  place.seen.reused = place.seen.reused || tape < place.newest;
}

void TapeHolds::reset(TapeId tape) {
  const auto known = tapes_.find(tape);
  if (known == tapes_.end()) return;
  known->second.piled_up = 0;
  known->second.asked = false;
}

void TapeHolds::let_go(const Held& held) {
  if (!held.row.persistent) return;
  Place& place = places_[held.row.location];
  const auto round = place.held.find(held.round);
  if (round != place.held.end() && --round->second == 0) place.held.erase(round);
}

void TapeHolds::destroyed(TapeId tape) {
  const auto known = tapes_.find(tape);
  if (known == tapes_.end()) return;
  let_go(known->second);
  tapes_.erase(known);
}

void TapeHolds::forget_from(std::uint64_t step) {
  std::erase_if(tapes_, [&](const auto& entry) {
    if (entry.second.row.step < step) return false;
    let_go(entry.second);
    return true;
  });
  for (auto& [location, place] : places_) place.seen.most_held = place.held.size();
}

std::vector<TapeRow> TapeHolds::alive() const {
  std::vector<TapeRow> rows;
  for (const auto& [id, held] : tapes_) rows.push_back(held.row);
  std::sort(rows.begin(), rows.end(), [](const TapeRow& a, const TapeRow& b) { return a.tape < b.tape; });
  return rows;
}

std::vector<TapesOfLine> TapeHolds::places() const {
  std::vector<TapesOfLine> all;
  for (const auto& [location, place] : places_) all.push_back(place.seen);
  return all;
}

}  // namespace tapescope
