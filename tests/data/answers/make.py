"""Records programs of the corpus and variants of the samples: make.py BUILD FOLDER NAME...

FOLDER is cpp, tensorflow, torch, samples or jobs; NAME a program of tests/programs or tests/bridges/programs, or SAMPLE[.VARIANT[.PARAMETER=VALUE]...],
which runs in three processes for a job.
TAPESCOPE_TENSORFLOW_PYTHON and TAPESCOPE_TORCH_PYTHON are the interpreters. A recording is kept where the answer about it agrees with the truth
that stands beside the program. Programs run where no folder and no name of this machine is seen: in mounts of a namespace, which needs root.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1]
sys.path.insert(0, str(TESTS / "programs"))
sys.dont_write_bytecode = True

# What programs see.
HOME, OPT = pathlib.Path("/", "home", "user"), pathlib.Path("/", "opt")
BOOT = "/proc/sys/kernel/random/boot_id"


def mount(*words):
    subprocess.run(["mount", *map(str, words)], check=True)


def furnish(build, folder):
    """Neutral folders, a neutral host and boot, for this process and those that it starts."""
    subprocess.run(["hostname", "machine"], check=True)
    python = pathlib.Path(os.environ.get(f"TAPESCOPE_{folder.upper()}_PYTHON", sys.executable))
    base = pathlib.Path(subprocess.run([python, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True, check=True).stdout.strip())
    room = pathlib.Path(tempfile.mkdtemp())
    mount("-t", "tmpfs", "none", room)
    parts = {OPT / "python": base, OPT / "framework": python.parent.parent, OPT / "tapescope": build / "python", OPT / "build": build,
             HOME / "programs": TESTS / ("programs" if folder == "cpp" else "bridges/programs"), HOME / "kept": HERE / folder}
    for index, part in enumerate(parts.values()):
        (room / str(index)).mkdir()
        mount("--bind", part, room / str(index))
    (room / "boot").write_text("00000000-0000-4000-8000-000000000000\n")
    mount("--bind", room / "boot", BOOT)
    (room / "pyvenv.cfg").write_text(f"home = {OPT}/python/bin\ninclude-system-site-packages = false\n")
    (room / "bin").mkdir()
    (room / "bin/python").symlink_to(OPT / "python/bin/python3")
    for place in (HOME.parent, OPT):
        mount("-t", "tmpfs", "none", place)
    for index, place in enumerate(parts):
        place.mkdir(parents=True)
        mount("--bind", room / str(index), place)
    if folder in ("tensorflow", "torch"):
        mount("--bind", room / "bin", OPT / "framework/bin")
        mount("--bind", room / "pyvenv.cfg", OPT / "framework/pyvenv.cfg")
    os.chdir(HOME)


def surroundings(**more):
    return {"PATH": f"{OPT}/framework/bin:/usr/bin:/bin", "HOME": str(HOME), "LANG": "C.UTF-8", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(OPT / "tapescope"), **more}


def record_natives(names):
    for name in names:
        subprocess.run([OPT / "build/tests/programs" / name], env=surroundings(TAPESCOPE_RECORD=str(HOME / f"kept/{name}.tape")), check=False, timeout=120)


def record_samples(names, folder):
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"] if folder == "jobs" else []
    ending = "-%r.tape" if launcher else ".tape"
    for name in names:
        sample, *rest = name.split(".")
        settings = [word for part in rest[1:] for word in (("--steps", part[6:]) if part.startswith("steps=") else ("--set", part))]
        variant = ["--variant", rest[0]] if rest else []
        subprocess.run([*launcher, OPT / "build/tapescope", "run", sample, *variant, *settings, "--record", HOME / f"kept/{'-'.join([sample, *rest[:1]])}{ending}"],
                       env=surroundings(HWLOC_COMPONENTS="-gl"), stdout=subprocess.DEVNULL, check=False, timeout=120)


def record_scripts(framework, names):
    process = subprocess.Popen([OPT / "framework/bin/python", "-B", HOME / "programs/forked.py", OPT / "tapescope", framework], env=surroundings(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for name in names:
        program = next((HOME / "programs" / framework).rglob(f"{name}.py"))
        asked = {"program": str(program), "tape": str(HOME / f"kept/{name}.tape"), "log": str(HOME / "log")}
        print(json.dumps(asked), file=process.stdin, flush=True)
        assert process.stdout.readline() == "done\n", process.wait()
    process.stdin.close()
    process.wait()


def truth_of(folder, name):
    """The folder of a program, its truth and the lines that are marked in its text."""
    where = TESTS / "programs" if folder == "cpp" else TESTS / "bridges/programs" / folder
    for file in where.rglob("truth.json"):
        found = json.loads(file.read_text(encoding="utf-8"))["programs"].get(name)
        if found:
            text = (file.parent / f"{name}{'.cpp' if folder == 'cpp' else '.py'}").read_text(encoding="utf-8").split("\n")
            ends = [(number, mark.group(1)) for number, line in enumerate(text, 1) if (mark := re.search(r"(?://|#)([!~])\s*$", line))]
            return file.parent, found, {kind: [number for number, mark in ends if mark == kind] for kind in "!~"}
    raise SystemExit(f"there is no truth of {name}")


def missed(tapescope, folder, name):
    """What the answer says otherwise than the truth."""
    import score
    place, truth, marks = truth_of(folder, name)
    assert not truth.get("held_out"), f"{name} is held out: its answer is not looked at"
    said = subprocess.run([tapescope, "explain", HERE / folder / f"{name}.tape", "--json", "-"], cwd=place, capture_output=True, text=True,
                          check=False).stdout
    return score.score(truth, json.loads(said or "{}"), marks)[2]


def main():
    build, folder, *names = sys.argv[1:]
    build = pathlib.Path(build).resolve()
    if os.environ.get("TAPESCOPE_FURNISHED") != "1":
        (HERE / folder).mkdir(exist_ok=True)
        inside = {**os.environ, "TAPESCOPE_FURNISHED": "1"}
        subprocess.run(["unshare", "-m", "--uts", sys.executable, "-B", __file__, build, folder, *names], env=inside, check=True)
        for name in names if folder not in ("samples", "jobs") else []:
            if not (HERE / folder / f"{name}.tape").exists():
                print(f"{name}: no recording")
            elif wrong := missed(build / "tapescope", folder, name):
                print(f"{name}: left out, as the answer misses {', '.join(wrong)}")
                os.remove(HERE / folder / f"{name}.tape")
        return
    furnish(build, folder)
    if folder == "cpp":
        record_natives(names)
    elif folder in ("samples", "jobs"):
        record_samples(names, folder)
    else:
        record_scripts(folder, names)


if __name__ == "__main__":
    main()
