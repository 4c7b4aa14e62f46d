"""Explains an error that ends a program, a thread or a notebook's cell: what is known of its cause stands before its traceback."""
import os
import sys
import threading
import traceback

from tapescope.patches import Patches

_KEY = "__tapescope__"  # of an error's __dict__: its text, which goes with it and keeps nothing alive
_HINTED = "__tapescope_hinted__"  # of an error that was shown with what a hint says
_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_state = {"patches": None, "kept": False, "ended": "", "hint": None, "shown": set()}


def attach(error, text):
    """Notes what is known of an error that passes by. What explained it first stays: it stood nearest to the cause."""
    if text and _KEY not in error.__dict__:
        error.__dict__[_KEY] = text


def explained(error):
    """Whether something is known of an error already."""
    return _KEY in error.__dict__


def was_shown(text):
    """Whether that text stood before the traceback of an error that nothing caught."""
    return text in _state["shown"]


def _chain(error):
    """An error and those that a traceback shows with it, causes first."""
    found, seen, pending = [], set(), [error]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        found.append(one)
        if isinstance(one, BaseExceptionGroup):
            pending += one.exceptions
        pending.append(one.__cause__ if one.__cause__ is not None or one.__suppress_context__ else one.__context__)
    return found[::-1]


def show(error):
    """Writes once, on standard error, what is known of an error that nothing caught, and takes our frames out of its traceback."""
    try:
        chain = _chain(error)
        texts = [one.__dict__.pop(_KEY) for one in chain if _KEY in one.__dict__]
        if not texts and _state["hint"] is not None and _HINTED not in error.__dict__:
            error.__dict__[_HINTED] = True
            texts = [text for text in map(_state["hint"], chain) if text][:1]
        for one in chain:
            one.__traceback__ = _without_ours(one.__traceback__)
        _state["shown"].update(texts)
        if texts:
            sys.stderr.write("".join(f"{text.rstrip()}\n\n" for text in texts))
            sys.stderr.flush()
    except Exception:  # the program's own error matters more
        pass


def end(error):
    """What python does with an error that nothing caught: hands it to sys.excepthook, which may be the program's. Returns the exit code."""
    show(error)
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException as another:
        another.__traceback__ = _without_ours(another.__traceback__)
        another.__context__ = None  # as python, which has left the error by then
        print("Error in sys.excepthook:", file=sys.stderr)
        traceback.print_exception(another)
        print("\nOriginal exception was:", file=sys.stderr)
        traceback.print_exception(error)
    return 1


def sentence(error):
    """How an error ended the program, in one line. Of several, the last that autograph puts after the places of the code that it changed."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = lines[-1 if lines[0].startswith("in user code:") else 0] if lines else ""
    name = type(error).__name__
    return f"ended by {name}: {line.removeprefix(f'{name}: ').rstrip('.')}"


def ended():
    """The sentence of the error that ended the program; empty where none did."""
    return _state["ended"]


def set_hint(hint):
    """`hint`: given an error that nothing explained, the sentence that says how it would be; None to set none."""
    _state["hint"] = hint


def install():
    """Errors that nothing catches are shown with what is known of them, and then as they would have been. Returns a sentence for each place where
    they are not."""
    _state["kept"] = False
    if _state["patches"] is not None:
        return []
    patches = _state["patches"] = Patches()
    patches.set(sys, "excepthook", _of_program, "errors are not explained")
    patches.set(threading, "excepthook", _of_thread, "errors of threads are not explained")
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        patches.set(shell, "showtraceback", _of_cell, "errors of cells are not explained")
    return patches.missing


def uninstall():
    """Takes the hooks away, but for an error that is under way: that of a block whose recording it ends."""
    if _state["patches"] is not None and not _state["kept"]:
        _state["patches"].undo()
        _state["patches"] = None


def keep(error):
    """An error leaves the block of a recording, whose hooks go. Whether anything catches it is seen later."""
    _state["kept"] = error is not None and any(_KEY in one.__dict__ for one in _chain(error))


def _shown(error):
    show(error)
    if _state["kept"]:
        _state["kept"] = False
        uninstall()


def _of_program(original):
    def excepthook(kind, error, trace):
        if not _state["ended"]:
            _state["ended"] = sentence(error)
        _shown(error)
        original(kind, error, error.__traceback__)
    return excepthook


def _of_thread(original):
    def excepthook(given):
        if given.exc_value is None or given.exc_type is SystemExit:
            return original(given)
        _shown(given.exc_value)
        return original(threading.ExceptHookArgs((given.exc_type, given.exc_value, given.exc_value.__traceback__, given.thread)))
    return excepthook


def _of_cell(original):
    def showtraceback(exc_tuple=None, *args, **kwargs):
        error = exc_tuple[1] if exc_tuple else sys.exc_info()[1]
        if isinstance(error, BaseException):
            _shown(error)
            if exc_tuple:
                exc_tuple = (exc_tuple[0], error, error.__traceback__)
        return original(exc_tuple, *args, **kwargs)
    return showtraceback


# Functions of PyTorch between the program's call and ours, innermost first, and the one that ours call in turn.
_LEADS = (("_dynamo/eval_frame.py", "_fn"), ("_compile.py", "inner"))
_AGAIN = ("overrides.py", "handle_torch_function")
_LED_TO = ("_ops.py", "__call__")


def _is(entry, file, name):
    return entry.tb_frame.f_code.co_name == name and entry.tb_frame.f_code.co_filename.replace(os.sep, "/").endswith("/torch/" + file)


def _without_ours(entry):
    """A traceback without the frames that started the program, without ours, and without PyTorch's that are there because of ours."""
    kept, ours = [], False
    while entry is not None:
        file = entry.tb_frame.f_code.co_filename
        if file.startswith(_OURS):
            ours = True
            for lead in _LEADS:
                if kept and _is(kept[-1], *lead):
                    kept.pop()
            if kept and _is(kept[-1], *_AGAIN):
                kept[-2:] = []  # its caller is called again
        elif ours and _is(entry, *_LED_TO):
            ours = False
        elif kept or file != "<frozen runpy>":
            kept.append(entry)
            ours = False
        entry = entry.tb_next
    for one, following in zip(kept, kept[1:] + [None]):
        one.tb_next = following
    return kept[0] if kept else None
