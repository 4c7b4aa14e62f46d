"""How often a program that is recorded enters Python code of the package: what a hook costs, without a clock."""
import os
import sys
import tempfile


def python_calls(load, **how):
    """Calls of the package's functions while `load` runs once, after it has met its lines and types. `how`: keywords of tapescope.record."""
    import tapescope
    folder = os.path.dirname(tapescope.__file__)
    programs = os.path.join(folder, "programs")
    count = 0

    def hear(frame, event, _):
        nonlocal count
        file = frame.f_code.co_filename
        count += event == "call" and file.startswith(folder) and not file.startswith(programs)

    with tempfile.NamedTemporaryFile(suffix=".tape") as file, tapescope.record(file.name, **how):
        load()
        load()
        sys.setprofile(hear)
        try:
            load()
        finally:
            sys.setprofile(None)
    return count
