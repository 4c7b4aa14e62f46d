"""Training steps: marked by the program, or recognized as module/steps.h says."""
import threading

from tapescope import _tapescope as module


def _is_alive(ident):
    return any(each.ident == ident for each in threading.enumerate())


class Steps:
    """The process' steps, for hooks that are written in Python."""

    arrive = module.steps_arrive  # (place, whether it updates what it asks about itself): an outermost tape, or a function that asks inside
    ask = module.steps_ask  # (ids of variables or None): a question was put; returns whether it is the step's first
    ask_within = module.steps_ask_within  # (place): a function was called that asks inside
    open_at_least = module.steps_open_at_least  # (): what comes belongs to the step under way, else to a new one
    note_update = module.steps_note_update  # (): a function was called that assigns variables
    note = module.steps_note  # (name, value): a scalar of the step under way, where it has none of that name
    note_next = module.steps_note_next  # (name, value): a scalar of the step that begins next
    end = module.steps_end
    end_by_update = module.steps_end_by_update  # (): an update ends the step under way, and from now on nothing else does
    mark = module.steps_mark  # (): the program says that a step ends here, and another one begins
    act_for = module.steps_act_for  # (ident): the calling thread does what the other one, which waits for it, has begun
    reset = module.steps_reset

    def __init__(self):
        self.at_begin = []  # called when a step has begun
        module.configure_steps(self.at_begin, _is_alive)

    @property
    def number(self):
        return module.steps_number()


steps = Steps()


def step():
    """Ends the training step under way and begins the next. Programs that do not call it have steps all the same."""
    if not module.is_muted():
        steps.mark()


def scalar(text, value):
    """A metric of the step under way, such as scalar("loss", 0.5)."""
    if not module.is_muted():
        module.scalar(text, float(value), steps.number)


class pause:  # a context manager, in lower case as those of the standard library
    """Records nothing of this thread inside the block."""

    def __enter__(self):
        module.mute()

    def __exit__(self, *_):
        module.unmute()
