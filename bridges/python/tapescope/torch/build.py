"""The observer in C++: built once against the installed PyTorch, kept in the user's cache, loaded from there."""
import contextlib
import fcntl
import glob
import hashlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time

from tapescope import _tapescope as module

NAME = "tapescope_observer"
_MOST_SECONDS = 600  # of a build on a slow machine
_REPORT_EACH = 5  # seconds, to a window that is attached
_SCRATCH = "tmp-build-"  # folders of builds under way
_UNLOCKED_SECONDS = 10  # from making such a folder to locking it, at most


_failed = []  # what a build of this process ended with: each recording would wait for another one


class Unavailable(Exception):
    """Why there is no observer, in one sentence."""


def _sources():
    """The folder from which it includes, and all its files."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.join(here, "observer")
    if not os.path.isdir(root):
        raise Unavailable("the package lacks the observer's source")
    files = []
    for folder, _, names in os.walk(root):
        files += [os.path.join(folder, name) for name in names if name.endswith((".h", ".cpp"))]
    return root, sorted(files)


def _key(torch, files):
    """What a built observer fits: the same PyTorch, Python and source."""
    said = hashlib.sha256()
    for text in (torch.__version__, str(torch.version.git_version), sys.version, sysconfig.get_platform()):
        said.update(text.encode() + b"\n")
    for file in files:
        with open(file, "rb") as source:
            said.update(source.read())
    return said.hexdigest()[:24]


def cache_folder():
    """Where built observers are kept; $TAPESCOPE_CACHE names another place."""
    return os.environ.get("TAPESCOPE_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tapescope")


def _compiler():
    found = next((path for path in map(shutil.which, (os.environ.get("CXX") or "", "c++", "g++", "clang++")) if path), None)
    if found is None:
        raise Unavailable("no C++ compiler was found (install g++, or name one in $CXX)")
    return found


def _command(torch, root, out):
    base = os.path.dirname(os.path.abspath(torch.__file__))
    include, python = os.path.join(base, "include"), sysconfig.get_paths()["include"]
    if not os.path.isfile(os.path.join(include, "ATen", "record_function.h")):
        raise Unavailable("this PyTorch came without its C++ headers")
    if not os.path.isfile(os.path.join(python, "Python.h")):
        raise Unavailable("Python's headers were not found (install python3-dev)")
    return [_compiler(), "-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-w", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
            f"-I{root}", f"-isystem{include}", f"-isystem{os.path.join(include, 'torch', 'csrc', 'api', 'include')}", f"-isystem{python}",
            os.path.join(root, "bridges", "torch_observer", "observer.cpp"), "-o", out,
            f"-L{os.path.join(base, 'lib')}", "-ltorch_cpu", "-lc10", "-ltorch_python"]


class _Progress:
    """Says that it builds; on a terminal, and to a window, for how long."""

    def __init__(self, text):
        self.text, self.begin, self.terminal = text, time.monotonic(), sys.stderr.isatty()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        print(f"tapescope: {self.text}", end="" if self.terminal else "\n", file=sys.stderr, flush=True)
        if self.terminal:
            self.thread.start()
        self.report(self.text)
        return self

    def wait(self, process):
        """What the process wrote. Raises subprocess.TimeoutExpired."""
        while True:
            try:
                return process.communicate(timeout=_REPORT_EACH)[0]
            except subprocess.TimeoutExpired:
                seconds = time.monotonic() - self.begin
                if seconds > _MOST_SECONDS:
                    raise
                self.report(f"{self.text}; {seconds:.0f} s so far")

    def report(self, text):
        if module.attended():  # no op runs meanwhile that would show how far the program is
            module.message(text, 0)

    def _run(self):
        while not self.done.wait(1):
            print(f"\rtapescope: {self.text} {time.monotonic() - self.begin:.0f} s", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_):
        if self.terminal:
            self.done.set()
            self.thread.join()
            print(file=sys.stderr)


def _locked(folder):
    """A descriptor that holds a lock on a folder until it is closed, be it because its process was killed; None where another holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    except OSError:
        os.close(descriptor)
        return None


def _sweep():
    """Removes what builds that were killed left in the cache. One under way holds a lock; what earlier releases made has none, but an end in time."""
    for place in glob.glob(os.path.join(glob.escape(cache_folder()), "observer-*", "tmp*")):
        with contextlib.suppress(OSError):  # another process sweeps too
            least = _UNLOCKED_SECONDS if os.path.basename(place).startswith(_SCRATCH) else _MOST_SECONDS
            descriptor = _locked(place) if time.time() - os.stat(place).st_mtime > least else None
            if descriptor is not None:
                shutil.rmtree(place, ignore_errors=True)
                os.close(descriptor)


@contextlib.contextmanager
def _scratch(folder):
    """A folder for one build, gone after it. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    _sweep()
    made = tempfile.mkdtemp(prefix=_SCRATCH, dir=folder)
    descriptor = _locked(made)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _build(torch, root, out):
    folder = os.path.dirname(out)
    with contextlib.ExitStack() as stack:
        try:
            scratch = stack.enter_context(_scratch(folder))
        except OSError as error:
            raise Unavailable(f"the cache cannot be written: {error}") from None
        _compile(torch, root, scratch, out)


def _compile(torch, root, scratch, out):
    folder = os.path.dirname(out)
    try:
        made = os.path.join(scratch, NAME + ".so")
        command = _command(torch, root, made)
        # Programs of the user's must not change how it is compiled, nor be preloaded into the compiler.
        environment = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "CPATH", "CPLUS_INCLUDE_PATH")}
        with _Progress(f"building the observer for PyTorch {torch.__version__}, once: this takes up to a minute") as progress:
            said, failed = _run(command, environment, progress)
        if failed:
            log = os.path.join(folder, "build.log")
            with open(log, "w", encoding="utf-8") as file:
                file.write(said)
            raise Unavailable(f"the observer could not be compiled; {log} says why")
        progress.report("the observer is built")
        os.replace(made, out)  # another process may have built it meanwhile: either is right
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"the observer could not be compiled: {error}") from None


def _run(command, environment, progress):
    """(what the compiler wrote, whether it failed); it ends with whatever interrupts the wait."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            return progress.wait(process), process.returncode != 0
        except BaseException:
            process.kill()
            raise


def load():
    """The observer's module. Raises Unavailable."""
    import torch
    if NAME in sys.modules:
        return sys.modules[NAME]
    if os.environ.get("TAPESCOPE_OBSERVER") == "off":
        raise Unavailable("TAPESCOPE_OBSERVER is off")
    root, files = _sources()
    path = os.path.join(cache_folder(), f"observer-{_key(torch, files)}", NAME + ".so")
    if not os.path.isfile(path):
        if _failed:
            raise _failed[0]
        try:
            _build(torch, root, path)
        except Unavailable as problem:
            _failed.append(problem)
            raise
    loader = importlib.machinery.ExtensionFileLoader(NAME, path)
    try:
        module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(NAME, path, loader=loader))
        loader.exec_module(module)
    except ImportError as error:
        raise Unavailable(f"the observer does not load: {error}") from None
    sys.modules[NAME] = module
    return module
