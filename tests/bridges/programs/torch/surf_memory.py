"""A recurrent forecaster of waves that learns the state it starts from."""
import sys

import torch
from torch import nn


class Surf(nn.Module):
    def __init__(self, keep_graph):
        super().__init__()
        self.start = nn.Parameter(torch.linspace(-0.5, 0.5, 4))
        self.step = nn.RNNCell(2, 4)
        self.out = nn.Linear(4, 1)
        self.keep_graph = keep_graph
        with torch.no_grad():
            for k, p in enumerate(list(self.step.parameters()) + list(self.out.parameters())):
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))

    def remember(self, state):
        return state if self.keep_graph else state.detach()  #!

    def forward(self, waves):
        state = self.start.unsqueeze(0)
        heights = []
        for wave in waves:
            state = self.step(wave.unsqueeze(0), self.remember(state))
            heights.append(self.out(state))
        return torch.cat(heights).squeeze(1)


def train(keep_graph):
    surf = Surf(keep_graph)
    waves = torch.sin(torch.arange(12.0)).view(6, 2)
    height = torch.cos(torch.arange(6.0))
    optimizer = torch.optim.RMSprop(surf.parameters(), lr=0.01)
    log = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = (surf(waves) - height).abs().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(surf.parameters(), 1.0)
        optimizer.step()
        log.append(loss.detach())
    return {"surf.start": surf.start.grad, "surf.step.weight_ih": surf.step.weight_ih.grad}


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
