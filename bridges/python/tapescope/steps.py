"""Training steps: marked by the program, or recognized.

A step ends when an outermost tape is entered again at the same place after a question, or a function that asks inside is called
again: programs with several tapes in one step (an actor and a critic) have steps of all of them. Where the program updates what it asks
about, it also waits for an update: a loop that adds up the gradients of many examples is one step.

Of several threads that train, one has the steps, and what the others ask falls into them. Another takes them over when that one has
ended, or asks no more.

Processes of a job that train replicas end a step with their update: what one of them does alone is not to shift its numbers.
"""
import threading
import time

from tapescope import _tapescope as module

_MOST = 256  # questions of a step that waits for an update
_SILENCE = 1.0  # seconds without a question, after which the thread that has the steps loses them to another


class _Local(threading.local):
    acts_for = None  # the thread that waits for this one


class Steps:
    def __init__(self):
        self._lock = threading.RLock()
        self._local = _Local()
        self.at_begin = []  # called when a step has begun
        self.reset()

    def reset(self):
        self.number = 0
        self.open = False
        self.asked = False
        self.others = set()  # threads that asked in the step, but for the one that has it
        self.heard = 0.0  # when that one asked last
        self.places = set()
        self.noted = set()  # names of the step's scalars
        self.waiting = {}  # scalars of the step to come
        self.marked = False  # the program marks its steps itself
        self.sources = set()  # variables asked about in the step
        self.updated = False  # one of them was assigned since
        self.known = set()  # variables that were updated after a question
        self.questions = 0
        self.by_updates = False  # those of a job of several processes end with updates
        self.thread = None

    def _begin(self):
        self.open, self.asked, self.others, self.places = True, False, set(), set()
        self.sources, self.updated, self.questions = set(), False, 0
        self.thread, self.heard = self._asker(), time.monotonic()
        module.training_step_begin(self.number)
        self.noted = set()
        waiting, self.waiting = self.waiting, {}
        for text, value in waiting.items():
            self.note(text, value)
        for action in self.at_begin:
            action()

    def end(self):
        with self._lock:
            if self.open:
                module.training_step_end(self.number, self.by_updates and not self.asked)  # what stands after the last update is no step
                self.number += 1
                self.open = False

    def _asker(self):
        return self._local.acts_for or threading.get_ident()

    def act_for(self, thread):
        """The calling thread does what the other one, which waits for it, has begun."""
        self._local.acts_for = thread

    def _ends_at(self, place, whole):
        if self.by_updates or not self.open or not self.asked or place not in self.places:
            return False
        thread = self._asker()
        if thread == self.thread:
            return whole or not self._waits()
        return thread in self.others and (time.monotonic() - self.heard > _SILENCE or all(each.ident != self.thread for each in threading.enumerate()))

    def _waits(self):
        """Whether the step goes on until the variables are updated that it asked about."""
        if self.sources and not self.updated:
            updated = self.sources.intersection(module.assigned())
            self.known |= updated
            self.updated = bool(updated)
        return not self.updated and self.questions < _MOST and not self.known.isdisjoint(self.sources)

    def note_update(self):
        """A function was called that assigns variables."""
        self.updated = self.asked

    def arrive(self, place, whole=False):
        """An outermost tape is entered, or a function called that asks inside, at `place`. `whole`: it updates what it asks about itself."""
        with self._lock:
            if not self.marked:
                if self._ends_at(place, whole):
                    self.end()
                if not self.open:
                    self._begin()
            self.places.add(place)

    def ask(self, numbers=None):
        """A question was put, about variables of these numbers where it says so; returns whether it is the step's first."""
        with self._lock:
            first, asker = not self.asked, self._asker()
            if not self.open:
                self._begin()
            self.asked = True
            if asker != self.thread:
                self.others.add(asker)
                return first
            self.heard = time.monotonic()
            if numbers is not None:
                if not self.sources:
                    module.assigned()  # what was assigned before is no update
                self.sources.update(numbers)
                self.questions += 1
            return first

    def ask_within(self, place):
        """A function was called that asks inside."""
        with self._lock:
            self.ask()
            self.places.add(place)

    def open_at_least(self):
        """What comes belongs to a step: to the one under way, else to a new one."""
        with self._lock:
            if not self.open and not self.marked:
                self._begin()

    def note(self, text, value):
        """A scalar of the step under way, where it has none of that name."""
        if text not in self.noted:
            self.noted.add(text)
            module.scalar(text, float(value), self.number)

    def note_next(self, text, value):
        """A scalar of the step that begins next."""
        self.waiting[text] = value

    def end_by_update(self):
        """An update ends the step under way, and from now on nothing else does."""
        with self._lock:
            if not self.marked:
                self.by_updates = True
                self.end()

    def mark(self):
        """The program says that a step ends here, and another one begins."""
        with self._lock:
            self.marked = True
            self.end()
            self._begin()


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
