"""Sensors of two makers: one delivers double precision."""
import sys

import numpy as np
import torch


@torch.compile(backend="aot_eager")
def calibrate(reading, gain, offset):
    return (reading - offset) * gain.exp()


class Station:
    def __init__(self):
        self.gain = torch.tensor(0.1, requires_grad=True)
        self.offset = torch.tensor(0.5, requires_grad=True)

    def loss(self, reading):
        return calibrate(reading, self.gain, self.offset).square().mean()  #!


def readings(dtype):
    for k in range(4):
        values = np.linspace(0.0, 1.0, 6) + k
        yield torch.from_numpy(values.astype(np.float32 if k % 2 == 0 else dtype))


def run(dtype):
    station = Station()
    gain, offset = station.gain, station.offset
    for reading in readings(dtype):
        station.loss(reading).backward()
    return {"gain": gain.grad, "offset": offset.grad}


def broken():
    return run(np.float64)


def fixed():
    return run(np.float32)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
