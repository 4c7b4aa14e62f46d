"""Hooks for PyTorch: set by the session, taken away with it."""
import contextlib
import sys
import threading

from tapescope import _tapescope as module
from tapescope import names, uncaught, wanted
from tapescope.patches import Patches


def _depth(frame):
    depth = 0
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def _calls_user(frame, depth):
    """Whether code of the user's runs above a depth of the stack."""
    from tapescope.torch.flow import is_user_code
    for _ in range(_depth(frame) - depth):
        if is_user_code(frame.f_code):
            return True
        frame = frame.f_back
    return False


def _of_torch(thread):
    """Whether PyTorch itself begins a thread, such as its compiler's."""
    work = getattr(thread, "_target", None) or type(thread)
    return (getattr(work, "__module__", None) or "").partition(".")[0] == "torch"


def _top_of_dispatch():
    import torch
    depth = torch._C._len_torch_dispatch_stack()
    return torch._C._get_dispatch_stack_at(depth - 1) if depth else None


class _Here(threading.local):
    """What runs on a thread."""
    updating = 0  # how deep the stack is in an optimizer's step under way; 0: none is
    closure = False  # that step calls a function of the program's, whose ops are seen
    off = ()  # lines of the user's that switched gradients off
    inside = 0  # custom functions under way
    recomputed = 0  # checkpoints under way through which no gradient will pass


class State:
    """What the hooks share."""

    def __init__(self):
        self.here = _Here()
        self.off = False  # the recording has ended; threads that run on keep their modes
        self.updates = 0  # steps that optimizers took
        self.scaled = None, None  # the op by which a GradScaler multiplied a loss last, and the loss
        self.errors = 0
        self.first = ""

    def begin_update(self, frame, closure=False):
        """`frame`: the optimizer's, inside of which all but what its closure does counts as one op; None where its ops are seen."""
        self.updates += 1
        self.here.updating, self.here.closure = _depth(frame), closure

    def recomputing(self, function, *args, **kwargs):
        """A reentrant checkpoint of what requires no gradient: its ops run in no_grad, and are the program's own."""
        self.here.recomputed += 1
        try:
            return function(*args, **kwargs)
        finally:
            self.here.recomputed -= 1

    def is_inside(self):
        """Whether what runs is the inside of something that counts as one op."""
        here = self.here
        if here.updating and _depth(sys._getframe(1)) < here.updating:
            here.updating = 0  # the step ended by an error
        return here.inside > 0 or here.updating > 0 and not (here.closure and _calls_user(sys._getframe(1), here.updating))

    def failed(self, error):
        self.errors += 1
        if not self.first:
            import traceback
            self.first = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-3:])


class Watching:
    """One recording's hooks and what they know."""

    def __init__(self):
        from tapescope.torch.advice import Advisor
        from tapescope.torch.answers import Answers
        from tapescope.torch.compiling import Compiling
        from tapescope.torch.flow import Flow
        from tapescope.torch.nodes import Nodes
        from tapescope.torch.numbers import Numbers
        from tapescope.torch.questions import Questions
        from tapescope.torch.reasons import Reasons
        from tapescope.torch.watch import Watch, Watcher
        from tapescope.torch.writer import Writer
        self.state = State()
        self.flow = Flow()
        self.nodes = Nodes(self.flow)
        self.numbers = Numbers(self.flow)
        self.flow.came_back = self.numbers.find
        self.reasons = Reasons(self.flow, self.numbers, self.nodes)
        self.answers = Answers(self.flow, Writer())
        self.questions = Questions(self.flow, self.nodes, self.reasons, self.answers, self.state)
        self.watcher = Watcher(self.flow, self.questions, self.nodes, self.numbers, self.state)
        self.mode = Watch(self.watcher)
        self.compiling = Compiling(self)
        self.advisor = Advisor(self)

    def install(self, patches):
        from tapescope.torch import scopes, warned
        from tapescope.torch.ops import Ops
        scopes.install(self, patches)
        warned.install(patches)
        self.compiling.install(patches)
        self.advisor.install()
        self.swapped = [entry for entry in patches.replaced() if entry[1] in ("apply", "_engine_run_backward", "grad_and_value_impl")]
        self.ops = self.questions.ops = self.answers.ops = Ops(self)
        self.mode.__enter__()
        self.ops.__enter__()
        patches.on_undo(self.leave)
        patches.set(threading.Thread, "_bootstrap_inner", self._on_thread, "what other threads do is not followed")
        self._install_replicas(patches)

    def _on_thread(self, original):
        def _bootstrap_inner(thread):  # calls run(), which a program's own class may have
            if not self.state.off and not _of_torch(thread):
                try:
                    from tapescope.torch.sequence import begin_thread
                    begin_thread()
                    self.mode.__enter__()
                    self.ops.__enter__()
                except Exception as error:  # the thread has no use for our trouble
                    self.state.failed(error)
            return original(thread)
        return _bootstrap_inner

    def _install_replicas(self, patches):
        from tapescope.torch.replicas import Replicas
        from tapescope.torch.watch import quiet

        def number_of(tensor):
            entry = self.ops.ids.known(tensor)
            return entry[2] if entry is not None else 0
        Replicas(self.state.failed, quiet, number_of, lambda tensor: "").install(patches)

    @contextlib.contextmanager
    def modes_off(self):
        """What runs inside is compiled code, or is compiled: modes would keep it from that."""
        import torch
        held = []
        while torch._C._len_torch_function_stack():
            mode = torch._C._pop_torch_function_stack()
            held.append(mode)
            if mode is self.mode:
                break
        if held and held[-1] is self.mode:
            held.pop()
            own = True
        else:
            own = False
        for mode in reversed(held):
            torch._C._push_on_torch_function_stack(mode)
        self.aside(True)
        ops = _top_of_dispatch() is self.ops
        if ops:
            self.ops.__exit__(None, None, None)
        try:
            yield
        finally:
            if ops:
                self.ops.__enter__()
            self.aside(False)
            if own:
                above = []
                for _ in range(len(held)):
                    above.append(torch._C._pop_torch_function_stack())
                torch._C._push_on_torch_function_stack(self.mode)
                for mode in reversed(above):
                    torch._C._push_on_torch_function_stack(mode)

    def aside(self, away):
        """Compiled code is to find PyTorch's own functions, which it knows."""
        for owner, name, original, replaced in self.swapped:
            now = owner.__dict__.get(name)
            if now is (replaced if away else original):
                setattr(owner, name, original if away else replaced)

    def hint(self, error):
        """What is known of an error that no hook met."""
        from tapescope.torch import late
        from tapescope.torch.watch import quiet
        try:
            with quiet():
                return late.account(self.questions, error)
        except Exception as failure:
            self.state.failed(failure)
            return ""

    def leave(self):
        """Takes the mode off the stack, wherever it lies."""
        import torch
        self.state.off = True
        if _top_of_dispatch() is self.ops:
            self.ops.__exit__(None, None, None)
        above = []
        while torch._C._len_torch_function_stack():
            mode = torch._C._pop_torch_function_stack()
            if mode is self.mode:
                break
            above.append(mode)
        for mode in reversed(above):
            torch._C._push_on_torch_function_stack(mode)


_last = {"failure": "", "watching": None}

UNSEEN = "Nones, zeros and values that are not finite: PyTorch was watched, and --why looks for them"


def last_failure():
    """Where the last recording's first failing hook failed; empty where none did."""
    return _last["failure"]


def name(tensor, text):
    """Calls a tensor `text` in every answer; False where it is none of PyTorch's, or nothing is recorded."""
    watching = _last["watching"]
    if watching is None or not isinstance(tensor, sys.modules["torch"].Tensor):
        return False
    if not isinstance(watching, Watching):
        return watching.name(tensor, text)
    from tapescope.torch.watch import quiet
    with quiet():
        who = watching.flow.value(tensor).who
        who.name, who.strong = text, -1
    return True


names.namers.append(name)


def install():
    """Sets the hooks; returns what takes them away, and a sentence for each feature this version does not have."""
    if wanted.why():
        return _install_why()
    from tapescope.torch import build
    try:
        return _install_watch(build.load())
    except build.Unavailable as problem:
        print(f"tapescope: PyTorch is watched by a mode of its dispatcher, which slows small ops: {problem}", file=sys.stderr)
        return _install_why()


def _install_watch(observer):
    from tapescope.torch import errors
    from tapescope.torch.observe import Observing
    patches, observing = Patches(), Observing(observer)
    observing.install(patches)
    uncaught.set_hint(errors.hint)
    patches.on_undo(lambda: uncaught.set_hint(None))
    module.fact("unseen", UNSEEN)
    _last["failure"], _last["watching"] = "", observing

    def uninstall():
        try:
            observing.finish()
        except Exception as error:
            observing.failed(error)
        patches.undo()
        _last["failure"], _last["watching"] = observing.first, None
        if observing.errors:
            module.message(f"{observing.errors} hooks failed and were passed over; the first: {observing.first.strip()[-300:]}", 1)
    return uninstall, patches.missing


def _install_why():
    patches = Patches()
    watching = Watching()
    watching.install(patches)
    uncaught.set_hint(watching.hint)
    patches.on_undo(lambda: uncaught.set_hint(None))
    module.fact("unseen", "")  # an earlier recording of this process may have been a watch

    def uninstall():
        from tapescope.torch.watch import quiet
        try:
            with quiet():
                watching.questions.finish()
                watching.advisor.finish()
                watching.compiling.count(at_once=True)
        except Exception as error:
            watching.state.failed(error)
        patches.undo()
        state = watching.state
        _last["failure"], _last["watching"] = state.first, None
        if state.errors:
            module.message(f"{state.errors} hooks failed and were passed over; the first: {state.first.strip()[-300:]}", 1)
    _last["failure"], _last["watching"] = "", watching
    return uninstall, patches.missing
