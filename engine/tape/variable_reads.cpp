// A chain of collectors, innermost first.
#include "engine/tape/variable_reads.h"

#include <algorithm>

namespace tapescope {
namespace {

constinit thread_local VariableReads* t_reads = nullptr;

}  // namespace

VariableReads::VariableReads(Notify notify) : notify_(notify), outer_(t_reads) { t_reads = this; }
VariableReads::~VariableReads() { t_reads = outer_; }

void VariableReads::note(const Variable& variable) {
  for (VariableReads* reads = t_reads; reads; reads = reads->outer_) {
    if (!variable.trainable()) return;
    if (std::find(reads->variables_.begin(), reads->variables_.end(), variable) == reads->variables_.end()) {
      reads->variables_.push_back(variable);
    }
    if (reads->notify_ == Notify::apart) return;
  }
}

}  // namespace tapescope
