"""The watch of PyTorch programs: what the observer in C++ records, that it changes nothing, that it goes away, and what happens without a compiler.

usage: observer_test.py PACKAGE_FOLDER TAPESCOPE   (with a Python that has PyTorch)
"""
import gc
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

FOLDER, TAPESCOPE = sys.argv[1:3]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import torch._dynamo  # noqa: E402
import tapescope  # noqa: E402

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x))


def train():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    data = torch.linspace(0.0, 1.0, 64).view(16, 4)
    for _ in range(5):
        optimizer.zero_grad()
        loss = net(data).square().mean()  # LOSS
        loss.backward()
        optimizer.step()  # STEP
    with torch.no_grad():
        net(data)
    return net


net = train()
print([parameter.detach().numpy().tobytes().hex() for parameter in net.parameters()])
"""
LOSS, STEP = (next(n for n, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith(f"# {mark}")) for mark in ("LOSS", "STEP"))


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-B", *arguments], env={**os.environ, "PYTHONPATH": FOLDER, **environment}, capture_output=True, text=True,
                          timeout=900, check=False)


class Watch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.program = cls.folder / "net.py"
        cls.program.write_text(PROGRAM, encoding="utf-8")
        cls.tape = cls.folder / "net.tape"
        cls.watched = run("-m", "tapescope", "--record", str(cls.tape), str(cls.program))
        database = cls.folder / "net.db"
        subprocess.run([TAPESCOPE, "export", str(cls.tape), "--format", "sqlite", "-o", str(database)], capture_output=True, timeout=120, check=True)
        with sqlite3.connect(database) as tables:
            cls.ops = tables.execute("select type, name, scope, location, direction, recorded from ops order by op").fetchall()
            cls.times = dict((name, (forward, backward)) for name, forward, backward in
                             tables.execute("select type, forward_us, backward_us from op_kinds"))
            cls.losses = tables.execute("select value from metrics where name = 'loss'").fetchall()
            cls.gradients = dict(tables.execute("select source, status from gradients").fetchall())

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_same_bits_come_out(self):
        bare = run(str(self.program))
        self.assertEqual((self.watched.returncode, self.watched.stdout), (0, bare.stdout), self.watched.stderr)
        self.assertNotIn("hooks failed", self.watched.stderr)

    def test_the_same_bits_come_out_where_values_are_kept(self):
        # To look at every value names what the program holds: an object made for that had the class Tensor where a Parameter was to come.
        tape = self.folder / "values.tape"
        kept = run("-m", "tapescope", "--record", str(tape), "--values", "first,every:2,last", str(self.program))
        self.assertEqual((kept.returncode, kept.stdout), (0, self.watched.stdout), kept.stderr)
        said = subprocess.run([TAPESCOPE, "doctor", str(tape)], capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertIn("values in ", said)

    def test_ops_have_the_line_of_the_program_and_the_modules_around_them(self):
        linears = [op for op in self.ops if op[0] == "linear" and op[4] == "forward"]
        self.assertEqual([op[2] for op in linears[:2]], ["Net/body/0", "Net/head"])
        self.assertTrue(all(op[3].startswith("net.py:") for op in linears))
        self.assertIn(f"net.py:{LOSS}", [op[3] for op in self.ops if op[0] == "square"])

    def test_an_op_is_recorded_without_what_it_calls(self):
        self.assertNotIn("addmm", [op[0] for op in self.ops])

    def test_backward_steps_belong_to_their_forward_ops(self):
        steps = {op[0]: op for op in self.ops if op[4] == "backward"}
        self.assertEqual(steps["ReluBackward0"][2:4], ("Net/body/1", next(op[3] for op in self.ops if op[0] == "relu")))
        for name in ("linear", "relu", "square", "mean"):
            forward, backward = self.times[name]
            self.assertGreater(forward, 0, name)
            self.assertGreater(backward, 0, name)

    def test_a_custom_function_leads_on_and_its_backward_step_is_its_own(self):
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x * x

            @staticmethod
            def backward(ctx, given):
                x, = ctx.saved_tensors
                return 3 * x * x * given

        weight = torch.ones(3, requires_grad=True)
        with tempfile.TemporaryDirectory() as folder:
            tape, graph = os.path.join(folder, "cube.tape"), os.path.join(folder, "cube.dot")
            with tapescope.record(tape, why=False):
                for _ in range(3):
                    Cube.apply(weight * 2).sin().sum().backward()
            for arguments in (["report", tape, "--panel", "ops", "--json", graph + ".json"], ["export", tape, "--format", "dot", "-o", graph]):
                subprocess.run([TAPESCOPE, *arguments], capture_output=True, timeout=60, check=True)
            cube, = (row for row in json.loads(pathlib.Path(graph + ".json").read_text())["ops"] if row["op"] == "Cube")
            drawn = pathlib.Path(graph).read_text()
        self.assertGreater(cube["backward_us"], 0)
        of = {name: node for node, name in re.findall(r'(op\d+) \[label="(\w+)\\n', drawn)}
        self.assertIn(f"{of['mul']} -> {of['Cube']};", drawn)
        self.assertIn(f"{of['Cube']} -> {of['sin']};", drawn)

    def test_losses_and_optimizer_steps_are_there(self):
        self.assertGreaterEqual(len(self.losses), 4)
        self.assertIn(f"net.py:{STEP}", [op[3] for op in self.ops if op[0] == "Adam.step"])

    def test_parameters_are_called_by_their_way_from_the_model(self):
        self.assertEqual(self.gradients, {f"net.{name}": "value" for name in ("body.0.weight", "body.0.bias", "head.weight", "head.bias")})

    def test_a_tape_follows_what_depends_on_parameters_and_stops_in_no_grad(self):
        self.assertTrue(all(recorded for name, _, _, _, direction, recorded in self.ops if name == "relu" and direction == "forward"))

    def test_nothing_stays_and_no_tensor_is_kept(self):
        run_backward = torch.autograd._engine_run_backward
        with tapescope.record(os.devnull, why=False):
            self.assertIsNot(torch.autograd._engine_run_backward, run_backward)
            weight = torch.ones(3, requires_grad=True)
            result = (weight * 2).exp()
            held = [weakref.ref(weight), weakref.ref(result)]
            result.sum().backward()
            del weight, result
            gc.collect()
            self.assertEqual([reference() for reference in held], [None, None])
        self.assertIs(torch.autograd._engine_run_backward, run_backward)
        optimizer = sys.modules[torch.optim.Optimizer.__module__]
        self.assertFalse(optimizer._global_optimizer_pre_hooks or optimizer._global_optimizer_post_hooks)
        self.assertFalse(torch._C._autograd._profiler_enabled())

    def test_an_error_inside_an_op_or_an_optimizer_leaves_the_watch_on(self):
        from tapescope import torch as hooks
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                weight = torch.ones(3, requires_grad=True)
                with self.assertRaises(RuntimeError):
                    weight @ torch.ones(4)
                optimizer = torch.optim.SGD([weight], 0.1)
                weight.grad = torch.ones(3)
                optimizer.param_groups[0]["lr"] = "no number"
                with self.assertRaises(TypeError):
                    optimizer.step()
                (weight * 2).sum().backward()
                weight.cosh()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertEqual(hooks.last_failure(), "")
        self.assertIn("cosh", [op["op"] for op in report["ops"]])

    def test_parameters_that_never_get_a_gradient_are_rows_that_name_the_way_to_the_reason(self):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                used, later, never = (torch.ones(3, requires_grad=True) for _ in range(3))
                optimizer = torch.optim.SGD([used, later, never], 0.1)
                for step in range(2):
                    optimizer.zero_grad()
                    (used * (later.detach() if step == 0 else later)).sum().backward()
                    optimizer.step()
            found = json.loads(subprocess.run([TAPESCOPE, "explain", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        rows = [row for row in found["gradients"] if row["status"] == "none"]
        self.assertEqual([row["source"] for row in rows], ["never"])
        self.assertIn("--why", rows[0]["fix"])

    def test_a_watch_notes_what_it_does_not_look_for(self):
        from tapescope import torch as hooks

        def unseen(why):
            with tempfile.NamedTemporaryFile(suffix=".tape") as file:
                with tapescope.record(file.name, why=why):
                    (torch.ones(3, requires_grad=True) * 2).sum().backward()
                checked, reported = (subprocess.run([TAPESCOPE, command, file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=False)
                                     for command in ("check", "report"))
            return checked.returncode, json.loads(reported.stdout).get("unseen")
        self.assertEqual(unseen(why=False), (1, hooks.UNSEEN))
        self.assertEqual(unseen(why=True), (0, None))

    def report_of(self, work, why):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=why):
                work()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        return report

    def test_a_step_ends_with_the_update_and_what_follows_it(self):
        def train(extra, per_update=1, evaluates=False):
            model = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            data = torch.ones(4, 2)
            for epoch in range(2):
                for _ in range(3):
                    optimizer.zero_grad()
                    for _ in range(per_update):
                        loss = model(data).square().mean()
                        loss.backward()
                    extra(model, loss)
                    optimizer.step()
                if evaluates:
                    with torch.no_grad():
                        model(data).abs().max().item()
        works = {
            "clipping": lambda: train(lambda model, loss: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)),
            "reading": lambda: train(lambda model, loss: loss.item()),
            "accumulating": lambda: train(lambda model, loss: None, per_update=3),
            "evaluating": lambda: train(lambda model, loss: loss.item(), evaluates=True),
        }
        for name, work in works.items():
            for why in (False, True):
                with self.subTest(name, why=why):
                    report = self.report_of(work, why)
                    # Before its first update is seen, a program that accumulates may use each gradient for itself.
                    self.assertEqual(report["steps"], 8 if name == "accumulating" else 6)
                    self.assertGreater(report["tape"]["recorded"], 0)

    def test_questions_of_two_optimizers_are_one_step(self):
        def work():
            maker, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (judge, maker)]
            data = torch.ones(3, 2)
            for _ in range(4):
                optimizers[0].zero_grad()
                judge(maker(data).detach()).mean().backward()
                optimizers[0].step()
                optimizers[1].zero_grad()
                judge(maker(data)).mean().backward()
                optimizers[1].step()
        for why in (False, True):
            self.assertEqual(self.report_of(work, why)["steps"], 4)

    def test_a_loss_that_a_scaler_multiplied_is_shown_as_it_was(self):
        def work():
            weight = torch.ones(1, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
            for _ in range(2):
                optimizer.zero_grad()
                scaler.scale((weight * 0 + 3).sum()).backward()
                scaler.step(optimizer)
                scaler.update()
        for why in (False, True):
            loss = self.report_of(work, why)["loss"]
            self.assertEqual(loss, [3.0, 3.0], why)

    def test_parameters_without_a_gradient_are_rows_when_their_model_is_gone(self):
        def work():
            net = torch.nn.ModuleDict({"used": torch.nn.Linear(2, 2), "spare": torch.nn.Linear(2, 2)})
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                net["used"](torch.ones(1, 2)).sum().backward()
                optimizer.step()
        for why in (False, True):
            rows = self.explained(work, why)["gradients"]
            self.assertEqual({row["source"] for row in rows if row["status"] == "none"}, {"net.spare.weight", "net.spare.bias"}, why)

    def test_threads_ask_beside_each_other(self):
        from tapescope import torch as hooks
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                def work():
                    weight = torch.ones(3, requires_grad=True)
                    for _ in range(50):
                        (weight * 2).exp().sum().backward()
                threads = [threading.Thread(target=work) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertEqual(hooks.last_failure(), "")
        self.assertIn("exp", [op["op"] for op in report["ops"]])

    def test_what_another_thread_does_during_a_backward_pass_is_seen(self):
        def work():
            go, done = threading.Event(), threading.Event()

            def beside():
                go.wait()
                torch.ones(3).cosh()
                done.set()
            other = threading.Thread(target=beside)
            other.start()
            weight = torch.ones(3, requires_grad=True)
            middle = weight * 2
            middle.register_hook(lambda gradient: (go.set(), done.wait()) and None)
            middle.sum().backward()
            weight.detach().sinh()
            other.join()
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                work()
            database = self.folder / "beside.db"
            subprocess.run([TAPESCOPE, "export", file.name, "--format", "sqlite", "-o", str(database)], capture_output=True, timeout=60, check=True)
        with sqlite3.connect(database) as tables:
            seen = {row[0] for row in tables.execute("select type from ops")}
        self.assertEqual({"cosh", "sinh"} - seen, set())

    def test_threads_that_train_together_have_the_steps_of_one(self):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                together = threading.Barrier(4)

                def work():
                    weight = torch.ones(3, requires_grad=True)
                    for _ in range(50):
                        together.wait()
                        (weight * 2).exp().sum().backward()
                threads = [threading.Thread(target=work) for _ in range(4)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertIn(report["steps"], (49, 50))  # the last one may end with the recording

    def test_a_thread_has_the_steps_after_the_one_that_began_them_has_ended(self):

        def work():
            weight = torch.ones(3, requires_grad=True)
            for _ in range(10):
                (weight * 2).exp().sum().backward()
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                first = threading.Thread(target=work)
                first.start()
                first.join()
                work()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertIn(report["steps"], (18, 19, 20))  # the first passes of the second may belong to the last step of the first

    def test_the_first_pass_has_a_step_of_its_own(self):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                weight = torch.ones(3, requires_grad=True)
                for _ in range(7):
                    (weight * 2).exp().sum().backward()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertEqual(report["steps"], 7)

    def test_a_compiled_function_is_compiled_as_without_us(self):
        from tapescope import torch as hooks

        def compilations():
            torch._dynamo.reset()
            before = len(torch._dynamo.utils.get_compilation_metrics())
            compiled = torch.compile(lambda x: (x * 2).sin().sum(), backend="aot_eager")
            weight = torch.ones(3, requires_grad=True)
            for _ in range(3):
                compiled(weight).backward()
            return [metrics.graph_op_count for metrics in torch._dynamo.utils.get_compilation_metrics()[before:]]
        bare = compilations()
        with tapescope.record(os.devnull, why=False):
            self.assertEqual(compilations(), bare)
        self.assertEqual(hooks.last_failure(), "")

    def test_what_was_compiled_again_is_known_with_the_guard_that_failed(self):
        torch._dynamo.reset()
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                double = torch.compile(lambda x: x * 2, backend="aot_eager", dynamic=False)

                def twice(x):
                    return x + x
                twice = torch.compile(twice, backend="aot_eager", dynamic=False)
                double(torch.ones(2))
                for size in (2, 3, 3):
                    twice(torch.ones(size))
            said = json.loads(subprocess.run([TAPESCOPE, "explain", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        found = {each["name"]: each for each in said["functions"]}
        self.assertEqual((found["<lambda>"]["traces"], found["<lambda>"]["retraces"]), (1, []))
        again = found["twice"]["retraces"]
        self.assertEqual((found["twice"]["traces"], found["twice"]["calls"], len(again), again[0]["call"]), (2, 3, 1, 2))
        self.assertEqual((again[0]["kind"], again[0]["argument"], again[0]["from"], again[0]["to"]), ("shape", "x", "2", "3"))
        self.assertTrue(again[0]["location"].startswith("observer_test.py:"))

    def explained(self, work, why=False):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=why):
                work()
            return json.loads(subprocess.run([TAPESCOPE, "explain", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)

    def test_a_graph_that_breaks_is_an_advice_with_line_and_reason(self):
        torch._dynamo.reset()

        def work():
            def loss_of(x):
                return x * x.sum().item()  # BREAK
            torch.compile(loss_of, backend="eager")(torch.ones(3))
        found = self.explained(work)["advice"]
        self.assertEqual([each["kind"] for each in found], ["host_round_trip"])
        self.assertTrue(found[0]["location"].startswith("observer_test.py:") and "item" in found[0]["evidence"], found)

    def test_each_region_of_compiled_code_has_its_time_forward_and_backward(self):
        torch._dynamo.reset()

        def work():
            @torch.compile(backend="aot_eager")
            def loss_of(x, w):
                return (x @ w).square().mean()

            @torch.compile(backend="aot_eager")
            def penalty(w):
                return w.abs().sum()
            w = torch.ones(64, 64, requires_grad=True)
            for _ in range(2):
                (loss_of(torch.ones(64, 64), w) + penalty(w)).backward()
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                work()
            ops = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--panel", "ops", "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        of = {row["op"]: row for row in ops["ops"]}
        regions = [row for name, row in of.items() if re.fullmatch(r"(loss_of|penalty) \(compiled \d+/0\)", name)]
        self.assertEqual(len(regions), 2, list(of))
        for row in regions:
            self.assertGreater(row["forward_us"], 0)
            self.assertGreater(row["backward_us"], 0)
        walked = sum(row["backward_us"] for row in regions)
        self.assertAlmostEqual(walked, of["CompiledFunctionBackward"]["backward_run_us"], delta=0.2 * walked)

    def test_advice_for_other_frameworks_is_not_given(self):
        def work():
            weight = torch.ones(3, requires_grad=True)
            for _ in range(3):
                value = weight
                for _ in range(100):
                    value = value * 1.01
                value.sum().backward()
        self.assertEqual(self.explained(work)["advice"], [])

    def test_transforms_of_functions_are_asked_by_the_transform(self):
        def work():
            weight = torch.ones(3)
            torch.func.jacrev(lambda each: each.sin() * 2)(weight)
            torch.func.hessian(lambda each: each.pow(3).sum())(weight)
        said = self.explained(work)
        self.assertEqual((said["gradients"], said["alerts"], said["advice"]), ([], [], []))

    def test_a_check_of_gradients_asks_nothing_for_the_program(self):
        def work():
            self.assertTrue(torch.autograd.gradcheck(torch.sin, (torch.ones(2, dtype=torch.double, requires_grad=True),)))
        for why in (False, True):
            said = self.explained(work, why)
            self.assertEqual(([row for row in said["gradients"] if row["status"] == "none"], said["alerts"]), ([], []))

    def test_memory_that_nothing_was_written_to_makes_no_value(self):
        def work():
            torch.use_deterministic_algorithms(True)  # fills what empty() returns with NaN
            try:
                layer = torch.nn.Linear(2, 2)
                scores = layer(torch.ones(1, 2)).masked_fill(torch.ones(1, 2, dtype=torch.bool), float("-inf"))
                (torch.softmax(scores, 1) @ layer(torch.ones(2, 2))).sum().backward()
            finally:
                torch.use_deterministic_algorithms(False)
        alerts = [alert for alert in self.explained(work, True)["alerts"] if alert["kind"] == "nonfinite"]
        self.assertEqual([alert["op"] for alert in alerts], ["softmax"])

    def test_what_a_scaler_skips_is_no_fault_unless_it_never_finds_a_scale(self):
        def train(slope):
            weight = torch.ones(1, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 127, backoff_factor=2.0 ** -100)
            for _ in range(3):
                optimizer.zero_grad()
                scaler.scale((weight - 1).sum() + 4 * slope(weight - 1).sum() + 3).backward()
                scaler.step(optimizer)
                scaler.update()
        for slope, alerts in ((torch.sin, 0), (torch.sqrt, 1)):
            found = [alert for alert in self.explained(lambda: train(slope), True)["alerts"] if alert["kind"] == "nonfinite"]
            self.assertEqual(len(found), alerts, found)

    def test_parameters_in_a_plain_list_are_to_be_registered(self):
        class Tower(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.enter = torch.nn.Linear(2, 2)
                self.blocks = [torch.nn.Linear(2, 2)]

            def forward(self, x):
                return self.blocks[0](self.enter(x))

        def work():
            tower = Tower()
            optimizer = torch.optim.SGD(tower.parameters(), lr=0.1)
            tower(torch.ones(1, 2)).sum().backward()
            optimizer.step()
        advice = [item for item in self.explained(work, True)["advice"] if item["kind"] == "unneeded_variable"]
        self.assertEqual([item["subject"] for item in advice], ["tower.blocks"])
        self.assertIn("nn.ModuleList", advice[0]["fix"])

    def test_frozen_parameters_that_are_read_with_all_others_were_not_asked_about(self):
        def train(report):
            model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            model[0].requires_grad_(False)
            optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
            report(model)

        def all_of_them(model):
            return [parameter.grad for parameter in model.parameters()]
        self.assertEqual(self.explained(lambda: train(all_of_them), True)["alerts"], [])
        asked = self.explained(lambda: train(lambda model: model[0].weight.grad), True)["gradients"]
        self.assertEqual([(row["source"], row["reason"]) for row in asked if row["status"] == "none"], [("model.0.weight", "not_trainable")])

    def test_an_error_of_the_program_in_backward_is_no_reason_for_none(self):
        class Broken(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clone()

            @staticmethod
            def backward(ctx, given):
                raise ValueError("of the program")

        def work():
            model = torch.nn.Linear(2, 1)
            with self.assertRaisesRegex(ValueError, "of the program"):
                Broken.apply(model(torch.ones(1, 2))).sum().backward()
        said = self.explained(work, True)
        self.assertEqual((said["gradients"], said["alerts"]), ([], []))

    def test_a_question_that_raises_concerns_what_was_asked_about_alone(self):
        def work():
            model, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
            energy = model(x * 2)
            x.requires_grad_()
            with self.assertRaisesRegex(RuntimeError, "not have been used in the graph"):
                torch.autograd.grad(energy.sum(), x)
        self.assertEqual([(row["source"], row["reason"]) for row in self.explained(work, True)["gradients"]], [("x", "watched_too_late")])

    def test_what_a_mask_of_flags_multiplies_by_zero_is_masked(self):
        def work():
            each = torch.ones(3, requires_grad=True)
            (each * torch.tensor([False, True, False]))[0].backward()
        self.assertEqual([(row["source"], row["reason"]) for row in self.explained(work, True)["gradients"]], [("each", "masked")])

    def test_a_program_that_pauses_the_recording_is_not_seen(self):
        with tempfile.NamedTemporaryFile(suffix=".tape") as file:
            with tapescope.record(file.name, why=False):
                with tapescope.pause():
                    torch.ones(3).cosh()
                torch.ones(3).sinh()
            report = json.loads(subprocess.run([TAPESCOPE, "report", file.name, "--json", "-"], capture_output=True, text=True, timeout=60, check=True).stdout)
        names = [op["op"] for op in report["ops"]]
        self.assertIn("sinh", names)
        self.assertNotIn("cosh", names)

    def test_a_profiler_of_the_program_hears_what_it_hears_without_us(self):
        def profiled():
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
                torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4))
            return [event.key for event in profile.key_averages()]
        bare = profiled()
        with tapescope.record(os.devnull, why=False):
            self.assertEqual(profiled(), bare)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
