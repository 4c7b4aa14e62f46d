"""What a call of a graph waits in exchanges with the job's other workers.

An exchange inside of a graph is part of the call's time. TensorFlow's own profiler shows it, and is on for single calls: each rank counts the
calls of its trace alike, so the same ones are timed in all of them. A session costs some 0.1 ms and 2 µs for each op of the graph.
"""
import ctypes
import os
import pathlib
import re
import threading

from tapescope import _tapescope as module
from tapescope.tensorflow.graph_runs import CannotRun, bodies_of
from tapescope.tensorflow.versions import has_gpu, profiler

_LOOKED_AT = 4  # calls from the first on in which looks.py computes a part again, as in the 8th, the 16th ...
_OFTEN = (3, 5, 7)  # of each doubling three calls: these times a power of two
_ALWAYS = 128  # and one of so many
_NO_WARNINGS = 2  # of absl's levels: errors and what is worse

_session = threading.Lock()  # a process has one at a time


def is_timed(call):
    """Whether the call of that number, from 1, is timed inside."""
    odd = call // (call & -call)
    return call > _LOOKED_AT and (odd in _OFTEN or call % _ALWAYS == _ALWAYS - 1)


def has_exchanges(graph):
    return any(op.type.startswith("Collective") or any(has_exchanges(body) for body in _bodies(op)) for op in graph.get_operations())


def _bodies(op):
    try:
        return bodies_of(op)
    except CannotRun:  # one whose graph is not at hand
        return ()


class _Log:
    """TensorFlow's log, which has four lines for each session."""

    def __init__(self, folder):
        """`folder`: of the installed TensorFlow. Raises OSError or AttributeError where its log cannot be held back."""
        self._level, self._set = lambda: _NO_WARNINGS, lambda level: None
        if os.environ.get("TF_CPP_MIN_LOG_LEVEL", "0") not in ("", "0"):
            return
        folder = pathlib.Path(folder)
        release = re.search(r"define ABSL_LTS_RELEASE_VERSION (\d+)", (folder / "include/absl/base/config.h").read_text())
        inside = f"_ZN4absl12lts_{release.group(1)}" if release else "_ZN4absl"
        library = ctypes.CDLL(str(next(folder.glob("libtensorflow_framework.so*"), "none")))
        self._level = getattr(library, f"{inside}11MinLogLevelEv")
        self._set = getattr(library, f"{inside}14SetMinLogLevelENS0_18LogSeverityAtLeastE")

    def __enter__(self):
        self._before = self._level()
        self._set(_NO_WARNINGS)

    def __exit__(self, *_):
        self._set(self._before)


_log = None


def install(patches):
    global _log
    import tensorflow
    _log = None
    if profiler is None:
        patches.missing.append("the profiler is missing in this version: what workers wait inside of functions is not seen")
        return
    try:
        _log = _Log(os.path.dirname(tensorflow.__file__))
    except (OSError, AttributeError):
        pass  # its lines would fill the user's terminal: calls are not timed, and records say so


class Waits:
    """Of one trace whose graph exchanges."""

    def __init__(self):
        self.calls = 0

    def call(self, run, site):
        """Runs a call; what it waited inside is recorded where it is timed, else that this is not known."""
        self.calls += 1
        trace = None
        if _log is None or not is_timed(self.calls) or has_gpu() or not _session.acquire(blocking=False):
            result = run()
        else:
            try:
                session = _begin()
                try:
                    result = run()
                finally:
                    trace = _end(session)
            finally:
                _session.release()
        module.graph_wait(trace, site)
        return result


def _begin():
    try:
        session = profiler.ProfilerSession()
        with _log:
            session.start("", {})
    except Exception:  # the program has one
        return None
    return session


def _end(session):
    if session is None:
        return None
    try:
        with _log:
            return session.stop()
    except Exception as error:
        module.failed(repr(error))
        return None
