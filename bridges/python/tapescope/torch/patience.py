"""How long processes of a job wait for one another: while a window is attached, which may stop any of them, longer than a person looks."""
import datetime
import sys

import torch

from tapescope import _tapescope as module
from tapescope.torch.uncompiled import untraced

_LONG = datetime.timedelta(days=30)


class Patience:
    """Time-outs of process groups (gloo, NCCL), which would end a job one of whose processes stands. Looked at where an optimizer's step ends, as a
    window can stop a process from its next step on; put back where the window is gone."""

    def __init__(self, failed):
        self.failed = failed
        self.put_off = []  # (backend, its time-out), while a window is attached
        self.groups = 0    # that were looked at

    def install(self, patches):
        if not torch.distributed.is_available():
            return
        optimizer = sys.modules[torch.optim.Optimizer.__module__]
        handle = optimizer.register_optimizer_step_post_hook(untraced(self._stepped))
        patches.on_undo(handle.remove)
        patches.on_undo(self._put_back)

    def _stepped(self, optimizer, arguments, keywords):
        if not self.groups and not module.attended():
            return
        try:
            self._look()
        except Exception as error:
            self.failed(error)

    def _look(self):
        from torch.distributed import distributed_c10d
        if not module.attended():
            return self._put_back()
        groups = distributed_c10d._world.pg_map
        if len(groups) == self.groups:
            return
        self.groups = len(groups)
        for group in groups:
            for device in group._device_types:
                backend = group._get_backend(device)
                before = getattr(getattr(backend, "options", None), "_timeout", None)
                if before is not None and before < _LONG and hasattr(backend, "_set_default_timeout"):
                    self.put_off.append((backend, before))
                    backend._set_default_timeout(_LONG)

    def _put_back(self):
        while self.put_off:
            backend, before = self.put_off.pop()
            backend._set_default_timeout(before)
        self.groups = 0
