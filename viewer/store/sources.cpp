// Reads files that places name.
#include "viewer/store/sources.h"

#include "viewer/store/snapshot.h"

namespace tapescope {

const SourceFile* source_of(const SourceFiles* files, std::string_view location) {
  if (files == nullptr) return nullptr;
  const auto found = files->find(source_place(location).file);
  return found == files->end() || found->second.lines.empty() ? nullptr : &found->second;
}

void Sources::add(std::string_view location) {
  const std::string_view file = source_place(location).file;
  if (!file.empty() && !places_.contains(file)) places_.emplace(file, std::vector<std::string>{});
}

std::shared_ptr<const SourceFiles> Sources::of(const Snapshot& snapshot, const SourcePaths& paths) {
  if (!paths) return files_;
  for (const GradientRow& row : snapshot.gradients) {
    add(row.asked_at);
    add(row.location);  // such as that of an op before the step
  }
  if (snapshot.complete && snapshot.complete != last_) {
    last_ = snapshot.complete;
    for (const OpRow& op : last_->ops) add(op.location);
  }
  std::shared_ptr<SourceFiles> changed;
  for (auto& [name, known] : places_) {
    std::vector<std::string> places = paths(name);
    if (places == known) continue;
    if (!changed) changed = std::make_shared<SourceFiles>(*files_);
    (*changed)[name] = read_source(places);
    known = std::move(places);
  }
  if (changed) files_ = std::move(changed);
  return files_;
}

}  // namespace tapescope
