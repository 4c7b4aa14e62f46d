"""Scores letters of every length with a compiled function."""
import sys

import torch


def weight_of(words):
    return torch.linspace(0.0, 1.0, words)


@torch.compile(backend="aot_eager", dynamic=False)
def score(letter, tone):
    return (torch.tanh(letter) * tone).mean()


def read(lengths):
    tone = torch.tensor(0.7, requires_grad=True)
    for length in lengths:
        loss = (score(weight_of(length), tone) - 0.3).square()  #!
        loss.backward()
    return {"tone": tone.grad}


def broken():
    return read([4, 6, 6, 5])


def fixed():
    return read([6, 6, 6, 6])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
