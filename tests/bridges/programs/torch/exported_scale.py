"""Calibrates a pressure gauge: the scale is kept in a dictionary of settings that is loaded from JSON."""
import json
import sys

import torch

SETTINGS = json.loads('{"scale": 1.3, "offset": 0.1, "clip": 4.0}')


class Gauge:
    def __init__(self, settings, learned):
        self.scale = torch.tensor(settings["scale"], requires_grad="scale" in learned)  #!
        self.offset = torch.tensor(settings["offset"], requires_grad="offset" in learned)
        self.clip = settings["clip"]

    def read(self, raw):
        return (self.scale * raw + self.offset).clamp(max=self.clip)

    def parameters(self):
        return [self.scale, self.offset]


def calibrate(learned, rounds=3):
    gauge = Gauge(SETTINGS, learned)
    raw = torch.linspace(0.1, 2.0, 8)
    true = 1.1 * raw + 0.2
    for _ in range(rounds):
        error = (gauge.read(raw) - true).pow(2).mean()
        error.backward()
        with torch.no_grad():
            for p in gauge.parameters():
                if p.grad is not None:
                    p -= 0.1 * p.grad
    return {"gauge.scale": gauge.scale.grad, "gauge.offset": gauge.offset.grad}


def broken():
    return calibrate({"offset", "slope"})


def fixed():
    return calibrate({"offset", "scale"})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
