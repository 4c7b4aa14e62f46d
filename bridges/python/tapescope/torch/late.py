"""Errors that are none of an op's or a question's, and yet say that a gradient is missing: explained when they end the program."""
import re

from tapescope.torch import errors, words
from tapescope.torch.flow import Place, is_user_code
from tapescope.torch.reasons import Found


def _place(error):
    """The innermost frame of the user's that an error passed, and its line there."""
    entry, frame, found = error.__traceback__, None, ()
    while entry is not None:
        code = entry.tb_frame.f_code
        if is_user_code(code):
            frame, found = entry.tb_frame, (Place((code.co_filename, entry.tb_lineno, code.co_name)),)
        entry = entry.tb_next
    return frame, found


def account(questions, error):
    """What is known of an error that nothing explained, as text; empty for one that has nothing to do with gradients."""
    from tapescope.torch.questions import Ask
    text, (frame, lines) = str(error), _place(error)
    if isinstance(error, AttributeError) and re.search(r"has no attribute '(backward|grad_fn|requires_grad_?)'", text):
        rows = _read_before(questions)
    elif isinstance(error, RuntimeError) and "floating point" in text and "require gradients" in text:
        rows = _integers(questions, lines)
    elif re.search("empty parameter list|cannot be empty|non-empty inputs", text):
        message, fix = words.EMPTY
        questions.answers.add_alert("empty_sources", "the optimizer" if "parameter list" in text else "the target", message, fix, lines)
        return f"tapescope: why {words.location(lines)} raises {type(error).__name__}:\n  {message}\n  fix: {fix}"
    else:
        return ""
    ask = Ask("the call", lines, 0)
    return errors.account(questions.answer_all(rows, ask, frame), ask, error)


def _read_before(questions):
    """A number has no graph: it is the one that was read last of a tensor which has."""
    read = next((read for read in reversed(questions.numbers.reads) if read.value.wants and read.value.seq is not None), None)
    if read is None:
        return []
    return [(who, Found("host_round_trip", op=read.op)) for who in questions.nodes.reachable(read.value.seq)[1]][:errors.MOST_ROWS]


def _integers(questions, lines):
    """The tensor of an integer type that was made on the line."""
    made = next((value.who for op in reversed(questions.flow.ops[-64:]) if op.lines[:1] and lines and op.lines[0][:2] == lines[0][:2]
                 for value in op.outputs if not value.who.floating), None)
    return [(made, Found("integer_dtype", made.lines))] if made is not None else []
