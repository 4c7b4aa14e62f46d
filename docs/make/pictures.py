"""Draws the pictures of the manual with the present program: pictures.py TAPESCOPE [NAME...].

Run by tests/support/xvfb.sh, which gives it a screen. Each picture is one start of the window with a script of its commands (`tapescope gui --script`).
Colours are reduced to 128, which is not seen and makes a file a third as large. Needs ImageMagick and xdotool, for the pictures of jobs Open MPI's
mpirun, and for those of lessons and first hours a Python with TensorFlow or PyTorch: $TAPESCOPE_TENSORFLOW_PYTHON, $TAPESCOPE_TORCH_PYTHON, else those that the tests prepare.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from blocks import BLOCK, file_of

DOCS = pathlib.Path(__file__).resolve().parents[1]
MNIST = ["--sample", "mnist-mlp", "--variant", "optimized"]
EAGER = ["--sample", "mnist-mlp"]
STOPPED = ["steps 4", "break backward hit 3", "run", "wait paused", "step-forward 6"]
ENDED = ["steps 12", "run", "wait idle 60"]


def panel(name, *more):
    return [f"panel {name}", "maximize", *more]


# name: (arguments of `tapescope gui`, lines of the script, size)
PICTURES = {
    "main-window": (EAGER, [*STOPPED], "1400x875"),
    "first-screen": ([], ["wait seconds 1"], "1400x875"),
    "compare-window": (["--sample", "preprocessing", "--compare", "unoptimized,optimized"], ["steps 30", "run", "wait idle 60", "fit"], "1400x875"),
    "first-nan": (["--sample", "nan-hunt", "--variant", "norm-at-zero"], ["steps 6", "run", "wait idle", "next-alert", "focus"], "1400x875"),
    "none-graph": (["--sample", "none-gradients", "--variant", "stop-gradient"], ["run", "wait idle", "fit"], "1280x800"),
    "alerts": (["--sample", "nan-hunt", "--variant", "norm-at-zero"], ["steps 6", "run", "wait idle", "panel alerts", "next-alert"], "1280x800"),
    "gradients": (EAGER, [*ENDED, "panel gradients"], "1280x800"),
    "graph": (EAGER, [*STOPPED, "panel graph", "maximize"], "1280x800"),
    "inspector": (EAGER, [*STOPPED, "panel inspector", "maximize"], "1280x800"),
    "timeline": (EAGER, [*ENDED, *panel("timeline")], "1280x640"),
    "flame": (EAGER, [*ENDED, *panel("flame")], "1280x640"),
    "ops": (EAGER, [*ENDED, *panel("ops")], "1280x640"),
    "source": (EAGER, [*STOPPED, *panel("source")], "1280x800"),
    "functions": (["--sample", "retracing"], ["run", "wait idle 60", *panel("functions")], "1280x640"),
    "memory": (EAGER, [*ENDED, *panel("memory")], "1280x640"),
    "loss": (EAGER, ["steps 60", "run", "wait idle 60", *panel("loss")], "1280x640"),
    "differs": (["--sample", "preprocessing", "--compare", "unoptimized,optimized"], ["steps 30", "run", "wait idle 60", *panel("differs")], "1280x640"),
    "compare": (["--sample", "preprocessing", "--compare", "unoptimized,optimized"], ["steps 30", "run", "wait idle 60", *panel("compare")], "1280x640"),
    "advice": (["--sample", "redundant-ops"], ["steps 12", "run", "wait idle 60", *panel("advice")], "1280x640"),
    "outline": (EAGER, [*ENDED, *panel("outline")], "1280x640"),
    "breakpoints": (EAGER, ["break norm-above 1000", "break nonfinite", "break none", *STOPPED, *panel("breakpoints")], "1280x640"),
    "log": (["--sample", "persistent", "--variant", "non-persistent"], ["run", "wait idle", *panel("log")], "1280x640"),
    "gradient-parts": (["--sample", "gradient-clipping", "--variant", "clipped"],
                       ["steps 12", "break backward hit 12", "run", "wait paused", "step-last", "select source recurrent_kernel", *panel("inspector"),
                        "click inspector/pair/1"], "1400x875"),
}

# Pages with one program, what it needs, lines of the script. The picture is that of its recording; of a program in C++, that of the program.
HOURS = {
    "first-hour-cpp": ("cpp", ["run", "wait idle", "panel source", "next-alert", "fit"]),
    "first-hour-tensorflow": ("tensorflow", ["panel source", "next-alert", "fit"]),
    "first-hour-pytorch": ("torch", ["panel source", "next-alert", "fit"]),
}
# Page of docs/lessons, which program of it is recorded, lines of the script. The picture stands beside the page.
LESSONS = {
    "execution-time": (2, ["panel advice"]),
    "graph-mode": (3, ["panel functions", "fit"]),
    "jacobian": (4, ["panel functions", "fit"]),
    "tutorial": (3, ["panel alerts", "next-alert", "fit"]),
}
# Ranks of the sample data-parallel, what it is run with, lines of the script.
JOBS = {
    "jobs-straggler": (2, ["--variant", "optimized", "--steps", "60", "--set", "slow_rank=1", "--set", "slow_ms=15"], []),
    "jobs-diverged": (4, ["--variant", "diverging", "--steps", "40"], ["click jobs/colour/loss"]),
}
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)


def recorded(tapescope, page, number, framework, program, folder):
    """The recording of a page's program, which has the name `program`; None where no Python has its framework."""
    root = pathlib.Path(tapescope).resolve().parents[1]
    python = os.environ.get(f"TAPESCOPE_{framework.upper()}_PYTHON") or str(root / framework / "bin" / "python")
    tape = folder / "run.tape"
    (folder / program).write_text(PROGRAM.findall((DOCS / page).read_text(encoding="utf-8"))[number - 1], encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(tapescope).resolve().parent / "python"), TF_CPP_MIN_LOG_LEVEL="3", TAPESCOPE_WHY="1")
    try:
        subprocess.run([python, "-m", "tapescope", "--record", str(tape), program], env=environment, cwd=folder, capture_output=True, timeout=180, check=False)
    except FileNotFoundError:
        return None
    return tape if tape.exists() else None


def built(tapescope, page, folder):
    """The page's program in C++, built by the page's own commands against the library installed into the folder."""
    install = ["cmake", "--install", str(pathlib.Path(tapescope).resolve().parent), "--prefix", str(folder / "installed")]
    subprocess.run(install, capture_output=True, check=True)
    environment = dict(os.environ, CMAKE_PREFIX_PATH=str(folder / "installed"))
    for kind, body in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        if name := file_of(kind, body):
            (folder / name).write_text(body, encoding="utf-8")
        elif kind == "sh":
            subprocess.run(["sh", "-e", "-c", body], cwd=folder, env=environment, capture_output=True, check=True)
    return str(folder / "build" / "fit")


def recorded_job(tapescope, processes, arguments, folder):
    """Name of the recordings of a job's ranks; None where it cannot be run."""
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes)]
    try:
        done = subprocess.run([*launcher, tapescope, "run", "data-parallel", *arguments, "--record", "rank-%r.tape"], cwd=folder, capture_output=True, timeout=180, check=False)
    except FileNotFoundError:
        return None
    return str(folder / "rank-%r.tape") if done.returncode == 0 and len(list(folder.glob("rank-*.tape"))) == processes else None


def shoot(tapescope, name, folder):
    if name in LESSONS or name in HOURS:
        if name in LESSONS:
            number, lines = LESSONS[name]
            page, framework, program, picture = f"lessons/{name}.md", "tensorflow", f"{name}.py", f"lessons/{name}.png"
            size = "1200x700"
        else:
            framework, lines = HOURS[name]
            size = "1400x875"
            if framework == "cpp":
                program = built(tapescope, "first-hour/cpp.md", folder)
                take(tapescope, ["--launch", "--", program], lines, size, folder, DOCS / "pictures" / f"{name}.png")
                return
            page, number, program, picture = f"{name.replace('first-hour-', 'first-hour/')}.md", 1, "train.py", f"pictures/{name}.png"
        tape = recorded(tapescope, page, number, framework, program, folder)
        if not tape:
            print(f"{name}: kept as it is, no Python with {framework}; name one in TAPESCOPE_{framework.upper()}_PYTHON", file=sys.stderr)
            return
        take(tapescope, ["--open", str(tape)], lines, size, folder, DOCS / picture)
    elif name in JOBS:
        processes, arguments, lines = JOBS[name]
        tapes = recorded_job(tapescope, processes, arguments, folder)
        if not tapes:
            print(f"{name}: kept as it is, needs Open MPI's mpirun and a build with MPI", file=sys.stderr)
            return
        take(tapescope, ["--job", tapes], ["wait idle", "panel jobs", *lines], "1280x800", folder, DOCS / "pictures" / f"{name}.png")
    else:
        arguments, lines, size = PICTURES[name]
        take(tapescope, arguments, lines, size, folder, DOCS / "pictures" / f"{name}.png")


def take(tapescope, arguments, lines, size, folder, picture):
    file, script, shown = folder / "shot.png", folder / "script", folder / "map.json"
    script.write_text("\n".join(["theme dark", *lines, "wait seconds 1", f"shot {file}", "quit"]) + "\n", encoding="utf-8")
    environment = dict(os.environ, XDG_CONFIG_HOME=str(folder), XDG_CACHE_HOME=str(folder))
    done = subprocess.run([tapescope, "gui", "--size", size, "--script", str(script), "--ui-map", str(shown), *arguments], env=environment, cwd=folder, capture_output=True, text=True,
                          timeout=180, check=False)
    if done.returncode != 0:
        sys.exit(f"{picture.stem}: {done.stderr}")
    # A panel that has nothing to show says so in words, which are no items of the map.
    items = [item["id"] for item in json.loads(shown.read_text(encoding="utf-8"))["items"]]
    for name in (line.removeprefix("panel ") for line in lines if line.startswith("panel ")):
        if not any(item.startswith(f"{name}/") and item != f"{name}/empty" for item in items):
            sys.exit(f"{picture.stem}: the panel {name} shows nothing")
    picture.parent.mkdir(exist_ok=True)
    subprocess.run(["convert", file, "-dither", "none", "-colors", "128", "-strip", f"PNG8:{picture}"], check=True)


@contextlib.contextmanager
def place():
    """A folder for one picture, with the samples' sources. Pictures show its name, so that it is one that may be read."""
    folder = pathlib.Path(tempfile.gettempdir()) / "models"
    try:
        folder.mkdir()
    except FileExistsError:
        folder = pathlib.Path(tempfile.mkdtemp())
    try:
        shutil.copytree(DOCS.parent / "samples", folder / "samples")
        yield folder
    finally:
        shutil.rmtree(folder)


def main():
    # In the middle of the screen the pointer would show a tooltip.
    subprocess.run(["xdotool", "mousemove", "1690", "1090"], check=True)
    for name in sys.argv[2:] or [*PICTURES, *HOURS, *JOBS, *LESSONS]:
        with place() as folder:
            shoot(os.path.abspath(sys.argv[1]), name, folder)
        print(name, flush=True)


if __name__ == "__main__":
    main()
