"""Speaker embedding with a weight-normed filter bank; the log wants the norm of each filter's gradient."""
import sys

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


def build():
    torch.manual_seed(0)
    bank = weight_norm(nn.Conv1d(1, 4, 5), dim=0)  #~
    return bank, nn.Linear(4, 2)


def kept_weight(bank):
    return bank.weight  #!


def retained_weight(bank):
    weight = bank.weight
    weight.retain_grad()
    return weight


def speak(weight_of):
    bank, voice = build()
    waves = torch.sin(torch.arange(96.0) * 0.3).view(3, 1, 32)
    speakers = torch.tensor([0, 1, 0])
    weight = weight_of(bank)
    for _ in range(1):
        heard = torch.conv1d(waves, weight, bank.bias).relu().mean(-1)
        loss = nn.functional.cross_entropy(voice(heard), speakers)
        loss.backward()
    return {"weight": weight.grad, "voice.weight": voice.weight.grad}


def broken():
    return speak(kept_weight)


def fixed():
    return speak(retained_weight)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
