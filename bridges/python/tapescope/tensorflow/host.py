"""Values that leave for the host: .numpy(), float(), bool(), printing; NumPy's functions, which ask for the buffer."""
from tapescope import _tapescope as module
from tapescope.tensorflow.versions import ops


def install(patches):
    owner = next((kind for kind in ops.EagerTensor.__mro__ if "_numpy" in kind.__dict__), None)
    if owner is None:
        patches.missing.append("EagerTensor._numpy is missing in this version: values that the program reads are not seen")
        return
    patches.set(owner, "_numpy", _read, "values that the program reads are not seen")
    if module.hear_buffers():
        patches.on_undo(module.leave_buffers)
    else:
        patches.missing.append("EagerTensor's buffer is elsewhere in this version of Python: values that NumPy's functions read are not seen")


def _read(original):
    def _numpy(self):
        if not module.is_muted():
            module.host_read(self)
        return original(self)
    return _numpy
