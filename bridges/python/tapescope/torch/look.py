"""What the values of a tensor are, without a trace of the look."""
import torch

ZERO, NAN, INFINITY = 1, 2, 4
BAD = NAN | INFINITY


def look(tensor):
    """What the values are: bits of ZERO, NAN, INFINITY."""
    with torch.no_grad():
        try:
            if tensor.layout is not torch.strided:
                tensor = tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor.values()
            if tensor.device.type == "meta" or tensor.numel() == 0 or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
                return 0
            if not (tensor.is_floating_point() or tensor.is_complex()):
                return 0 if bool(tensor.any()) else ZERO
            bits = 0
            if not bool(torch.isfinite(tensor).all()):
                bits = (NAN if bool(torch.isnan(tensor).any()) else 0) | (INFINITY if bool(torch.isinf(tensor).any()) else 0)
            elif not bool(tensor.count_nonzero()):
                bits = ZERO
            return bits
        except (RuntimeError, NotImplementedError):
            return 0
