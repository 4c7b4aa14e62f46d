"""A loss that is warmed up by the number of the epoch."""
import sys

import torch


@torch.compile(backend="aot_eager", dynamic=False)
def warm_loss(heat, gain, epoch):
    return ((heat * gain - 1).square() * (epoch / 10)).mean()


def train(number):
    gain = torch.tensor(0.5, requires_grad=True)
    optimizer = torch.optim.SGD([gain], lr=0.1)
    heat = torch.linspace(0, 1, 5)
    for epoch in (1, 2, 2, 3):
        optimizer.zero_grad()
        loss = warm_loss(heat, gain, number(epoch))  #!
        loss.backward()
        optimizer.step()
    return {"gain": gain.grad}


def broken():
    return train(int)


def fixed():
    return train(lambda epoch: torch.tensor(float(epoch)))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
