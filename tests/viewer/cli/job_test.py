"""Processes of one job that exchange gradients by MPI, and what is said of their recordings: job_test.py TAPESCOPE."""
import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

tapescope = sys.argv[1]
if not shutil.which("mpirun"):
    print("skipped: Open MPI's mpirun is needed (openmpi-bin)")
    sys.exit(77)

STEPS = 20
# The losses of two processes are those of one but for the order in which floats are added.
ROUNDING = 1e-5


def started(folder, *command, processes=0, code=0, more={}):
    environment = {**os.environ, **more, "XDG_RUNTIME_DIR": folder, "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "HWLOC_COMPONENTS": "-gl"}  # it would end with the display of another test
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes)] if processes else []
    # mpirun passes on what two processes print in pieces, which may part a character.
    done = subprocess.run([*launcher, *command], capture_output=True, encoding="utf-8", errors="replace", cwd=folder, env=environment, timeout=110)
    if processes and "no MPI" in done.stderr:
        print("skipped: this build has no MPI")
        sys.exit(77)
    assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
    return done


def run(folder, variant, *more, processes=0, name="run"):
    """The documents of each rank; recordings NAME-RANK.tape."""
    out = f"{name}-%r.tape" if processes else f"{name}.tape"
    command = [tapescope, "run", "data-parallel", "--variant", variant, "--steps", str(STEPS), "--set", "units=16", "--set", "layers=3", "--record", out, *more]
    if not processes:
        return [json.loads(started(folder, *command, "--json", "-").stdout)]
    # A file for each rank: what all print together would mix.
    started(folder, *command, "--json", "run-%r.json", processes=processes)
    documents = []
    for rank in range(processes):
        with open(os.path.join(folder, f"run-{rank}.json")) as file:
            documents.append(json.load(file))
    return documents


def answer(folder, command, *arguments, code=0):
    return json.loads(started(folder, tapescope, command, *arguments, "--json", "-", code=code).stdout)


def tapes(name, processes=2):
    return [f"{name}-{rank}.tape" for rank in range(processes)]


def on_another_machine(source, target):
    """A copy of a recording whose facts say another start of a machine: what another clock is known by. Its ticks stay, so the truth is known."""
    with open(source, "rb") as file:
        data = file.read()
    out, at = data[:16], 16
    while at < len(data):
        kind, encoding, stored, size, number = struct.unpack_from("<BB2xIIQ", data, at + 4)
        end = at + 32 + stored
        chunk = data[at:end]
        if kind == 1:
            facts = chunk[32:]
            if encoding == 1:
                unpacked = ctypes.create_string_buffer(size)
                assert ctypes.CDLL("libzstd.so.1").ZSTD_decompress(unpacked, size, facts, stored) == size
                facts = unpacked.raw
            if (key := facts.find(b"\x04boot")) >= 0:
                text = slice(key + 6, key + 6 + facts[key + 5])
                facts = facts[: text.start] + facts[text][::-1] + facts[text.stop :]
            header = data[at : at + 4] + struct.pack("<BB2xIIQI", 1, 0, size, size, number, zlib.crc32(facts))
            chunk = header + struct.pack("<I", zlib.crc32(header)) + facts
        out += chunk
        at = end
    with open(target, "wb") as file:
        file.write(out)


def near(a, b):
    return len(a) == len(b) == STEPS and all(abs(x - y) <= ROUNDING * max(abs(x), abs(y)) for x, y in zip(a, b))


with tempfile.TemporaryDirectory() as folder:
    # One process on the whole batch, and two on a half each.
    alone = {variant: run(folder, variant)[0] for variant in ("unoptimized", "optimized", "diverging")}
    assert alone["unoptimized"]["loss"] == alone["optimized"]["loss"] == alone["diverging"]["loss"]
    assert alone["optimized"]["metrics"]["processes"] == 1 and alone["optimized"]["loss"][-1] < alone["optimized"]["loss"][0]
    for variant in ("unoptimized", "optimized"):
        ranks = run(folder, variant, processes=2, name=variant)
        assert [rank["metrics"]["rank"] for rank in ranks] == [0, 1] and ranks[0]["metrics"]["processes"] == 2
        assert ranks[0]["loss"] == ranks[1]["loss"] and near(ranks[0]["loss"], alone[variant]["loss"]), (variant, ranks[0]["loss"], alone[variant]["loss"])
    # 9 variables of 3 hidden layers, in one bucket of 64 KiB and in three of 1 KiB.
    assert ranks[0]["metrics"]["exchanges"] == 1, ranks[0]["metrics"]
    assert run(folder, "optimized", "--set", "bucket_kib=1", processes=2, name="small")[1]["metrics"]["exchanges"] > 2

    # Nothing is wrong with them.
    for variant in ("unoptimized", "optimized"):
        checked = answer(folder, "check", *tapes(variant), "--fail-on", "diverged,none,nonfinite")
        assert checked["fired"] == [] and checked["verdict"] == "nothing_found", checked
    report = answer(folder, "report", *reversed(tapes("optimized")))["job"]
    assert [rank["rank"] for rank in report["ranks"]] == [0, 1] and report["size"] == 2 and report["compared_steps"] == STEPS and not report["missing"], report
    assert all(rank["exchange_us"] > 0 and rank["waits_in"].startswith("Collective") for rank in report["ranks"]), report["ranks"]

    # Of another machine, whose clock counts from elsewhere: aligned by the exchanges, within the error that is said.
    assert all(rank["clock"]["error_us"] == 0 and rank["clock"]["exchanges"] == 0 for rank in report["ranks"]), report["ranks"]
    assert "clocks:" not in started(folder, tapescope, "explain", *tapes("optimized")).stdout
    on_another_machine(f"{folder}/optimized-1.tape", f"{folder}/far-1.tape")
    aligned = answer(folder, "report", "optimized-0.tape", "far-1.tape")["job"]
    between, said = (ranks[1]["clock"]["offset_us"] - ranks[0]["clock"]["offset_us"] for ranks in (report["ranks"], aligned["ranks"]))
    clock = aligned["ranks"][1]["clock"]
    assert clock["exchanges"] >= STEPS - 2 and 0 < clock["error_us"] and abs(said - between) <= clock["error_us"], (between, said, clock)
    for command in ("explain", "check"):
        text = started(folder, tapescope, command, "optimized-0.tape", "far-1.tape", *(["--fail-on", "diverged"] if command == "check" else [])).stdout
        assert "has another clock than rank 0: aligned within ± " in text, text

    # One trace of both, which says the error; what exchanged nothing with the other has no place on its clock.
    started(folder, tapescope, "export", "optimized-0.tape", "--with", "far-1.tape", "--format", "perfetto", "-o", "trace.json")
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as file:
        assert "(clock aligned within " in file.read()
    refused = started(folder, tapescope, "export", "unoptimized-0.tape", "--with", "far-1.tape", "--format", "perfetto", "-o", "apart.json", code=3)
    assert "another clock" in refused.stderr and "no exchange" in refused.stderr, refused.stderr

    # Replicas that part: no loss shows it.
    assert len(run(folder, "diverging", processes=2, name="diverging")) == 2
    checked = answer(folder, "check", *tapes("diverging"), code=1)
    (diverged,) = [fired for fired in checked["fired"] if fired["kind"] == "diverged"]
    assert "from step 1 on" in diverged["message"] and diverged["ranks"] == [1] and "same seed" in diverged["fix"], diverged
    assert "dense1/kernel" in diverged["subject"] and "data_parallel.cpp" in diverged["location"], diverged
    explained = started(folder, tapescope, "explain", *tapes("diverging")).stdout
    assert "diverged: " in explained and "--- all ranks" in explained or "--- rank" in explained, explained

    # A straggler, and a None that one rank has alone.
    run(folder, "optimized", "--set", "slow_rank=1", "--set", "slow_ms=15", processes=2, name="slow")
    checked = answer(folder, "check", *tapes("slow"), code=1)
    (straggler,) = [fired for fired in checked["fired"] if fired["kind"] == "straggler"]
    assert straggler["ranks"] == [1] and "wait" in straggler["message"] and "not in the time of its ops" in straggler["message"], straggler
    run(folder, "optimized", "--set", "skip_rank=0", processes=2, name="skip")
    checked = answer(folder, "check", *tapes("skip"), code=1)
    (none,) = [fired for fired in checked["fired"] if fired["kind"] == "none"]
    assert none["ranks"] == [0] and none["subject"] == "scale", none
    (only,) = [finding for finding in answer(folder, "explain", *tapes("skip"))["job"]["findings"] if finding["kind"] == "only"]
    assert only["ranks"] == [0] and only["alert"] == "none" and only["message"].startswith("in rank 0 alone: "), only

    # Steps are not run again for their values: the ranks would do so from different checkpoints, and wait for one another.
    run(folder, "optimized", "--record-values", "every:2", processes=2, name="values")
    assert answer(folder, "report", *tapes("values"))["job"]["compared_steps"] == STEPS

    # A rank that is missing is named; recordings that are no job are refused.
    run(folder, "optimized", processes=3, name="three", *["--set", "batch=255"])
    assert answer(folder, "report", "three-0.tape", "three-2.tape")["job"]["missing"] == [1]
    for files, words in ((["optimized-0.tape", "optimized-0.tape"], "both of rank 0"), (["optimized-0.tape", "diverging-1.tape"], "of one job"),
                         (["optimized-0.tape", "run.tape"], "does not say which rank"), (["optimized-0.tape", "data-parallel"], "is no recording")):
        refused = started(folder, tapescope, "explain", *files, code=2)
        assert words in refused.stderr, (files, refused.stderr)
    assert "cannot be divided" in started(folder, tapescope, "run", "data-parallel", "--set", "batch=255", processes=2, code=2).stderr

    # Where Open MPI is not installed everything runs but a job, which says what to install. Found first, a file that is no library is as good as none.
    open(os.path.join(folder, "libmpi.so.40"), "w").close()
    command, without = [tapescope, "run", "data-parallel", "--steps", "2"], {"LD_LIBRARY_PATH": folder}
    started(folder, *command, more=without)
    refused = started(folder, *command, code=3, more={**without, "OMPI_COMM_WORLD_SIZE": "2"})
    assert "install openmpi-bin" in refused.stderr and "libmpi.so.40" in refused.stderr, refused.stderr
