"""Each PyTorch program of the corpus gives the same bits and warnings and draws the same random numbers bare, watched and asked why, and nothing stays replaced.

usage: neutrality_torch.py PACKAGE_FOLDER [NAME...]   (with a Python that has PyTorch)
Without names and without TAPESCOPE_LONG one in six runs: of those that are not asked for answers one in three.
Programs run in children of one process, as importing PyTorch takes longer than most of them.
"""
import contextlib
import importlib.util
import io
import os
import pathlib
import pickle
import sys
import tempfile
import warnings

FOLDER, NAMES = sys.argv[1], sys.argv[2:]
PROGRAMS = pathlib.Path(__file__).parent / "programs" / "torch"
sys.path[:0] = [FOLDER, str(pathlib.Path(__file__).resolve().parent.parent / "support")]

import shares  # noqa: E402
import torch  # noqa: E402
import torch._dynamo  # noqa: E402, a part of what is replaced
import torch._inductor.compile_fx  # noqa: E402, F401, which each program that compiles would import for itself
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

WORKERS = 2  # a program is mostly one thread


def bits(value):
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return str(value.dtype), tuple(value.shape), value.requires_grad, value.contiguous().view(-1).view(torch.uint8).numpy().tobytes()
    return repr(value)


def answers(path):
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    sys.argv = [str(path)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("default")
            spec.loader.exec_module(program)
            found = {name: bits(value) for name, value in program.broken().items()}
            # Of libraries some warn once a process.
            said = [(each.category.__name__, str(each.message), each.lineno) for each in warned if each.filename == str(path)]
            return found, torch.get_rng_state().numpy().tobytes(), said
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class EmptyMode(TorchDispatchMode):
    """Does nothing: how PyTorch runs under any dispatch mode."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def under_a_mode(path):
    with EmptyMode():
        return answers(path)


def replaced():
    """What is not PyTorch's own, of all that hooks replace or register with."""
    module, optimizer = torch.nn.modules.module, sys.modules[torch.optim.Optimizer.__module__]
    owners = [(torch, "compile"), (torch.autograd, "_engine_run_backward"), (torch.autograd.Function, "apply"),
              (torch._dynamo.eval_frame._TorchDynamoContext, "__call__"), (torch._dynamo.symbolic_convert.InstructionTranslatorBase, "log_graph_break")]
    found = {f"{owner.__name__}.{name}": id(getattr(owner, name)) if name != "apply" else id(owner.__dict__[name] if name in owner.__dict__ else None)
             for owner, name in owners}
    for owner, name in ((module, "_global_forward_pre_hooks"), (module, "_global_parameter_registration_hooks"),
                        (optimizer, "_global_optimizer_pre_hooks"), (optimizer, "_global_optimizer_post_hooks")):
        found[name] = len(getattr(owner, name))
    found["modes of functions"] = torch._C._len_torch_function_stack()
    found["modes of dispatch"] = torch._C._len_torch_dispatch_stack()
    return found


def recorded(path, why):
    import tapescope
    before = replaced()
    with tempfile.TemporaryDirectory() as folder:
        with tapescope.record(os.path.join(folder, "run.tape"), why=why):
            from tapescope import torch as hooks
            found = answers(path)
    after = replaced()
    return found, [name for name in before if before[name] != after[name]], hooks.last_failure()


def child(task):
    """Begins the task in a child of this process; returns what waits for its result."""
    read, write = os.pipe()
    number = os.fork()
    if number == 0:
        os.close(read)
        with os.fdopen(write, "wb") as out:
            pickle.dump(task(), out)
        os._exit(0)
    os.close(write)

    def result():
        with os.fdopen(read, "rb") as source:
            content = source.read()
        status = os.waitpid(number, 0)[1]
        return pickle.loads(content) if content else f"ended with status {status}"
    return result


def run(task):
    def alone():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        torch.manual_seed(7)
        return task()
    return child(alone)()


def complaints_of(path):
    """How the program differs where it is recorded."""
    bare = run(lambda: answers(path))
    complaints = [f"bare, it {bare}"] if str(bare).startswith("ended with status") else []
    for why in (False, True):
        found = run(lambda: recorded(path, why))
        same, left, failure = (found if isinstance(found, tuple) else (found, [], ""))
        mode = "asked why" if why else "watched"
        # Under a mode PyTorch makes the view of a reshape by another op, and names that one in errors.
        expected = run(lambda: under_a_mode(path)) if why and same != bare and isinstance(same, str) else bare
        complaints += [] if same == expected else [f"{mode}, other answers: {str(bare)[:300]} became {str(same)[:300]}"]
        complaints += [f"{mode}, {name} stays replaced" for name in left]
        complaints += [f"{mode}, a hook failed: {failure}"] if failure else []
    return complaints


def main():
    paths = [path for path in sorted(PROGRAMS.glob("*.py")) if not NAMES or path.stem in NAMES]
    if not NAMES:
        paths = shares.others(paths, 3)
    parts = [paths[first::WORKERS] for first in range(WORKERS)]
    workers = [child(lambda part=part: {path.stem: complaints_of(path) for path in part}) for part in parts if part]
    found = {}
    for worker in workers:
        result = worker()
        found.update(result if isinstance(result, dict) else {"a worker": [result]})
    for name, complaints in sorted(found.items()):
        for complaint in complaints:
            print(f"{name}: {complaint}")
    alike = sum(not complaints for complaints in found.values())
    print(f"{alike} of {len(paths)} programs run alike")
    return 0 if paths and alike == len(paths) else 1


if __name__ == "__main__":
    sys.exit(main())
