"""What the hooks rely on in the installed PyTorch: private names, arguments, identities. A version that breaks one fails here.

usage: contracts_torch.py PACKAGE_FOLDER   (with a Python that has PyTorch)
"""
import contextlib
import gc
import inspect
import os
import sys
import threading
import unittest
import unittest.mock
import weakref

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import torch._dynamo  # noqa: E402
import tapescope  # noqa: E402
from torch.multiprocessing.reductions import StorageWeakRef  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

LEAF = (1 << 64) - 1


class Names(TorchFunctionMode):
    """The calls that a mode sees."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__self__.__name__ if func.__name__ in ("__get__", "__set__") else func.__name__)
        return func(*args, **(kwargs or {}))


class Contracts(unittest.TestCase):
    def test_every_name_that_is_replaced_is_there(self):
        with tapescope.record(os.devnull, why=True):
            pass  # sets the hooks once, so that all modules are loaded
        from tapescope import torch as hooks
        undo, missing = hooks.install()
        undo()
        self.assertEqual(missing, [])

    def test_private_names_of_torch_c(self):
        for name in ("_len_torch_function_stack", "_pop_torch_function_stack", "_push_on_torch_function_stack", "DisableTorchFunction", "_DisableTorchDispatch",
                     "_current_autograd_node", "_len_torch_dispatch_stack", "_get_dispatch_stack_at"):
            self.assertTrue(hasattr(torch._C, name), name)
        self.assertFalse(torch._C._functorch.is_functorch_wrapped_tensor(torch.zeros(1)))
        self.assertTrue(issubclass(torch.autograd.function.BackwardCFunction, object))

    def test_a_frame_that_is_left_alone_is_not_compiled(self):
        from tapescope.torch.uncompiled import uncompiled, untraced
        frames, graphs = [], []

        def inside(x):
            frames.append(getattr(torch._C._dynamo.eval_frame, "get_eval_frame_callback", lambda: None)())
            return x + 1

        def backend(graph, examples):
            graphs.append([node.name for node in graph.graph.nodes if node.op == "call_function"])
            return graph.forward
        hook = untraced(lambda x: inside(x))

        def traced(x):
            hook(x)
            return x * 2
        self.assertEqual(torch.compile(traced, backend=backend)(torch.ones(2)).tolist(), [2, 2])
        self.assertEqual((graphs, frames), ([["mul"]], []))  # nothing of a hook is in the graph

        free = uncompiled(inside)
        self.assertEqual(torch.compile(free, backend=backend)(torch.ones(2)).tolist(), [2, 2])
        self.assertEqual(frames, [None])
        self.assertEqual(len(graphs), 1)

    def test_parameters_have_the_names_that_callers_use(self):
        self.assertEqual(list(inspect.signature(torch.Tensor.backward).parameters), ["self", "gradient", "retain_graph", "create_graph", "inputs"])
        for name in ("outputs", "inputs", "retain_graph", "create_graph", "materialize_grads"):
            self.assertIn(name, inspect.signature(torch.autograd.grad).parameters)

    def test_each_thread_counts_its_nodes_and_a_node_keeps_what_is_noted_on_it(self):
        made = []

        def work():
            first = torch.autograd._get_sequence_nr()
            made.append(torch.ones(2, requires_grad=True).exp())
            made[0].grad_fn.metadata["tapescope"] = first
        torch.ones(2, requires_grad=True).exp()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        gc.collect()  # the node's Python object is made anew
        self.assertEqual(made[0].grad_fn.metadata["tapescope"], made[0].grad_fn._sequence_nr())
        self.assertLess(made[0].grad_fn._sequence_nr(), torch.autograd._get_sequence_nr())

    def test_sequence_numbers_tell_the_nodes_of_a_call(self):
        x = torch.ones(2, requires_grad=True)
        first = torch.autograd._get_sequence_nr()
        y = (x * 2).exp()
        self.assertGreaterEqual(y.grad_fn._sequence_nr(), first)
        self.assertEqual(y.grad_fn._sequence_nr() + 1, torch.autograd._get_sequence_nr())
        leaf = y.grad_fn.next_functions[0][0].next_functions[0][0]
        self.assertEqual(leaf._sequence_nr(), LEAF)
        self.assertIs(leaf.variable, x)

    def test_an_op_has_its_node_before_the_dispatcher_sees_it(self):
        numbers = []

        class Numbers(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                numbers.append((torch.autograd._get_sequence_nr() - 1, torch._C._current_autograd_node()))
                return func(*args, **(kwargs or {}))
        x = torch.ones(2, requires_grad=True)
        with Numbers():
            y = x.exp()
            made = y.grad_fn._sequence_nr()
            y.sum().backward()
        self.assertEqual(numbers[0], (made, None))
        self.assertIn(made, [node._sequence_nr() for _, node in numbers if node is not None])

    def test_the_address_of_a_storage_is_no_others_while_a_weak_reference_is_held(self):
        x = torch.zeros(1000)
        key, held = x.untyped_storage()._cdata, StorageWeakRef(x.untyped_storage())
        self.assertFalse(held.expired())
        del x
        self.assertTrue(held.expired())
        self.assertNotIn(key, [tensor.untyped_storage()._cdata for tensor in [torch.zeros(1000) for _ in range(50)]])

    def test_a_hook_on_a_node_gets_results_and_cotangents(self):
        x, seen = torch.ones(2, requires_grad=True), []
        y = x * 3
        y.grad_fn.register_hook(lambda results, cotangents: seen.append((results[0].tolist(), cotangents[0].tolist())))
        y.sum().backward()
        self.assertEqual(seen, [([3.0, 3.0], [1.0, 1.0])])

    def test_a_mode_sees_gradients_factories_and_flags(self):
        x = torch.ones(2, requires_grad=True)
        with Names() as mode:
            torch.tensor([1.0])
            (x * x).sum().backward()
            torch.autograd.grad(x.sum(), x)
            x.grad
            x.grad = None
            x.data
            x.requires_grad_(False)
        for name in ("tensor", "backward", "grad", "data", "requires_grad_"):
            self.assertIn(name, mode.seen)

    def test_views_share_the_address_of_a_storage(self):
        x = torch.zeros(4)
        self.assertEqual(x.untyped_storage()._cdata, x[1:].untyped_storage()._cdata)
        self.assertNotEqual(x.untyped_storage()._cdata, x.clone().untyped_storage()._cdata)

    def test_custom_functions_go_through_apply(self):
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, cotangent):
                return cotangent * 2
        kept = torch.autograd.Function.__dict__["apply"]  # of C in 2.14, which takes the class first as a function of Python does
        apply = kept.__func__ if isinstance(kept, classmethod) else kept
        for y in (Double.apply(torch.ones(1, requires_grad=True)), apply(Double, torch.ones(1, requires_grad=True))):
            self.assertIsInstance(y.grad_fn, torch.autograd.function.BackwardCFunction)

    def test_vmap_hands_tensors_in_and_out_by_two_functions(self):
        seen = []
        vmap = sys.modules["torch._functorch.vmap"]

        def noted(name, original):
            return lambda tensor, *rest: seen.append(name) or original(tensor, *rest)
        with contextlib.ExitStack() as stack:
            for name in ("_add_batch_dim", "_remove_batch_dim"):
                stack.enter_context(unittest.mock.patch.object(vmap, name, noted(name, getattr(vmap, name))))
            torch.func.vmap(lambda x: x * 2)(torch.ones(3))
        self.assertEqual(seen, ["_add_batch_dim", "_remove_batch_dim"])

    def test_compilations_say_why_they_came_again(self):
        from tapescope.patches import Patches
        from tapescope.torch import releases
        torch._dynamo.reset()
        patches, breaks, ends = Patches(), [], []
        self.addCleanup(patches.undo)
        releases.listen_for_reasons(patches)
        releases.listen_for_breaks(patches, lambda reason, error, stack: breaks.append(str(error or "") or reason))
        releases.listen_for_ends(patches, lambda original: lambda *args, **kwargs: ends.append(original(*args, **kwargs)))
        self.assertEqual(patches.missing, [])
        compiled = torch.compile(lambda x: x * 2, backend="eager")
        before = len(torch._dynamo.utils.get_compilation_metrics())
        compiled(torch.ones(2))
        compiled(torch.ones(3, 1))
        new = torch._dynamo.utils.get_compilation_metrics()[before:]
        self.assertEqual([metrics.co_name for metrics in new], ["<lambda>"] * 2)
        self.assertIn("mismatch", releases.reason_of(new[1]))
        self.assertEqual((len(ends), breaks), (2, []))
        torch.compile(lambda x: x * 2 if x.sum().item() > 0 else x, backend="eager")(torch.ones(2))
        self.assertTrue(any("item" in text for text in breaks), breaks)

    def test_a_recording_keeps_no_tensor(self):
        with tapescope.record(os.devnull, why=True):
            model = torch.nn.Linear(2, 2)
            optimizer = torch.optim.Adam(model.parameters())
            middle = torch.relu(model(torch.ones(3, 2)))
            loss = middle.sum()
            loss.backward()
            optimizer.step()
            held = [weakref.ref(tensor) for tensor in (middle, loss, model.weight, model.weight.grad)]
            del middle, loss, model
            optimizer.param_groups.clear()
            optimizer.state.clear()
            del optimizer
            gc.collect()
            self.assertEqual([reference() is None for reference in held], [True] * 4)

    def test_places_have_the_folders_of_their_files(self):
        with unittest.mock.patch.object(tapescope._tapescope, "site_of", wraps=tapescope._tapescope.site_of) as asked:
            with tapescope.record(os.devnull, why=True):
                exec(compile("import torch\ntorch.ones(2, requires_grad=True).sum().backward()", "/another/folder/program.py", "exec"), {})
        self.assertIn("/another/folder/program.py", [call.args[0] for call in asked.call_args_list])

    def test_a_graph_is_freed_with_its_result(self):
        freed = []

        class Watched(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.token = Token()
                weakref.finalize(ctx.token, freed.append, True)
                return x * 2

            @staticmethod
            def backward(ctx, cotangent):
                return cotangent * 2
        with tapescope.record(os.devnull, why=True):
            y = Watched.apply(torch.ones(1, requires_grad=True))
            del y
            gc.collect()
            self.assertEqual(freed, [True])


class Token:
    """Can be watched as it goes."""


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
