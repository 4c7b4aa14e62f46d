"""Hooks for TensorFlow 2: set by the session, taken away with it."""
from tapescope.patches import Patches


def install():
    """Sets the hooks; returns what takes them away, and a sentence for each feature this version does not have."""
    from tapescope.tensorflow import functions, host, ops, tapes, variables
    patches = Patches()
    ops.install(patches)
    variables.install(patches)
    tapes.install(patches)
    host.install(patches)
    functions.install(patches)
    return patches.undo, patches.missing
