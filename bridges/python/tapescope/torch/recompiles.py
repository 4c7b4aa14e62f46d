"""Watch: what torch.compile says of each compilation as it ends, and where its graphs break. Compiled code runs as without us."""
import re
import sys

import torch

from tapescope.places import is_user
from tapescope.torch.compiling import Traced, function_of, graph_break, is_around, newest_compilation, retrace_of, time_of
from tapescope.torch.flow import lines_of
from tapescope.torch.releases import listen_for_breaks, listen_for_ends, listen_for_reasons, reason_of
from tapescope.torch.writer import CallCounts, Writer


def _name_of(code):
    """The function's name; of what is compiled after a break of its graph, with the line where it goes on."""
    part = re.fullmatch(r"torch_dynamo_resume_in_(.+)_at_(\d+)", code)
    return f"{part.group(1)} from line {part.group(2)}" if part else code


def _called(frame, most=64):
    """The library's function that is being compiled, as the frame says that the compiler puts around it; None where that is not there."""
    while frame is not None and most:
        function = frame.f_locals.get("fn") if frame.f_code.co_name == "compile_wrapper" else None
        if function is not None:
            return function_of(function)
        frame, most = frame.f_back, most - 1
    return None


class Recompiles:
    def __init__(self, failed, again, named, runs):
        # `again` is called when something was compiled again, `named` with torch.compile's name of a region and ours; `runs` with such a name returns
        # how often the region ran.
        self.failed, self.again, self.named, self.runs = failed, again, named, runs
        self.functions = {}  # (file, first line, name) -> Traced
        self.regions = {}  # the same -> torch.compile's names of its regions, and how often a region of that name ran before
        self.counts = CallCounts(Writer())
        self.seen = None  # the compilation that was read last
        self.off = False

    def install(self, patches):
        # Imported by the program's first call of torch.compile, else by none.
        patches.set(torch, "compile", self._compile, "torch.compile is not watched")
        patches.on_undo(self._leave)
        self.patches, self.ready = patches, False
        if "torch._dynamo.utils" in sys.modules:
            self._listen()

    def _calls(self, key):
        """How often a function was called: each time one of its regions ran."""
        return max(sum(self.runs(region) - before for region, before in self.regions.get(key, ())), self.functions[key].calls)

    def count(self, at_once=False):
        """Writes how often each function was called."""
        if self.functions:
            self.counts.write([(known.name, self._calls(key), known.traces) for key, known in self.functions.items()], at_once)

    def _leave(self):
        self.off = True

    def _listen(self):
        if self.ready:
            return
        self.ready = True
        self.seen = newest_compilation()
        listen_for_ends(self.patches, self._ends)
        listen_for_reasons(self.patches)
        listen_for_breaks(self.patches, self._broke)

    def _broke(self, reason, exc, stack):
        try:
            found = None if self.off else graph_break(reason, exc, stack)
            if found is not None:
                kind, subject, evidence, fix, place = found
                Writer().advice({"kind": kind, "subject": subject, "evidence": evidence, "fix": fix}, place)
        except Exception as error:
            self.failed(error)

    def _compile(self, original):
        def compile(*args, **kwargs):
            import torch._dynamo  # noqa: F401, as the original does
            if not self.off:
                self._listen()
            return original(*args, **kwargs)
        return compile

    def _ends(self, original):
        def on_exit(*args, **kwargs):
            original(*args, **kwargs)
            again = False
            try:
                if not self.off:
                    again = self._read(lines_of(sys._getframe(1)))
            except Exception as error:
                self.failed(error)
            if again:
                self.again()
        return on_exit

    def _read(self, lines):
        """Whether a function was compiled again."""
        metrics = newest_compilation()
        if metrics is None or metrics is self.seen:
            return False
        self.seen = metrics
        name, key, function = metrics.co_name, (metrics.co_filename, metrics.co_firstlineno, metrics.co_name), None
        if is_around(name, metrics.co_filename):
            function = _called(sys._getframe(1))
            key = getattr(function, "__code__", None)
            name = getattr(function, "__name__", "compiled code")
        elif not metrics.co_filename or not is_user(metrics.co_filename):
            return False
        region = getattr(metrics, "compile_id", None)
        if region:
            self.named(str(region), f"{_name_of(name)} (compiled {region})")
        known = self.functions.get(key)
        if known is None:
            known = self.functions[key] = Traced(function)
            known.name = name
        known.traces += 1
        known.calls = self._calls(key) + 1  # the one under way has not run yet
        self.regions.setdefault(key, []).append((str(region), self.runs(str(region))))
        retrace = retrace_of(known, reason_of(metrics), {}, None) if known.traces > 1 else None
        Writer().traced({"name": known.name, "calls": known.calls, "traces": known.traces}, retrace, lines[0] if lines else None, time_of(metrics))
        return retrace is not None
