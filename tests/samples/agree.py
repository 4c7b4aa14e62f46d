"""Compares what `tapescope explain` says of each sample's variants with what it says of their recordings: agree.py TAPESCOPE"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "programs"))
import said  # noqa: E402


def document(*command):
    return json.loads(subprocess.run([*command, "--json", "-"], capture_output=True, check=True, timeout=300).stdout)


def main():
    tapescope, = sys.argv[1:]
    differences, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        tape = f"{folder}/run.tape"
        for sample in document(tapescope, "list")["samples"]:
            for variant in sample["variants"]:
                chosen = [sample["name"], "--variant", variant]
                subprocess.run([tapescope, "run", *chosen, "--record", tape], capture_output=True, check=True, timeout=300)
                differences += said.differences(" ".join(chosen), "sample", document(tapescope, "explain", *chosen), "recording",
                                                document(tapescope, "explain", tape))
                count += 1
    print("\n".join([*differences, f"{count} variants compared, {len(differences)} differences"]))
    return 1 if differences or not count else 0


if __name__ == "__main__":
    sys.exit(main())
