"""Processes of a job that train replicas of one model: what each holds before an update, by hashes, and how long it waits for the others."""
import functools
import sys
import weakref

import torch
from torch.utils.weak import WeakIdKeyDictionary

from tapescope import _tapescope as module
from tapescope.steps import steps
from tapescope.torch.naming import Names
from tapescope.torch.uncompiled import left_alone, untraced

_MOST = 4096  # parameters of a step
_WAIT = "c10d::wait"
_EXCHANGES = ("all_reduce", "all_reduce_coalesced")


class Replicas:
    """Parameters whose gradients all processes exchange: those of DistributedDataParallel, and those of an optimizer before whose step the
    program reduced as many elements as their gradients have. They stay replicas. Parts of a tensor (DTensor, a flat shard) are none."""

    def __init__(self, failed, quiet, number_of, name_of, heard=lambda: None):
        """`quiet`: makes the context in which nothing is heard. `number_of`: a tensor's id; `name_of`: what it is known by, or "".
        `heard`: called where backward passes exchange gradients from now on."""
        self.failed, self.quiet, self.number_of, self.name_of, self.heard = failed, quiet, number_of, name_of, heard
        self.names = WeakIdKeyDictionary()  # of replicas; "" until it is looked for
        self.reduced = 0  # elements, since the last step of an optimizer
        self.leader = lambda: None  # the optimizer whose steps end training steps

    def install(self, patches):
        if not torch.distributed.is_available():
            return
        from torch.distributed import distributed_c10d
        from torch.nn.parallel import DistributedDataParallel
        for owner in (torch.distributed, distributed_c10d):
            for name in _EXCHANGES:
                patches.set(owner, name, self._reducing, "exchanges of a program's own are not seen")
        patches.set(distributed_c10d.Work, "wait", self._waiting, "waits for other processes are not seen")
        patches.set(DistributedDataParallel, "__init__", self._wrapping, "replicas are not compared")
        optimizer = sys.modules[torch.optim.Optimizer.__module__]
        handles = [optimizer.register_optimizer_step_pre_hook(untraced(self._before_update)), optimizer.register_optimizer_step_post_hook(untraced(self._updated))]
        patches.on_undo(lambda: [handle.remove() for handle in handles])

    # --- who is a replica

    def _wrapping(self, original):
        def __init__(wrapper, *arguments, **keywords):
            original(wrapper, *arguments, **keywords)
            try:
                self._wrapped(wrapper)
            except Exception as error:
                self.failed(error)
        return __init__

    def _wrapped(self, wrapper):
        group = getattr(wrapper, "process_group", None)
        if group is None or group.size() != torch.distributed.get_world_size():
            return
        self.heard()
        ignored = getattr(wrapper, "parameters_to_ignore", ())
        for name, parameter in wrapper.module.named_parameters():
            if parameter.requires_grad and name not in ignored:
                self.names.setdefault(parameter, "")

    def _reducing(self, original):
        def all_reduce(tensors, *arguments, **keywords):
            result = original(tensors, *arguments, **keywords)
            try:
                group = keywords.get("group", arguments[1] if len(arguments) > 1 else None)
                if torch.distributed.get_world_size(group) == torch.distributed.get_world_size():
                    self.reduced += sum(tensor.numel() for tensor in (tensors if isinstance(tensors, (list, tuple)) else (tensors,)))
            except Exception as error:
                self.failed(error)
            return result
        return left_alone(functools.wraps(original)(all_reduce))

    # --- waits

    def _waiting(self, original):
        def wait(work, *arguments, **keywords):
            if module.is_muted():
                return original(work, *arguments, **keywords)
            begin = module.ticks()
            try:
                return original(work, *arguments, **keywords)
            finally:
                module.timed_op(_WAIT, (), (), (), (), module.site(), 0, begin, module.ticks())
        return wait

    # --- hashes

    def _before_update(self, optimizer, arguments, keywords):
        try:
            if module.is_muted() or not torch.distributed.is_initialized() or torch.distributed.get_world_size() < 2:
                return
            parameters = [parameter for group in optimizer.param_groups for parameter in group["params"] if _is_whole(parameter)][:_MOST]
            reduced, self.reduced = self.reduced, 0
            if 0 < sum(parameter.grad.numel() for parameter in parameters if parameter.grad is not None) <= reduced:
                for parameter in parameters:
                    self.names.setdefault(parameter, "")
            parameters = [parameter for parameter in parameters if parameter in self.names]
            if parameters:
                if self.leader() is None:
                    self.leader = weakref.ref(optimizer)
                with self.quiet():
                    self._note(parameters, sys._getframe(1))
        except Exception as error:
            self.failed(error)

    def _updated(self, optimizer, arguments, keywords):
        """Processes are compared step by step, and what one of them does alone (it prints, validates, saves) is not to shift the numbers of its
        steps: an update ends them, which all of them do alike."""
        if self.leader() is optimizer and not module.is_muted():
            steps.end_by_update()

    def _note(self, parameters, frame):
        if not all(self.names[parameter] for parameter in parameters):
            found = Names(frame)
            for parameter in parameters:
                self.names[parameter] = self.names[parameter] or self.name_of(parameter) or found.name_of(parameter) or "parameter"
        hashes = hashes_of([parameter.detach() for parameter in parameters] + [parameter.grad for parameter in parameters])
        for index, parameter in enumerate(parameters):
            number, name = self.number_of(parameter), self.names[parameter]
            module.replica(index, name, number, True, hashes[index])
            module.replica(index, name, number, False, hashes[len(parameters) + index])


def _is_whole(parameter):
    return type(parameter) in (torch.Tensor, torch.nn.Parameter)


def hashes_of(tensors):
    """One for each, 0 for None: of the elements, on other devices than the CPU of sums over them, so that one number each is copied."""
    found, sums, places = [0] * len(tensors), [], []
    for place, tensor in enumerate(tensors):
        if tensor is None:
            continue
        if tensor.is_sparse:
            tensor = tensor.to_dense()
        if tensor.device.type == "cpu":
            whole = tensor.contiguous()
            found[place] = module.hash_at(whole.data_ptr(), whole.numel() * whole.element_size())
        else:
            sums.append(sum_of(tensor))
            places.append(place)
    if sums:
        for place, value in zip(places, torch.stack([value.to(sums[0].device) for value in sums]).tolist()):
            found[place] = (value & 0xFFFFFFFFFFFFFFFF) or 1
    return found


def sum_of(tensor):
    """A sum of the elements' bits in which each place has another odd factor, modulo 2**64, as an int64 tensor on the tensor's device."""
    whole = tensor.contiguous().flatten()
    whole = torch.view_as_real(whole).flatten() if whole.is_complex() else whole
    whole = whole.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[whole.element_size()]).long()
    return (whole * (2 * torch.arange(whole.numel(), device=whole.device) + 0x9E3779B1)).sum() + whole.numel() + 1
