"""What the values of a tensor are, without a trace of the look."""
import math

import torch

ZERO, NAN, INFINITY = 1, 2, 4
BAD = NAN | INFINITY


def look(tensor):
    """What the values are: bits of ZERO, NAN, INFINITY. Infinities beside a NaN do not count."""
    try:
        tensor = tensor.detach()
        if tensor.layout is not torch.strided:
            tensor = tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor.values()
        if tensor.device.type == "meta" or tensor.numel() == 0 or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            return 0
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor)
        # One pass over the values: a NaN is both the least and the greatest.
        low, high = torch.aminmax(tensor)
        low, high = low.item(), high.item()
    except (RuntimeError, NotImplementedError):  # a type without an order, a tensor without values
        return 0
    if low != low:
        return NAN
    if low == -math.inf or high == math.inf:
        return INFINITY
    return ZERO if low == 0 and high == 0 else 0
