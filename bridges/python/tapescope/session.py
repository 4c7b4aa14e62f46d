"""Begins and ends recordings; sets the hooks once a framework is there."""
import atexit
import importlib.abc
import importlib.util
import os
import sys

from tapescope import _tapescope as module
from tapescope.steps import steps

_installed = {}  # framework -> what uninstalls it
_state = {"active": False, "watching": False, "at_exit": False}
_FRAMEWORKS = ("tensorflow", "torch")


class Recording:
    """What record() returns: ends with its block, or with the program."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        finish("finished" if kind is None else f"ended by {kind.__name__}")


def record(path, **facts):
    """Records this process into a file from here on. Raises OSError where the file cannot be written."""
    path = os.fspath(path)
    _write_facts(facts)
    problem = module.record(path)
    if problem:
        raise OSError(problem)
    _begin()
    return Recording(path)


def listen(wait=False, **facts):
    """Lets Tapescope's window attach to this process. `wait`: returns once one has and lets the program go on. Raises OSError where it cannot."""
    _write_facts(facts)
    problem = module.listen()
    if problem:
        raise OSError(problem)
    _begin()
    if wait:
        module.listen(True)


def finish(how="finished"):
    """Ends the recording and takes the hooks away."""
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
    module.finish(how)
    steps.reset()


def _write_facts(facts):
    from tapescope.version import __version__
    facts = {"name": os.path.basename(sys.argv[0]) or "python", "language": "python", "bridge": __version__, **facts}
    for key, value in facts.items():
        module.fact(key, str(value))


def _begin():
    _state["active"] = True
    if not _state["at_exit"]:
        _state["at_exit"] = True
        atexit.register(finish)
    for framework in _FRAMEWORKS:
        if framework in sys.modules and hasattr(sys.modules[framework], "__version__"):
            _install(framework)
    if not _state["watching"]:
        _state["watching"] = True
        sys.meta_path.insert(0, _Finder())


def _install(framework):
    if framework in _installed or not _state["active"]:
        return
    hooks = importlib.import_module(f"tapescope.{framework}")
    try:
        module.fact("framework", framework)
        module.fact("version", sys.modules[framework].__version__)
        uninstall, missing = hooks.install()
    except Exception as error:  # the program is not to fail because of us
        print(f"tapescope: {framework} {sys.modules[framework].__version__} is not recorded: {error!r}", file=sys.stderr)
        return
    _installed[framework] = uninstall
    for sentence in missing:
        print(f"tapescope: {sentence}", file=sys.stderr)


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for a framework to be imported; finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name not in _FRAMEWORKS or name in _installed or not _state["active"]:
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
