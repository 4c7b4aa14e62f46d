"""Fails on an include that runs against the order of the rooms: includes.py ROOT | --self-test."""
import posixpath
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)

# What each folder may include besides itself and what lies beside it: entries are folders without those below them, or files.
CORE = ["engine/core"]
EVENTS = CORE + ["engine/events", "engine/events/records"]
# Records hold ids of names, sites and types: their tables are all of core that an explanation knows.
EXPLAIN = ["engine/events", "engine/events/records", "engine/core/ids.h", "engine/core/names.h", "engine/core/public.h", "engine/core/type.h", "engine/core/dtype.h"]
DEBUG = EVENTS + ["engine/debug"]
RECORDING = DEBUG + ["engine/explain", "engine/recording"]
GATE = DEBUG + ["engine/kernels", "engine/gate"]
# What a program adds to its records, the engine's own layers too.
OPS = GATE + ["engine/ops", "engine/program.h"]
TAPE = OPS + ["engine/tape", "engine/explain"]
GRAPH = TAPE + ["engine/graph"]
ENGINE = GRAPH + ["engine/data", "engine/nn", "engine/parallel", "engine/recording", "engine/live", "engine"]
STORE = ENGINE + ["viewer/store"]
MODEL = STORE + ["viewer/model"]
DEBUGGER = MODEL + ["samples", "viewer/debugger"]
UI = DEBUGGER + ["viewer/ui"]
EXPORT = UI + ["viewer/export"]
PANELS = EXPORT + ["viewer/panels"]
WINDOW = PANELS + ["viewer/window"]
BENCH = WINDOW + ["viewer/bench"]
SUPPORT = ["tests/support"]
ROOMS = {
    "engine/core": [],
    "engine/events": CORE + ["engine/events/records"],
    "engine/events/records": CORE,
    "engine/debug": EVENTS,
    "engine/explain": EXPLAIN,
    "engine/recording": DEBUG + ["engine/explain"],
    "engine/live": RECORDING,
    "engine/kernels": CORE,
    "engine/gate": DEBUG + ["engine/kernels"],
    "engine/ops": GATE,
    "engine/ops/creation": OPS,
    "engine/ops/elementwise": OPS,
    "engine/ops/index": OPS,
    "engine/ops/linalg": OPS,
    "engine/ops/list": OPS,
    "engine/ops/nn": OPS,
    "engine/ops/reduce": OPS,
    "engine/ops/shape": OPS + ["engine/ops/index/shared.h"],  # a permutation's checks are those of indices
    "engine/tape": OPS + ["engine/explain"],
    # The executor and the passes know the rows they run and rewrite.
    "engine/graph": TAPE + ["engine/ops/linalg/rows.h", "engine/ops/reduce/rows.h"],
    "engine/graph/passes": GRAPH + ["engine/ops/linalg/rows.h", "engine/ops/reduce/rows.h"],
    "engine/data": OPS,
    # Exchanges between processes, which layers and optimizers know nothing of.
    "engine/parallel": TAPE,
    "engine/nn": GRAPH + ["engine/data"],
    "engine": ENGINE,  # headers for users, outside every room
    "samples": ENGINE,
    # What programs of other frameworks link: no kernels.
    "bridges/native": RECORDING + ["engine/live"],
    # The C interface, and a container that uses nothing.
    "bridges/python/module": ["bridges/native/tapescope_c.h", "bridges/native/tapescope_table.h", "bridges/native/flat_table.h"],
    # Built on the user's machine: the C interface is all there is.
    "bridges/torch_observer": ["bridges/native/tapescope_c.h", "bridges/native/tapescope_table.h"],
    "viewer/store": ENGINE,
    "viewer/model": STORE,
    "viewer/debugger": MODEL + ["samples"],
    "viewer/ui": DEBUGGER,
    "viewer/export": UI,
    "viewer/panels": EXPORT,
    "viewer/window": PANELS,
    "viewer/bench": WINDOW,
    "viewer/cli": BENCH,
}
OURS = ("engine/", "bridges/", "samples/", "viewer/", "tests/")
# Tests may use what they test and all below it.
TESTS = {"tests/engine/": ("engine/", "samples/", "tests/"), "tests/samples/": ("engine/", "samples/", "tests/"),
         "tests/": OURS}
# Where Dear ImGui may be seen; tests of the store, the model and the debugger are free of it as these are.
IMGUI = ("viewer/ui/", "viewer/export/", "viewer/panels/", "viewer/window/", "viewer/bench/", "tests/gui/", "tests/support/",
         "tests/viewer/")
NOT_IMGUI = ("tests/viewer/store/", "tests/viewer/model/", "tests/viewer/debugger/")
EIGEN = ("engine/kernels/",)
# What a program that includes PUBLIC must not reach: listeners of the gate, the debugger, loops.
PUBLIC = "engine/tapescope.h"
INSIDE = ("engine/debug/", "engine/events/", "engine/gate/state.h", "engine/gate/symbol.h", "engine/graph/graph.h",
          "engine/kernels/", "engine/recording/", "engine/tape/storage.h")
PRIVATE_SPACE = re.compile(r"^namespace tapescope(::\w+)? \{(?! *namespace|\n(class|struct) \w+;|\nnamespace \w+ TAPESCOPE_PUBLIC)", re.M)


def circles(arrows):
    """The circles of folders among {(from, to): file}, each as the sorted folders that reach one another."""
    after = {}
    for start, end in arrows:
        after.setdefault(start, set()).add(end)

    def reached(start):
        seen, waiting = set(), [start]
        while waiting:
            for folder in after.get(waiting.pop(), set()) - seen:
                seen.add(folder)
                waiting.append(folder)
        return seen

    reach = {folder: reached(folder) for folder in after}
    return {tuple(sorted(other for other in after if other in reach[folder] and folder in reach[other]))
            for folder in after if folder in reach[folder]}


def room(file):
    """Its folder; headers for users lie outside of every room, each by itself."""
    folder = posixpath.dirname(file)
    return file if folder == "engine" else folder


def reach(arrows, start):
    """What `start` includes, by way of others too: {file: the file that includes it}."""
    by, waiting = {}, [start]
    while waiting:
        file = waiting.pop()
        for target in arrows.get(file, []):
            if target not in by:
                by[target] = file
                waiting.append(target)
    return by


def check(root):
    names = [name for name in tree.files(root) if name.startswith(OURS) and name.endswith((".h", ".cpp", ".inl"))]
    known = set(names)
    complaints, arrows, includes = [], {}, {}
    for name in names:
        folder = posixpath.dirname(name)
        tests = next((rule for place, rule in TESTS.items() if name.startswith(place)), None)
        if tests is None and folder not in ROOMS:
            complaints.append(f"{name}: {folder} has no rule in includes.py; say there what it may include")
            continue
        for include in INCLUDE.findall(tree.text(root, name) or ""):
            beside = posixpath.normpath(posixpath.join(folder, include))
            target = beside if beside in known else posixpath.normpath(include)
            if target.startswith(OURS):
                includes.setdefault(name, []).append(target)
                there = posixpath.dirname(target)
                if tests is not None:
                    allowed = target.startswith(tests)
                else:
                    allowed = there == folder or there in ROOMS[folder] or target in ROOMS[folder]
                    if there != folder:
                        arrows.setdefault((room(name), room(target)), f"{name} includes {target}")
                if not allowed:
                    complaints.append(f"{name}: includes {target}, but {folder} may only use "
                                      f"{', '.join(tests or ROOMS[folder]) or 'itself'}")
            elif re.match(r"imgui", posixpath.basename(include)) and target not in known and (
                    not name.startswith(IMGUI) or name.startswith(NOT_IMGUI)):
                complaints.append(f"{name}: includes {include}; Dear ImGui belongs in viewer/ui and above")
            elif re.match(r"(eigen3/|unsupported/)?Eigen/", include) and not name.startswith(EIGEN):
                complaints.append(f"{name}: includes {include}; Eigen belongs in engine/kernels")
    complaints += [f"{file}: includes {target}, which programs must not reach; {PUBLIC} leads there"
                   for target, file in sorted(reach(includes, PUBLIC).items()) if target.startswith(INSIDE) and not file.startswith(INSIDE)]
    complaints += [f"{name}: its namespace is not TAPESCOPE_PUBLIC (engine/core/public.h), so programs cannot link what {PUBLIC} shows"
                   for name in sorted(reach(includes, PUBLIC)) if PRIVATE_SPACE.search(tree.text(root, name) or "")]
    # The rules allow no circle; this says so even where one is loosened.
    if not complaints:
        complaints += ["circle of folders: " + ", ".join(circle) + " by "
                       + "; ".join(file for (start, end), file in arrows.items() if start in circle and end in circle)
                       for circle in sorted(circles(arrows))]
    return complaints


def inc(target):
    return f'#include "{target}"\n'


PASSING = {
    "engine/core/tensor.h": inc("engine/core/names.h"), "engine/core/names.h": "",
    "engine/events/records/record.h": inc("engine/core/tensor.h"), "engine/debug/stop.h": inc("engine/events/records/record.h"),
    "engine/kernels/gemm.cpp": "#include <Eigen/Dense>\n" + inc("engine/core/tensor.h"),
    "engine/explain/none.h": inc("engine/events/records/record.h") + inc("engine/core/names.h"),
    "engine/gate/op.h": inc("engine/core/names.h"), "engine/gate/op.cpp": inc("engine/events/records/record.h"), "engine/gate/state.h": inc("engine/debug/stop.h"),
    "engine/program.h": inc("engine/core/names.h"), "engine/program.cpp": inc("engine/gate/state.h"),
    "engine/graph/trace.cpp": inc("engine/program.h"), "engine/ops/index.h": inc("engine/gate/op.h"),
    "engine/ops/index/gather.cpp": inc("engine/ops/index.h"),
    "engine/tape/tape.h": inc("engine/ops/index.h") + "namespace tapescope TAPESCOPE_PUBLIC {\n",
    "engine/tape/tape.cpp": inc("engine/explain/none.h"),
    "engine/data/csv.h": inc("engine/ops/index.h"), "engine/parallel/group.h": inc("engine/tape/tape.h"),
    "engine/nn/layer.h": inc("../graph/function.h"), "engine/graph/function.h": inc("engine/tape/tape.h"),
    "engine/live/server.cpp": inc("engine/recording/writer.h"), "engine/recording/writer.h": inc("engine/events/records/record.h"),
    "engine/tapescope.h": inc("engine/nn/layer.h"), "samples/watch.cpp": inc("engine/tapescope.h"),
    "viewer/store/store.h": inc("engine/events/records/record.h"), "viewer/model/layout.h": inc("viewer/store/store.h"),
    "viewer/debugger/run.h": inc("viewer/model/layout.h") + inc("samples/watch.cpp"),
    "viewer/ui/panel.h": "#include <imgui.h>\n" + inc("viewer/debugger/run.h"),
    "viewer/export/svg.h": inc("viewer/model/layout.h"), "viewer/panels/ops.cpp": inc("viewer/ui/panel.h"),
    "viewer/window/window.h": '#include "imgui_impl_glfw.h"\n' + inc("viewer/export/svg.h"),
    "viewer/bench/bench.h": inc("viewer/window/window.h"), "viewer/cli/main.cpp": inc("viewer/bench/bench.h"),
    "tests/viewer/store/store.cpp": inc("viewer/store/store.h"),
    "README.md": '#include "viewer/model/layout.h"\n',
}
FAILING = [
    ("engine/core/shape.cpp", inc("engine/events/records/record.h"), "engine/core may only use"),
    ("engine/core/shape.cpp", "  #  include <engine/kernels/gemm.h>\n", "engine/core may only use"),
    ("engine/events/clock.cpp", inc("engine/debug/stop.h"), "engine/events may only use"),
    ("engine/debug/stop.cpp", inc("engine/gate/op.h"), "engine/debug may only use"),
    ("engine/explain/zero.cpp", inc("engine/core/tensor.h"), "engine/explain may only use"),
    ("engine/recording/reader.cpp", inc("engine/tape/tape.h"), "engine/recording may only use"),
    ("engine/recording/recorder.cpp", inc("engine/live/listen.h"), "engine/recording may only use"),
    ("engine/live/server.cpp", inc("engine/tape/tape.h"), "engine/live may only use"),
    ("engine/kernels/conv.cpp", inc("engine/gate/op.h"), "engine/kernels may only use"),
    ("engine/gate/apply.cpp", inc("engine/ops/index.h"), "engine/gate may only use"),
    ("engine/ops/batch.cpp", inc("../tape/tape.h"), "includes engine/tape/tape.h"),
    ("engine/ops/creation/fill.cpp", inc("engine/ops/index/gather.h"), "engine/ops/creation may only use"),
    ("engine/ops/elementwise/relu.cpp", inc("engine/tape/tape.h"), "engine/ops/elementwise may only use"),
    ("engine/ops/index/sort.cpp", inc("engine/ops/shape/rows.h"), "engine/ops/index may only use"),
    ("engine/ops/linalg/solve.cpp", inc("engine/graph/function.h"), "engine/ops/linalg may only use"),
    ("engine/ops/list/list.cpp", inc("engine/tape/tape.h"), "engine/ops/list may only use"),
    ("engine/ops/nn/conv.cpp", inc("engine/nn/layer.h"), "engine/ops/nn may only use"),
    ("engine/ops/reduce/scan.cpp", inc("engine/ops/linalg/rows.h"), "engine/ops/reduce may only use"),
    ("engine/ops/shape/pad.cpp", inc("engine/ops/index/rows.h"), "engine/ops/shape may only use"),
    ("engine/tape/cursor.cpp", inc("engine/graph/function.h"), "engine/tape may only use"),
    ("engine/graph/trace.cpp", inc("engine/nn/layer.h"), "engine/graph may only use"),
    ("engine/graph/passes/fuse.cpp", inc("engine/nn/layer.h"), "engine/graph/passes may only use"),
    ("engine/parallel/mpi.cpp", inc("engine/nn/layer.h"), "engine/parallel may only use"),
    ("engine/data/idx.cpp", inc("engine/tape/tape.h"), "engine/data may only use"),
    ("engine/nn/adam.cpp", inc("engine/recording/writer.h"), "engine/nn may only use"),
    ("engine/nn/loss.cpp", inc("engine/tapescope.h"), "engine/nn may only use"),
    ("engine/nn/mlp.cpp", inc("samples/sample.h"), "engine/nn may only use"),
    ("engine/watch.cpp", inc("viewer/store/store.h"), "engine may only use"),
    ("engine/nn/layer.h", inc("engine/gate/state.h"), "programs must not reach"),
    ("engine/nn/layer.h", "namespace tapescope {\nclass Layer {};\n", "not TAPESCOPE_PUBLIC"),
    ("engine/new/thing.cpp", "", "has no rule"),
    ("samples/mnist.cpp", inc("viewer/store/store.h"), "samples may only use"),
    ("viewer/store/table.cpp", inc("viewer/model/layout.h"), "viewer/store may only use"),
    ("viewer/model/advice.cpp", inc("viewer/debugger/run.h"), "viewer/model may only use"),
    ("viewer/debugger/run.cpp", inc("viewer/ui/panel.h"), "viewer/debugger may only use"),
    ("viewer/ui/theme.cpp", inc("viewer/export/svg.h"), "viewer/ui may only use"),
    ("viewer/export/png.cpp", inc("viewer/panels/ops.h"), "viewer/export may only use"),
    ("viewer/panels/graph.cpp", inc("viewer/window/window.h"), "viewer/panels may only use"),
    ("viewer/window/window.cpp", inc("viewer/bench/bench.h"), "viewer/window may only use"),
    ("viewer/bench/frame.cpp", inc("viewer/cli/cli.h"), "viewer/bench may only use"),
    ("viewer/cli/run.cpp", inc("tests/support/catch.h"), "viewer/cli may only use"),
    ("viewer/new/thing.cpp", "", "has no rule"),
    ("tests/engine/tape/tape.cpp", inc("viewer/store/store.h"), "tests/engine/tape may only use"),
    ("viewer/store/table.h", "#include <imgui.h>\n", "Dear ImGui"),
    ("viewer/model/draw.h", "#include <imgui/imgui_internal.h>\n", "Dear ImGui"),
    ("viewer/debugger/draw.h", "#include <imgui.h>\n", "Dear ImGui"),
    ("samples/imgui.cpp", '#include "imgui.h"\n', "Dear ImGui"),
    ("tests/viewer/model/layout.cpp", "#include <imgui.h>\n", "Dear ImGui"),
    ("engine/ops/matmul.cpp", "#include <Eigen/Dense>\n", "Eigen belongs"),
    ("tests/engine/kernels/gemm.cpp", "#include <eigen3/Eigen/Core>\n", "Eigen belongs"),
]
CIRCLES = [({("a", "b"): "", ("b", "c"): ""}, set()),
           ({("a", "b"): "", ("b", "c"): "", ("c", "a"): "", ("c", "d"): ""}, {("a", "b", "c")}),
           ({("a", "b"): "", ("b", "a"): "", ("c", "d"): "", ("d", "c"): ""}, {("a", "b"), ("c", "d")})]

if __name__ == "__main__":
    if any(circles(arrows) != expected for arrows, expected in CIRCLES):
        sys.exit("circles() misses a circle of folders or sees one that is not there")
    if sys.argv[1] == "--self-test" and {name.rsplit("/", 1)[0] for name, *_ in FAILING} < set(ROOMS):
        sys.exit(f"no wrong arrow is tried from {sorted(set(ROOMS) - {name.rsplit('/', 1)[0] for name, *_ in FAILING})}")
    sys.exit(tree.main(check, PASSING, FAILING))
