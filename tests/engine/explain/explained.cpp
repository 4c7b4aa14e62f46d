// Records to a history, and its questions to explanations.
#include "tests/engine/explain/explained.h"

#include "engine/events/records/gradients.h"
#include "engine/events/session.h"
#include "engine/explain/history.h"

namespace tapescope {

std::vector<Explanation> explained(const std::function<void()>& program) {
  Session session;
  session.start();
  program();
  session.stop();
  History history;
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { history.add(thread, records); });
  std::vector<Explanation> found;
  for (const Question& question : history.questions()) {
    if (question.source_count == 0)
      found.push_back(explain_none(history, question.tape, question.targets[0], 0));
    for (const Question::Source& source : question.sources) {
      if (source.answered && source.result == ResultKind::value) continue;
      found.push_back(explain_none(history, question.tape, question.targets[0], source.id));
    }
  }
  return found;
}

}  // namespace tapescope
