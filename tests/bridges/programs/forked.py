"""Records programs as `python -m tapescope --why --record` does, each in a child of this process, which has imported the framework:
importing takes longer than most programs. forked.py PACKAGE_FOLDER FRAMEWORK takes lines of JSON, {"program", "tape", "log"}, and answers each
with a line when its program has ended.
"""
import importlib
import json
import os
import signal
import sys

LIMIT = 300  # seconds a program may take
IMPORTED = {"torch": ["torch", "torch._inductor.compile_fx"]}  # what programs import first or, by compiling, later


def run(program, tape, log):
    import tapescope.__main__ as command
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    signal.alarm(LIMIT)
    sys.argv = ["tapescope", "--why", "--record", tape, program]
    return command.main()


def main():
    package, framework = sys.argv[1:3]
    sys.path.insert(0, package)
    for name in IMPORTED.get(framework, [framework]):
        importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                run(**asked)
            finally:
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(child, 0)
        print("done", file=answers, flush=True)


if __name__ == "__main__":
    main()
