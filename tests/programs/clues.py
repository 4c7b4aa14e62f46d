"""What the text of a program must hold for its truth to be possible: marks, lines, and the words that a reason leaves in a program."""
import re

import corpus

CAST = r"cast\(.*DType::(i32|i64|boolean)"
HOST = r"\b(item|host_values|element|elements|values_text|peek)\("
# For each reason for None: a pattern that a marked line must match, and one that the program must hold.
NONE = {
    "not_watched": (r".", r"\.watch\(|Variable\b"),
    "not_trainable": (r".", r"trainable\s*=|set_trainable\(|, false\)|moving_"),
    "watch_disabled": (r".", r"watch_accessed_variables\s*=\s*false"),
    "watched_too_late": (r".", r"\.watch\("),
    "outside_tape_before": (r".", r"\.record\("),
    "outside_tape_after": (r".", r"\.record\("),
    "paused": (r".", r"stop_recording\("),
    "reset": (r".", r"\.reset\("),
    "consumed": (r".", r"gradient\((.|\n)*gradient|jacobian"),
    "other_tape": (r".", r"GradientTape(.|\n)*GradientTape|GradientTape.*,|for \((.|\n)*GradientTape"),
    "other_thread": (r".", r"std::(thread|jthread|async)|prefetch\("),
    "stop_gradient": (r".", r"stop_gradient\("),
    "not_differentiable": (r"\b(round|floor|ceil|argmax|argmin|one_hot|floordiv|greater|less|sign|argsort|where_indices|in_top_k|"
                           r"zeros_like|ones_like|equal|not_equal|is_\w+)\(|[<>]", r"."),
    "argument_not_differentiable": (r"polygamma\(|batch_norm|gather|segment|where\(|one_hot\(|pad\(", r"."),
    "integer_dtype": (r".", r"DType::i(32|64)|Variable\w*[({]+-?\d+[,})]"),
    "integer_cast": (CAST, r"."),
    "host_round_trip": (r".", HOST),
    "state_update": (r".", r"assign|apply_gradients"),
    "overwritten": (r".", r"assign|apply_gradients"),
    "recreated_tensor": (r".", r"."),
    "custom_gradient_none": (r".", r"custom_gradient\((.|\n)*(Tensor\(\)|Tensor\{\}|\{\})"),
    "branch_not_taken": (r".", r"\b(cond|switch_case)\(|if \(item"),
    "traced_constant": (r".", r"\bFunction\b"),
    "inner_gradient_outside_outer_tape": (r"gradient\(|jacobian\(", r"GradientTape"),
    "unused": (r".", r"."),
    "independent": (r".", r"."),
    "empty_sources": (r"gradient|jacobian", r"."),
}
# The target does not follow the source's value at all; with EITHER it may, through a value taken earlier. With all others it does.
STILL = {"recreated_tensor", "branch_not_taken", "unused", "independent"}
EITHER = {"traced_constant", "overwritten"}
# What the witness saw the source to be, where not what a tape follows by itself or was told to.
TRACED = ("variable", "watched")
KINDS = {"not_watched": ("unwatched",), "not_trainable": ("frozen",), "watch_disabled": ("variable",),
         "watched_too_late": ("watched",), "integer_dtype": ("integer",), "recreated_tensor": ("unwatched",),
         "other_tape": (*TRACED, "unwatched"), "overwritten": ("variable",)}
# Where the target was made, where not while a tape recorded.
PLACES = {"outside_tape_after": ("outside",), "inner_gradient_outside_outer_tape": ("inside", "outside")}
BOUND = r"(clip_by_value|relu6)\(|(maximum|minimum)\(.*, -?[\d.]+\)"
ZERO = {
    "dead_relu": (r"relu\(|Activation::relu|\w+\(", r"relu|Relu"),
    "saturated": (r"sigmoid|tanh|softmax|exp\(|erf\(|\w+\(", r"sigmoid|tanh|softmax|exp\("),
    "clipped": (BOUND, BOUND),
    "max_loser": (r"reduce_m(ax|in)\(|top_k\(|max_pool2d\(|(maximum|minimum)\(\w+, [a-z]\w*\)", r"."),
    "masked": (r"where\(|mask|one_hot|gather|\* ", r"where\(|mask|one_hot|gather|equal\(|cast\("),
    "cancels": (r" - |softmax\(", r" - |softmax\("),
    "zero_weights": (r"matmul\(|matvec\(|conv2d\(|\* |\w+\(", r"\bzeros\b|\b0\.0\b"),
    "underflow": (r".", r"DType::(b?)f16|float16|exp\("),
    "sign": (r"\bsign\(|\babs\(", r"."),
    "unconnected_zero": (r".", r"Unconnected::zero"),
}
# For each kind of retrace, and of advice, what the program must hold.
RETRACES = {
    "shape": r"constant\(std::span|slice|range\(|Dataset|linspace\(",
    "dtype": r"DType::(f64|f16|bf16|i64)|cast\(",
    "value": r"(double|float|int|std::string|bool)&? \w+\) \{|Tensor&, (double|int|bool)",
    "identity": r"Identity|shared_ptr",
    "structure": r"std::(vector|map|pair|tuple)<|Value::Kind",
    "aliasing": r"const Variable& \w+, const Variable& \w+",
    "context": r"TraceContext|DTypePolicy",
    "new_function": r"^  +(const )?Function \w+\((.|\n)*int main|make_unique<\w+>\(\"\w+\", \["
                    r"|return \w+\(\"\w+\", \[",
}
ADVICE = {
    "unneeded_variable": r"Variable(Options)?[({](.|\n)*\.trainable|Variable\b.*factor|trainable_variables\(\)(.|\n)*gradient\(",
    "unneeded_work": r"\.record\([^}]*(argc|fixed|after)[^}]*\}(.|\n)*report_cost\(\"recorded\"",
    "gradient_inside_block": r"\.enter\((.|\n)*gradient\((.|\n)*\.exit\(|\.record\(\);[^}]*gradient\(",
    "persistent_tape": r"persistent = ",
    "leak": r"<GradientTape>(.|\n)*(push_back|emplace)|persistent = true(.|\n)*for \((.|\n)*\.record\("
            r"|->record\((.|\n)*persistent = true(.|\n)*for \(",
    "retraces": r"\bFunction\b",
    "unrolled_loop": r"\bFunction\b(.|\n)*for \(",
    "looped_jacobian": r"for \((.*\n){0,3}?.*gradient\(|gradient\((.|\n)*push_back\(\w+\[i\]\)",
    "per_example_loop": r"for \((.|\n)*(at\(\w+, \w+\)|range\((\w+), \3 \+ 1\)|\w\[i\]|slice\(\w+, \{i)|unstack\(",
    "repeated_work": r"(\b\w+\([^()]*\))(.|\n)*\1|gradient\((\w+), (.|\n)*gradient\(\3, ",
    "redundant_ops": r"(transpose|reshape|cast|exp|log|expand_dims|squeeze)\((.|\n)*(transpose|reshape|cast|log|exp|squeeze)\(",
    "host_round_trip": HOST + r"(.|\n)*constant\(",
    "dense_from_sparse": r"gather\(|Embedding\b",
    "checkpointing": r"recompute_grad\(",
}


def without_comments(text):
    return "\n".join(line.split("//")[0] for line in text.split("\n"))


def form(truth, text):
    """Problems of a truth that its program's text alone shows."""
    found, lines = corpus.marks(text), text.split("\n")
    code = without_comments(text)
    for key in ("kind", "question", "remedy"):
        if not truth.get(key) and not (key == "remedy" and truth["kind"] == "healthy"):
            yield f"the truth has no {key}"
    if truth["kind"] != "healthy" and not truth.get("remedy_keywords"):
        yield "the truth has no remedy_keywords"
    if not found["!"] and truth["kind"] in ("none", "nonfinite", "retrace", "slow"):
        yield "no line ends in //!"
    if "advice" in truth and not re.search(ADVICE.get(truth["advice"]["kind"], r"\Z."), code):
        yield f"nothing in the program speaks of {truth['advice']['kind']}"
    for function in truth.get("functions", {}).values():
        kinds = {retrace["kind"] for retrace in function["retraces"]}
        if any(not re.search(RETRACES.get(kind, r"\Z."), code, re.M) for kind in kinds):
            yield f"nothing in the program speaks of retraces by {', '.join(kinds)}"
        calls = [retrace["call"] for retrace in function["retraces"] if retrace["call"]]
        if calls and (len(calls) != function["traces"] - 1 or max(calls) > function["calls"] or min(calls) < 2):
            yield f"{calls} are no calls of {function['traces'] - 1} retraces among {function['calls']} calls"
    for name, source in truth["sources"].items():
        if ("reason" in source) != (source["status"] in ("none", "zero", "unconnected_zero")) and "reason" not in source:
            yield f"{name} is {source['status']} and has no reason"
        if "reason" not in source:
            continue
        if source["reason"] == "empty_sources":
            yield f"{name}: empty_sources is an alert, no source can have it"
        if source["status"] not in ("none", "zero", "unconnected_zero"):
            yield f"{name} is {source['status']} and has a reason"
        if source["mark"] >= len(found["!"]):
            yield f"{name}: there is no mark {source['mark']}"
            continue
        if source["line"] != found["!"][source["mark"]]:
            yield f"{name}: line {source['line']} is not that of mark {source['mark']}, {found['!'][source['mark']]}"
        if sorted(source["also_lines"]) != found["~"]:
            yield f"{name}: also_lines {source['also_lines']} are not those that end in //~, {found['~']}"
        for reason in (source["reason"], *source["also_reason"]):
            if reason not in NONE and reason not in ZERO:
                yield f"{name}: {reason} is no reason"
        marked = "\n".join(lines[n - 1] for n in [source["line"], *found["~"]] if 0 < n <= len(lines))
        on_line, anywhere = (NONE | ZERO).get(source["reason"], (r".", r"."))
        if not re.search(on_line, marked) or not re.search(anywhere, code):
            yield f"{name}: nothing in the program speaks of {source['reason']}"
