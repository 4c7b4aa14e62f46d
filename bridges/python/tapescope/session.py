"""Begins and ends recordings; sets the hooks once a framework is there."""
import atexit
import html
import importlib.abc
import importlib.util
import os
import shutil
import sys
import tempfile
import weakref

from tapescope import _tapescope as module
from tapescope import names, results, uncaught, wanted
from tapescope.steps import steps

_installed = {}  # framework -> what uninstalls it
_state = {"active": False, "watching": False, "at_exit": False, "recording": None}
_FRAMEWORKS = ("tensorflow", "torch")
_HOOKED = _FRAMEWORKS + ("keras",)


class Recording:
    """What record() returns: ends with its block, or with the program. What it says can be asked for once it has ended; a notebook shows it
    with the graph and the table of ops."""

    last = None  # the one that ended last

    def __init__(self, path, folder):
        self.path, self.ended = path, False
        if folder:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        uncaught.keep(error)
        finish("finished" if kind is None else f"ended by {kind.__name__}")

    def _end(self):
        self.ended, Recording.last = True, self

    def _whole(self):
        if not self.ended:
            raise results.Unanswered("the recording is under way; ask once its block has ended, or after tapescope.finish()")
        return self.path

    def explain(self):
        """Why each gradient is None, zero or not finite, retraces and advice, as text."""
        return results.explain(self._whole())

    def document(self):
        """The same as a dict."""
        return results.document(self._whole())

    def ops(self):
        """The table of ops, the costliest first."""
        return results.ops(self._whole())

    def svg(self):
        """The graph of its step, drawn."""
        return results.drawing(self._whole())

    def _repr_html_(self):
        if not self.ended:
            return None
        return f"{self.svg()}<pre>{html.escape(self.explain())}</pre>{self.ops()._repr_html_()}"


def record(path=None, why=None, **facts):
    """Records this process from here on, into a file or, without one, for as long as what this returns is held. `why`: as the option --why, else as
    TAPESCOPE_WHY says; without a file, answers are what it is for. Raises OSError where the file cannot be written."""
    wanted.set_why(True if path is None and why is None else why)
    folder = None
    if path is None:
        folder = tempfile.mkdtemp(prefix="tapescope-")
        path = os.path.join(folder, "run.tape")
    path = os.fspath(path)
    _write_facts(facts)
    problem = module.record(path)
    if problem:
        raise OSError(problem)
    _begin()
    _state["recording"] = Recording(path, folder)
    return _state["recording"]


def explain(target, source):
    """What the recording that ended last says of the gradient of `target` with respect to `source`: tensors, variables, or their names."""
    if Recording.last is None:
        raise results.Unanswered("nothing was recorded; ask for the gradient in a block of tapescope.record() first")
    frame = sys._getframe(1)
    texts = [_called(each, frame) for each in (target, source)]
    ids = [0 if isinstance(each, str) else names.number_of(each) for each in (target, source)]
    return results.answer(Recording.last.document(), *texts, *ids)


def _called(each, frame):
    """What an explanation calls a tensor or a variable that the caller's frame holds."""
    if isinstance(each, str):
        return each
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(each, torch.Tensor):
        from tapescope.torch.naming import Names
        return Names(frame).name_of(each)
    return names.names_of([each])[0]


def listen(wait=False, why=None, **facts):
    """Lets Tapescope's window attach to this process. `wait`: returns once one has and lets the program go on. Raises OSError where it cannot."""
    if why is not None or not _state["active"]:
        wanted.set_why(why)
    _write_facts(facts)
    problem = module.listen()
    if problem:
        raise OSError(problem)
    _begin()
    if wait:
        module.listen(True)


def finish(how=None):
    """Ends the recording and takes the hooks away. `how`: how the program ended, else as was seen."""
    if not _state["active"]:
        return
    _state["active"] = False
    steps.end()
    count, first = module.swallowed()
    if count:
        module.message(f"{count} hooks failed and were passed over; the first: {first}", 1)
    for uninstall in _installed.values():
        uninstall()
    _installed.clear()
    module.finish(how or uncaught.ended() or "finished")
    steps.reset()
    uncaught.uninstall()
    if _state["recording"]:
        _state["recording"]._end()
        _state["recording"] = None


def _program():
    """The program's name; a notebook's is that of its file, where its server says it, not that of what starts its kernel."""
    name = os.path.basename(sys.argv[0]) or "python"
    if name != "ipykernel_launcher.py":
        return name
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    said = getattr(shell, "user_ns", {}).get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME", "")
    file = os.path.basename(str(said))
    return file if file.endswith(".ipynb") else "notebook"


def _write_facts(facts):
    from tapescope.version import __version__
    facts = {"name": _program(), "language": "python", "bridge": __version__, **facts}
    for key, value in facts.items():
        module.fact(key, str(value))


def _begin():
    _state["active"] = True
    _say(uncaught.install())
    if not _state["at_exit"]:
        _state["at_exit"] = True
        atexit.register(finish)
    for framework in _HOOKED:
        if framework in sys.modules and hasattr(sys.modules[framework], "__version__"):
            _install(framework)
    if not _state["watching"]:
        _state["watching"] = True
        sys.meta_path.insert(0, _Finder())


def _install(framework):
    if framework in _installed or not _state["active"]:
        return
    try:
        hooks = importlib.import_module(f"tapescope.{framework}")
        if framework in _FRAMEWORKS:
            module.fact("framework", framework)
            module.fact("version", sys.modules[framework].__version__)
        uninstall, missing = hooks.install()
    except Exception as error:  # the program is not to fail because of us
        print(f"tapescope: {framework} {sys.modules[framework].__version__} is not recorded: {error}", file=sys.stderr)
        return
    _installed[framework] = uninstall
    _say(missing)


def _say(missing):
    """What a version lacks, a sentence each."""
    for sentence in missing:
        print(f"tapescope: {sentence}", file=sys.stderr)


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for a framework to be imported; finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name not in _HOOKED or name in _installed or not _state["active"]:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is None or spec.loader is None:
            return spec
        spec.loader = _Loader(spec.loader, name)
        return spec


class _Loader(importlib.abc.Loader):
    """The framework's own loader, and the hooks right after it."""

    def __init__(self, loader, name):
        self._loader, self._name = loader, name

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, loaded):
        loaded.__spec__.loader = loaded.__loader__ = self._loader
        self._loader.exec_module(loaded)
        _install(self._name)
