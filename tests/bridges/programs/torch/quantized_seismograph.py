"""A seismograph's filter for eight-bit hardware, trained with fake quantization whose scale is to be learned."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


class QuantizedFilter(nn.Module):
    def __init__(self):
        super().__init__()
        self.taps = nn.Parameter(torch.sin(torch.arange(5.0)).view(1, 1, 5))
        self.scale = nn.Parameter(torch.tensor(0.02))
        self.register_buffer("zero", torch.tensor(0, dtype=torch.int32))

    def rounded(self):
        return torch.fake_quantize_per_tensor_affine(self.taps, self.scale, self.zero, -128, 127)  #!

    def forward(self, trace):
        return F.conv1d(trace, self.rounded(), padding=2)


class LearnedFilter(QuantizedFilter):
    def rounded(self):
        steps = (self.taps / self.scale).clamp(-128, 127)
        return (steps + (steps.round() - steps).detach()) * self.scale


def shake(kind):
    seismograph = kind()
    trace = torch.cos(torch.arange(32.0) * 0.7).view(1, 1, 32)
    clean = torch.cos(torch.arange(32.0) * 0.7 + 0.1).view(1, 1, 32)
    optimizer = torch.optim.AdamW(
        [{"params": [seismograph.taps], "weight_decay": 1e-2}, {"params": [seismograph.scale], "weight_decay": 0.0}],
        lr=1e-3,
    )
    for _ in range(2):
        optimizer.zero_grad()
        F.mse_loss(seismograph(trace), clean).backward()
        optimizer.step()
    return {"seismograph.taps": seismograph.taps.grad, "seismograph.scale": seismograph.scale.grad}


def broken():
    return shake(QuantizedFilter)


def fixed():
    return shake(LearnedFilter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
