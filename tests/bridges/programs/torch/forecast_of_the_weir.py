"""The level at a weir hours ahead: an encoder warms a state up, a decoder rolls it out."""
import sys

import torch
from torch import nn


class Weir(nn.Module):
    def __init__(self, warm):
        super().__init__()
        self.encoder = nn.GRU(1, 5, batch_first=True)
        self.decoder = nn.GRUCell(1, 5)
        self.level = nn.Linear(5, 1)
        self.warm = warm

    def forward(self, past, hours):
        state = self.warm(self, past)
        level, found = past[:, -1], []
        for _ in range(hours):
            state = self.decoder(level, state)
            level = self.level(state)
            found.append(level)
        return torch.cat(found, 1)


@torch.no_grad()
def warmed_once(weir, past):
    _, state = weir.encoder(past)  #!
    return state[0]


def warmed(weir, past):
    _, state = weir.encoder(past)
    return state[0]


def predict(warm):
    torch.manual_seed(71)
    weir = Weir(warm)
    optimizer = torch.optim.Adam(weir.parameters(), lr=1e-2)
    series = torch.sin(torch.arange(40.0) * 0.3).view(4, 10, 1)
    past, ahead = series[:, :7], series[:, 7:, 0]
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(weir(past, 3), ahead)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"hours ahead: {weir(past, 2)[0].tolist()}", file=sys.stderr)
    return {"weir.encoder.weight_ih_l0": weir.encoder.weight_ih_l0.grad, "weir.level.weight": weir.level.weight.grad}


def broken():
    return predict(warmed_once)


def fixed():
    return predict(warmed)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
