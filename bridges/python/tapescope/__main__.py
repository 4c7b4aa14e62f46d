"""Runs a Python program under Tapescope, unchanged. Without options: in the window where there is a display, else what Tapescope has
to say of the run is printed when it has ended."""
import argparse
import io
import os
import runpy
import signal
import sys
import tempfile
import types

USAGE = "python -m tapescope [--record FILE] [--listen | --wait] [--gui] [--values RULE] [--why] (PROGRAM | -m MODULE | -c CODE) ARGS…"


def _options(arguments):
    """Our options, and the program with its own: everything from the program's name on is the program's."""
    parser = argparse.ArgumentParser(prog="python -m tapescope", usage=USAGE, description=__doc__, allow_abbrev=False)
    parser.add_argument("--record", metavar="FILE", help="records the run into FILE")
    parser.add_argument("--listen", action="store_true", help="lets the window attach")
    parser.add_argument("--wait", action="store_true", help="stands before the program's first line until a window attaches and lets it go on")
    parser.add_argument("--gui", action="store_true", help="opens the window on the run")
    parser.add_argument("--why", action="store_true", help="PyTorch: sees every call, so that each None, zero and error is explained")
    parser.add_argument("--values", metavar="RULE", help="steps whose values the recording keeps")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="runs a module, as python -m")
    parser.add_argument("-c", dest="code", metavar="CODE", help="runs a text, as python -c")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    head, tail = arguments, []
    for index, word in enumerate(arguments):
        if word in ("-m", "-c") and index + 1 < len(arguments):
            head, tail = arguments[:index + 2], arguments[index + 2:]
            break
        if not word.startswith("-") and (index == 0 or arguments[index - 1] not in ("--record", "--values")):
            head, tail = arguments[:index], arguments[index:]
            break
    options = parser.parse_args(head)
    options.rest = tail
    if not options.module and options.code is None and not tail:
        parser.error("no program was given")
    return options


def _run(options):
    if options.module:
        sys.argv = [options.module] + options.rest
        sys.path[0] = os.getcwd()
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    elif options.code is not None:
        sys.argv = ["-c"] + options.rest
        sys.path[0] = ""
        exec(compile(options.code, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    else:
        program = options.rest[0]
        sys.argv = options.rest
        sys.path[0] = os.path.dirname(os.path.abspath(program))
        if program.endswith((".pyc", ".pyz", ".zip")):
            runpy.run_path(program, run_name="__main__")
        else:
            _run_text(os.path.abspath(program))


def _run_text(path):
    """As python does: tracebacks and `__file__` have the whole path, however the program was named; what it makes lives until the end."""
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=__builtins__)
    exec(code, main.__dict__)


def main():
    options = _options(sys.argv[1:])
    import tapescope
    from tapescope import application
    program = options.module or ("-c" if options.code is not None else options.rest[0])
    if not options.module and options.code is None and not os.path.isfile(program):
        print(f"tapescope: there is no program {program}; give the path of a Python file", file=sys.stderr)
        return 2
    if options.values:
        os.environ["TAPESCOPE_RECORD_VALUES"] = options.values
    facts = {"name": os.path.basename(program)}
    folder = None
    wanted = os.environ.get("TAPESCOPE_LISTEN", "0")
    options.wait |= wanted == "wait"
    if options.wait:
        os.environ.pop("TAPESCOPE_LISTEN", None)  # what the program starts does not wait as well
    options.listen |= options.wait or wanted not in ("", "0")
    if not (options.record or options.listen or options.gui):
        options.gui = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and application.path() is not None
        if not options.gui:
            folder = tempfile.TemporaryDirectory(prefix="tapescope-")
            options.record = os.path.join(folder.name, "run.tape")
            options.why = True  # the answers are all that is seen of the run
    why = options.why or None
    try:
        if options.record:
            tapescope.session.record(options.record, why, **facts)
        if options.listen or options.gui:
            tapescope.session.listen(why=why, **facts)
        if options.gui:
            application.show()
        if options.wait:
            tapescope.session.listen(wait=True, **facts)
    except KeyboardInterrupt:
        return _end_by_signal()
    except OSError as error:
        print(f"tapescope: {error}", file=sys.stderr)
        return 3
    try:
        return _run_to_the_end(options)
    finally:
        if folder:
            application.explain(options.record)
            folder.cleanup()


def _end_by_signal():
    """Ctrl+C ends the process as it ends python: by the signal, for who waits for it to see."""
    from tapescope import _tapescope as module
    module.end_by_signal(signal.SIGINT)
    return 128 + signal.SIGINT


def _run_to_the_end(options):
    """The program, from its first line to the end of its recording; returns its exit code."""
    import tapescope
    from tapescope import uncaught
    how = "finished"
    try:
        _run(options)
    except SystemExit as end:
        how = "finished" if end.code in (None, 0) else f"exited with {end.code}"
        raise
    except KeyboardInterrupt as error:
        how = "interrupted"
        uncaught.end(error)
        return _end_by_signal()
    except BaseException as error:
        how = uncaught.sentence(error)
        return uncaught.end(error)
    finally:
        tapescope.finish(how)
    return 0


if __name__ == "__main__":
    sys.exit(main())
