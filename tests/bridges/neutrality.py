"""Each TensorFlow program of the corpus gives the same bits with and without hooks, and nothing stays replaced.

usage: neutrality.py PACKAGE_FOLDER [NAME...]   (with a Python that has TensorFlow)
Without names and without TAPESCOPE_LONG one in four runs: of those that are not asked for answers every second.
Programs run in children of one process, as importing TensorFlow takes longer than all of them.
"""
import importlib.util
import os
import pathlib
import pickle
import sys
import tempfile

FOLDER, NAMES = sys.argv[1], sys.argv[2:]
PROGRAMS = pathlib.Path(__file__).parent / "programs" / "tensorflow"
sys.path[:0] = [FOLDER, str(pathlib.Path(__file__).resolve().parent.parent / "support")]
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402,F401
import shares  # noqa: E402
import tensorflow as tf  # noqa: E402


def bits(value):
    """A gradient's type, shape and bytes; of slices and ragged tensors those of their parts."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [bits(item) for item in value]
    parts = tf.nest.flatten(value, expand_composites=True)
    return [(part.dtype.name, tuple(part.shape), part.numpy().tobytes()) if hasattr(part, "numpy") else repr(part) for part in parts]


def answers(path):
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    sys.argv = [str(path)]
    try:
        spec.loader.exec_module(program)
        return {name: bits(value) for name, value in program.broken().items()}
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def replaced():
    """What is not TensorFlow's own, of all that hooks replace."""
    from tapescope.tensorflow import versions as v
    watched = [(v.pywrap_tfe, "TFE_Py_FastPathExecute"), (v.pywrap_tfe, "TFE_Py_Execute"), (v.record, "record_operation"),
               (v.record, "stop_recording"), (v.constant_op, "convert_to_eager_tensor"), (v.imperative_grad, "imperative_grad"),
               (v.resource_variable_ops, "variable_accessed"), (v.backprop.GradientTape, "gradient"), (v.backprop.GradientTape, "watch")]
    return {f"{owner.__name__}.{name}": id(getattr(owner, name)) for owner, name in watched}


def recorded(path):
    import tapescope
    before = replaced()
    with tempfile.TemporaryDirectory() as folder:
        with tapescope.record(os.path.join(folder, "run.tape")):
            found = answers(path)
    after = replaced()
    return found, [name for name in before if before[name] != after[name]], tapescope._tapescope.swallowed()


def in_child(task):
    """The task's result, from a child of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        with os.fdopen(write, "wb") as out:
            pickle.dump(task(), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        content = source.read()
    status = os.waitpid(child, 0)[1]
    return pickle.loads(content) if content else f"ended with status {status}"


def main():
    paths = [path for folder in ("short", "long") for path in sorted((PROGRAMS / folder).glob("*.py")) if not NAMES or path.stem in NAMES]
    if not NAMES:
        paths = shares.others(paths, 2)
    wrong = 0
    for path in paths:
        bare = in_child(lambda: answers(path))
        found = in_child(lambda: recorded(path))
        same, left, errors = (found if isinstance(found, tuple) else (found, [], (0, "")))
        complaints = [] if same == bare else [f"other answers: {str(bare)[:80]} became {str(same)[:80]}"]
        complaints += [f"{name} stays replaced" for name in left]
        complaints += [f"{errors[0]} hooks failed, the first by {errors[1]}"] if errors[0] else []
        wrong += bool(complaints)
        for complaint in complaints:
            print(f"{path.parent.name}/{path.stem}: {complaint}")
    print(f"{len(paths) - wrong} of {len(paths)} programs run alike")
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
