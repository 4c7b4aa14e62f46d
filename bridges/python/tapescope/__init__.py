"""Shows TensorFlow and PyTorch programs in Tapescope: what each op and tape did, and why a gradient is None, zero or not finite.

Importing the package sets no hook. `python -m tapescope PROGRAM` runs a program unchanged; in a program, `tapescope.record(FILE)` records
from there on, or for a block as a context manager.
"""
from tapescope.session import explain, finish, listen, record
from tapescope.steps import pause, scalar, step
from tapescope.names import name
from tapescope.version import __version__

__all__ = ["__version__", "explain", "finish", "listen", "name", "pause", "record", "scalar", "step"]
