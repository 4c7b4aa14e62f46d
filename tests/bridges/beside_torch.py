"""What PyTorch's profiler, its anomaly mode, torchlens and Tapescope say about the faulty programs of programs/beside.

usage: beside_torch.py PACKAGE_FOLDER TAPESCOPE [--check | NAME...]   (with a Python that has PyTorch and, but for --check, torchlens)
docs/pytorch-tools.md quotes it; --check looks whether Tapescope still says what is quoted of it, and torchlens, where it is installed.
"""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs" / "beside"
PAGE = HERE.parent.parent / "docs" / "pytorch-tools.md"
TOOLS = ("profiler", "anomaly", "torchlens")


def load(name):
    import torch
    torch.manual_seed(0)
    spec = importlib.util.spec_from_file_location(name, PROGRAMS / f"{name}.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def two_steps(program):
    try:
        program.step()
        program.step()
    except RuntimeError:
        traceback.print_exc(limit=-1)


def profiler(name):
    from torch.profiler import ProfilerActivity, profile
    program = load(name)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        two_steps(program)
    for row in sorted(seen.key_averages(), key=lambda row: -row.self_cpu_time_total)[:5]:
        print(f"{row.key}: {row.self_cpu_time_total:.0f} us, {row.count} calls, {row.self_cpu_memory_usage} bytes")


def anomaly(name):
    import torch
    warnings.simplefilter("always")
    program = load(name)
    with torch.autograd.set_detect_anomaly(True):
        two_steps(program)


def torchlens(name):
    import torchlens as lens
    program = load(name)
    trace = lens.trace(program.model, program.inputs)
    print(trace)
    print("nonfinite_verdict:", trace.nonfinite_verdict)


def explained(folder, tapescope, name):
    """What the program printed as an error, and the answers."""
    environment = {**os.environ, "PYTHONPATH": folder}
    with tempfile.TemporaryDirectory() as scratch:
        tape = os.path.join(scratch, "run.tape")
        run = subprocess.run([sys.executable, "-B", "-m", "tapescope", "--why", "--record", tape, PROGRAMS / f"{name}.py"], env=environment,
                             capture_output=True, text=True, timeout=300, check=False)
        return run.stderr, subprocess.run([tapescope, "explain", tape], capture_output=True, text=True, timeout=60, check=False).stdout


def quoted(tool):
    """{program: lines that the page quotes of a tool}."""
    sections = re.split(r"^## (\w+)\.py$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {name: [line.strip() for block in re.findall(rf"^```{tool}\n(.*?)^```", text, flags=re.M | re.S) for line in block.splitlines() if line.strip()]
            for name, text in zip(sections[1::2], sections[2::2])}


def run_tool(tool, name):
    return subprocess.run([sys.executable, "-B", __file__, tool, name], capture_output=True, text=True, check=False)


def check_torchlens():
    """How many lines that the page quotes of torchlens it does not print, each of them named."""
    wrong = 0
    for name, lines in sorted(quoted("torchlens").items()):
        said = [line.strip() for line in run_tool("torchlens", name).stdout.splitlines()] if lines else []
        for line in lines:
            if line not in said:
                wrong += 1
                print(f"{name}: torchlens does not print this: {line}")
    return wrong


def check(folder, tapescope):
    lines, wrong = quoted("tapescope"), 0
    names = {path.stem for path in PROGRAMS.glob("*.py")}
    if set(lines) != names or not all(lines.values()):
        print(f"the page's programs are {sorted(lines)}, the folder's {sorted(names)}, and each is to be quoted")
        return 1
    for name in sorted(names):
        said = [line.strip() for line in explained(folder, tapescope, name)[1].splitlines()]
        for line in lines[name]:
            if line not in said:
                wrong += 1
                print(f"{name}: this is not said any more: {line}")
    print(f"{len(names)} programs, {sum(map(len, lines.values()))} lines quoted, {wrong} wrong")
    if importlib.util.find_spec("torchlens"):
        wrong += check_torchlens()
    return 1 if wrong else 0


def main():
    if sys.argv[1] in TOOLS:
        return globals()[sys.argv[1]](sys.argv[2])
    folder, tapescope = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if sys.argv[3:] == ["--check"]:
        return check(folder, tapescope)
    for name in sys.argv[3:] or sorted(path.stem for path in PROGRAMS.glob("*.py")):
        print(f"==== {name}: {load(name).__doc__}")
        for tool in TOOLS:
            run = run_tool(tool, name)
            print(f"---- {tool}\n{run.stdout}{run.stderr}")
        print("---- tapescope", *explained(folder, tapescope, name), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
