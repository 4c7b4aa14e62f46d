"""What the compiler says of a user's mistakes names the remedy: compile_errors.py COMPILER ROOT."""
import pathlib
import subprocess
import sys
import tempfile

START = '#include "engine/tapescope.h"\nusing namespace tapescope;\nvoid program(Tensor x, Variable w, GradientTape& tape) {\n'
# What a program writes, and what the compiler has to say of it; None where it compiles.
CASES = [
    ("(void)tape.gradient(x, w); (void)x[0]; Function f([](const Tensor& y) { return y; });", None),
    ("Function f([](auto y) { return y; });", "write [](const Tensor& x) in place of"),
    ("(void)x[1.5];", "an_index_is_a_whole_number"),
    ('gradient_of(tape, x, std::vector<std::string>{"w"});', "targets and sources are tensors and variables"),
    ("struct Config {}; Function f([](Config) { return 1.0; }); f(Config());", "object derived from Identity"),
]


def said(compiler, root, body):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "program.cpp")
        source.write_text(START + body + "\n}\n")
        run = subprocess.run([compiler, "-std=c++20", "-I", root, "-fsyntax-only", str(source)], capture_output=True, text=True)
        return run.returncode, run.stderr


def main():
    compiler, root = sys.argv[1:]
    faults = 0
    for body, wanted in CASES:
        code, text = said(compiler, root, body)
        if (code == 0) != (wanted is None) or (wanted or "") not in text:
            faults += 1
            print(f"{body}\n  expected {wanted or 'that it compiles'}, got\n{text[:2000]}")
    sys.exit(1 if faults else print(f"{len(CASES)} programs, all answered"))


main()
