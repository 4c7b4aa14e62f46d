"""Growth rings: the loss is compiled where it is used."""
import sys

import torch


def ring_loss(width, rain, rate):
    grown = rate * torch.log1p(rain)
    return (width - grown.cumsum(0)).square().mean()


def compiled():
    def as_written(graph, examples):
        return graph.forward

    return torch.compile(ring_loss, backend=as_written)


def grow(once):
    rate = torch.tensor(0.5, requires_grad=True)
    kept = compiled()
    for season in range(3):
        step = kept if once else compiled()
        width, rain = torch.linspace(1, 3, 5), torch.linspace(0.1, 2, 5) + season
        loss = step(width, rain, rate)  #!
        rate.grad = None
        loss.backward()
        with torch.no_grad():
            rate -= 0.05 * rate.grad
    return {"rate": rate.grad}


def broken():
    return grow(once=False)


def fixed():
    return grow(once=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
