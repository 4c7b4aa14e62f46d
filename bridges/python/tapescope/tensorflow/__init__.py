"""Hooks for TensorFlow 2: set by the session, taken away with it."""
from tapescope.patches import Patches


def install():
    """Sets the hooks; returns what takes them away, and a sentence for each feature this version does not have."""
    from tapescope.tensorflow import functions, host, ops, replicas, tapes, variables, waits
    patches = Patches()
    for part, lost in ((ops, "ops are not seen"), (variables, "variables are not seen"), (tapes, "tapes and backward passes are not seen"),
                       (host, "values that the program reads are not seen"), (functions, "calls and traces of functions are not seen"), (replicas, "workers of tf.distribute are not compared"),
                       (waits, "what workers wait inside of functions is not seen")):
        try:
            part.install(patches)
        except Exception as error:  # a version that is newer than we know
            patches.missing.append(f"this version of TensorFlow lacks something ({error}): {lost}")
    return patches.undo, patches.missing
