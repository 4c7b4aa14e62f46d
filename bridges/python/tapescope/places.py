"""Which code is the user's: neither Python's, nor an installed library's, nor ours."""
import functools
import os
import site
import sys
import sysconfig


def _library_folders():
    folders = [sysconfig.get_paths().get(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += site.getsitepackages() if hasattr(site, "getsitepackages") else []
    folders.append(site.getusersitepackages() if hasattr(site, "getusersitepackages") else None)
    folders.append(os.path.dirname(os.path.abspath(__file__)))
    return tuple({os.path.join(os.path.realpath(folder), "") for folder in folders if folder} |
                 {os.path.join(folder, "") for folder in folders if folder})


_FOLDERS = _library_folders()
# A library of another environment, which PYTHONPATH or a .pth file added, is a library.
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
# Programs of ours that are looked at as a user's.
_PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "")
_WRITTEN = ("<stdin>", "<string>", "<ipython-input")


@functools.lru_cache(maxsize=4096)
def is_user(path):
    """Whether code of that file is the user's own; None where TensorFlow's autograph wrote it from the user's."""
    if path.startswith("<"):
        return path.startswith(_WRITTEN)
    if "__autograph_generated_file" in path:
        return None
    path = os.path.abspath(path)
    if path.startswith(_PROGRAMS):
        return True
    return not path.startswith(_FOLDERS) and not any(folder in path for folder in _INSTALLED) and not path.startswith(_frameworks())


def _frameworks():
    """Folders of the frameworks that are imported, which may be built in place, or lie in a folder of PYTHONPATH."""
    found = []
    for name in ("torch", "tensorflow", "keras", "numpy"):
        for folder in getattr(sys.modules.get(name), "__path__", ()):
            found += [os.path.join(folder, ""), os.path.join(os.path.realpath(folder), "")]
    return tuple(found)
