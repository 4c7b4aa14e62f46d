// The reasons why a gradient is None, in the order of design/interfaces.md: name, short words for pictures,
// and below the sentence and the remedy of each. A reason is added here, where it is found (breaks.cpp,
// leaves.cpp) and in a sample.
//
// Included twice: by explain.h for the table, and by describe.cpp for the sentences.

#ifndef TAPESCOPE_REASONS
#define TAPESCOPE_REASONS(ROW)                                           \
  ROW(not_watched, "no tape watches it")                                 \
  ROW(not_trainable, "not trainable, not watched")                       \
  ROW(watch_disabled, "the tape watches nothing by itself")              \
  ROW(watched_too_late, "watched after its use")                         \
  ROW(outside_tape_before, "ran before the block")                       \
  ROW(outside_tape_after, "ran after the block")                         \
  ROW(paused, "ran inside stop_recording")                               \
  ROW(reset, "the recording was thrown away")                            \
  ROW(consumed, "the tape was used up")                                  \
  ROW(other_tape, "only another tape saw it")                            \
  ROW(other_thread, "another thread's tape saw it")                      \
  ROW(stop_gradient, "no gradient passes here")                          \
  ROW(not_differentiable, "this op has no gradient")                     \
  ROW(argument_not_differentiable, "no gradient for this input")         \
  ROW(integer_dtype, "an integer has no gradient")                       \
  ROW(integer_cast, "cast to an integer")                                \
  ROW(host_round_trip, "left for the host and came back")                \
  ROW(state_update, "crosses an assignment")                             \
  ROW(overwritten, "overwritten since")                                  \
  ROW(recreated_tensor, "another tensor than the one used")              \
  ROW(custom_gradient_none, "its custom gradient gave None")             \
  ROW(branch_not_taken, "its branch did not run")                        \
  ROW(traced_constant, "baked in when traced")                           \
  ROW(inner_gradient_outside_outer_tape, "taken outside the outer tape") \
  ROW(unused, "never read")                                              \
  ROW(independent, "nothing leads to it")                                \
  ROW(empty_sources, "no sources were given")
#endif

#ifdef TAPESCOPE_SENTENCES
Sentences write(const Asked& asked, const Break& cut, const Explanation& e) {
  const History& history = asked.history;
  const std::string source = tensor_with_line(history, asked.source);
  const std::string name = short_name(history, asked.source);
  const std::string target = tensor_with_line(history, asked.target);
  const std::string tape = tape_text(history, asked.tape_id);
  const std::string edge = edge_text(history, e.edge);
  const std::string use = edge.starts_with("the use") ? edge : edge + " used it";
  // A sentence need not name the target and the op that made it both.
  const HistoryOp* made = history.producer(asked.target);
  const bool last = made && e.edge.output == made->output;
  const std::string_view result = history.given_name(asked.target);
  const std::string used =
      last ? fmt::format("{}, which made {} from {},", edge,
                         result.empty() ? "the target" : fmt::format("'{}'", result), source)
           : fmt::format("{}, on the way from {} to {},", edge, source, target);
  switch (e.reason) {
    case Reason::none:
      return {fmt::format("There is a gradient of {} with respect to {}", target, source), ""};
    case Reason::not_watched:
      if (cut.site != 0) {
        return {fmt::format("{} was watched{} where no tape was recording, so the watch did nothing and {} "
                            "used it unrecorded",
                            source, at(cut.site), edge),
                fmt::format("call tape.watch({}) inside the tape's block, before it is used", name)};
      }
      return {
          fmt::format("{} is a plain tensor that no tape watched, so {} used it unrecorded", source, edge),
          fmt::format("call tape.watch({0}) before {0} is used, or make it a Variable", name)};
    case Reason::not_trainable:
      if (cut.site != 0) {
        return {
            fmt::format("set_trainable(){} took {} out of training, and it was not watched by hand, so its "
                        "use went unrecorded",
                        at(cut.site), source),
            fmt::format("call set_trainable(true) before {0} is used, or call tape.watch({0})", name)};
      }
      return {
          fmt::format("{} is not trainable and was not watched by hand, so {} went unrecorded", source, edge),
          fmt::format("make {0} with trainable = true, or call tape.watch({0})", name)};
    case Reason::watch_disabled:
      return {
          fmt::format("{} was made with watch_accessed_variables = false and did not watch {}, so {} "
                      "went unrecorded",
                      tape, source, edge),
          fmt::format("call tape.watch({}) inside the block, or leave watch_accessed_variables on", name)};
    case Reason::watched_too_late:
      return {fmt::format("{} was watched{} only after {} went unrecorded", source, at(cut.site), edge),
              fmt::format("move tape.watch({}) before {}", name, edge)};
    case Reason::outside_tape_before:
      if (cut.uncalled) {
        return {fmt::format("{} is read by {} in a function that was traced for a data pipeline or to be "
                            "called later, and that no tape's block called: its results come in without a "
                            "tape",
                            source, edge),
                "apply it to each batch inside the tape's block, after the pipeline has given the batch"};
      }
      if (cut.other != 0) {
        return {
            fmt::format("{} ran in an earlier round, before {}", used, tape),
            fmt::format("compute it again in each round, with {} inside the tape's block, or ask the tape of "
                        "that round",
                        edge)};
      }
      return {fmt::format("{} ran before {}", used, tape),
              fmt::format("move {} inside the tape's block", edge)};
    case Reason::outside_tape_after:
      return {fmt::format("{} ran after the block of {} was left", used, tape),
              fmt::format("move {} inside the tape's block", edge)};
    case Reason::paused:
      return {fmt::format("{} ran while recording was suspended{}", used,
                          cut.site ? " by stop_recording" + at(cut.site) : ""),
              fmt::format("move {} out of the part that stop_recording suspends", edge)};
    case Reason::reset:
      return {
          fmt::format("reset(){} threw the recording of {} away after {} had been used", at(cut.site), tape,
                      source),
          fmt::format(
              "compute {} again after reset(), watching again what was watched by hand, or leave reset() out",
              result.empty() ? "the target" : std::string(result))};
    case Reason::consumed:
      if (asked.tape == nullptr || asked.tape->generation == 0) {
        return {fmt::format("the tape asked by gradient(){} was never entered, so it recorded nothing of {} "
                            "with respect to {}",
                            at(cut.site), target, source),
                "compute the target inside the tape's block"};
      }
      return {fmt::format("gradient(){} used the tape up, so it had nothing left for {} with respect to {}",
                          at(cut.site), target, source),
              "make the tape with persistent = true, or ask for all gradients in one call after the block"};
    case Reason::other_tape:
      return {
          fmt::format(
              "{} was seen by {} alone, not by {}, which was asked for the gradient with respect to {}", edge,
              cut.other ? other_tape_text(history, cut.other, asked.tape_id) : "another tape", tape, source),
          cut.other ? fmt::format("ask {}, or open both tapes around the computation",
                                  other_tape_text(history, cut.other, asked.tape_id))
                    : "ask the tape that recorded the computation, or open both around it"};
    case Reason::other_thread:
      return {fmt::format("{} ran on another thread, which {} does not see", used, tape),
              fmt::format("run {} on the thread that opened the tape", edge)};
    case Reason::stop_gradient:
      return {
          e.edge.op == "StopGradient"
              ? fmt::format("stop_gradient{} ends every way from {} to {}",
                            e.edge.location.empty() ? "" : " at " + e.edge.location, source, target)
              : fmt::format("{} is inside stop_gradient, which ends every way from {} to {}", edge, source,
                            target),
          "remove stop_gradient if the gradient is wanted; otherwise None is what it asks for"};
    case Reason::not_differentiable: return {fmt::format("{} has no gradient", used), relaxation(e.edge.op)};
    case Reason::argument_not_differentiable:
      return {fmt::format("{} has no gradient for the argument that carries {}", used, name),
              other_argument(e.edge.op, name)};
    case Reason::integer_dtype:
      return {fmt::format("{} is of type {}; only floating types have gradients ({})", source,
                          dtype_text(history, asked.source), use),
              fmt::format("make {} a floating type, such as 2.0 in place of 2", name)};
    case Reason::integer_cast:
      return {fmt::format("{} turns floating numbers into whole ones, and no gradient passes that", used),
              "stay in a floating type on the training path"};
    case Reason::host_round_trip:
      if (cut.guess) {
        return {
            fmt::format("all that was computed from {} ends where {} reads it for the host; probably it came "
                        "back as a number or as a parameter of an op, which leads no gradient back",
                        source, e.edge.location),
            fmt::format(
                "use {} as a tensor, without reading its values: an op that takes the tensor itself in "
                "place of a number has a gradient for it, or give it one with custom_gradient",
                name)};
      }
      return {
          fmt::format(
              "{} read the values of {} for the host, and what came back{} is a new tensor that is not "
              "connected to {}",
              e.edge.location.empty() ? "the program" : e.edge.location, tensor_text(history, e.edge.output),
              at(cut.back), source),
          fmt::format("use {} as a tensor, without reading its values: keep the computation in tensor ops "
                      "between the two lines, or give it a gradient with custom_gradient",
                      name)};
    case Reason::state_update:
      return {
          fmt::format("the way from {} to {} passes through the assignment to {}{}, which no tape follows",
                      source, target, tensor_text(history, e.edge.output), at(cut.site)),
          fmt::format("use the assigned tensor itself in place of {}", tensor_text(history, e.edge.output))};
    case Reason::overwritten:
      if (cut.tensor != 0 && e.edge.output == asked.source) {
        return {
            fmt::format(
                "{} took the name of {}, from which it was computed, and no tape watches a plain tensor",
                source, tensor_with_line(history, cut.tensor)),
            fmt::format("change the variable with assign() and keep it as the source, or call tape.watch({})",
                        name)};
      }
      return {
          fmt::format("{} used {}, which was computed from {} earlier and is no longer what '{}' stands for",
                      target, tensor_with_line(history, e.edge.output), source, name),
          fmt::format("use {} itself inside the tape's block, in place of a tensor made from it before",
                      name)};
    case Reason::recreated_tensor:
      if (cut.tensor && tensor_with_line(history, cut.tensor) == source) {
        return {fmt::format("{} was made more than once, and {} was computed from the one that was made {}",
                            source, target, cut.tensor > asked.source ? "later" : "earlier"),
                history.variable(asked.source)
                    ? "ask for the variable that the computation used, or make it once and assign() to it"
                    : "ask for the tensor that the computation used, or make it once"};
      }
      return {fmt::format("{} is not what {} was computed from: that was {}", source, target,
                          cut.tensor ? tensor_with_line(history, cut.tensor) : std::string("another one")),
              "ask for the tensor or variable that the computation used, or use the new one in it"};
    case Reason::custom_gradient_none:
      return {fmt::format("{} returned None for the input that carries {}", used, name),
              "return a tensor for every input of the custom gradient"};
    case Reason::traced_constant: {
      const std::string& constant = cut.site == 0 && !e.path.empty() ? e.path.back().name : e.edge.name;
      const std::size_t slash = constant.rfind('/');
      const std::string function = slash == std::string::npos
                                       ? "the function"
                                       : fmt::format("function '{}'", constant.substr(0, slash));
      if (cut.site == 0) {
        return {fmt::format("{} captured {} when it was traced; {}, which the program has put in its place "
                            "since, is not in the graph",
                            function, tensor_with_line(history, cut.tensor), source),
                fmt::format("give {} to {} as an argument, or keep it in a Variable and assign() to it", name,
                            function)};
      }
      return {fmt::format("{} takes the value that {} had when {} was traced (the host read it{}): it is a "
                          "constant of the graph, so nothing "
                          "leads from {} back to {}",
                          edge, source, function, at(cut.site), target, name),
              fmt::format(
                  "give {} to {} as an argument, or use it in the body as it is, without reading its value",
                  name, function)};
    }
    case Reason::branch_not_taken:
      if (cut.use != 0) {
        return {fmt::format("{} was not used: its use{} is in the branch of `{}`{} that did not run", source,
                            at(cut.use), name_text(cut.condition), at(cut.site)),
                fmt::format("check the condition; ask for zeros where nothing connects (unconnected), or "
                            "leave {} out of the sources where it is meant",
                            name)};
      }
      if (cut.guess) {
        return {
            fmt::format("nothing on the way to {} used {}: {} chose what ran, and probably only what did not "
                        "run uses it",
                        target, source, edge),
            fmt::format("ask for zeros where nothing connects (unconnected), compute both branches and "
                        "choose with where(), or leave {} out of the sources",
                        name)};
      }
      return {fmt::format("{} is used only by {} of {}, and {} ran: the condition chose it",
                          cut.tensor ? "what is computed from " + source : source, branch_text(cut.untaken),
                          edge, branch_text(cut.taken)),
              fmt::format("ask for zeros where nothing connects (unconnected), compute both and choose with "
                          "where(), or call it in a "
                          "function, where a branch that does not run gives {} zeros",
                          name)};
    case Reason::inner_gradient_outside_outer_tape:
      return {fmt::format("the gradient on the way from {} to {} was taken by {} where {} was not recording",
                          source, target, e.edge.op == "gradient" ? "gradient() at " + e.edge.location : edge,
                          tape),
              "take the first gradient inside the block of the outer tape"};
    case Reason::unused:
      return {fmt::format("{} was never used", source),
              fmt::format("use {} in the computation, or leave it out of the sources", name)};
    case Reason::independent:
      if (cut.tensor != 0) {
        return {fmt::format("{} does not depend on {}: what was computed from it ends at {}, whose result "
                            "nothing uses on the way",
                            target, source, edge),
                ""};  // python_words.cpp has the fix
      }
      return {fmt::format("{} does not depend on {}: it was made by {} without it", target, source, edge),
              fmt::format("use {} on the way to {}, leave it out of the sources, or ask for zeros with "
                          "Unconnected::zero",
                          name, result.empty() ? "the target" : std::string(result))};
    case Reason::empty_sources:
      return {
          fmt::format("gradient(){} was given no sources", at(cut.site)),
          "pass the variables to differentiate by; a list that is filled later is empty now, and a layer has "
          "variables once it is built: call build() or the layer before its variables are listed"};
  }
  return {};
}
#endif
