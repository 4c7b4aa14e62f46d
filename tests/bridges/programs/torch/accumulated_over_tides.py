"""Tides predicted by a recurrent cell: truncated history, gradients added up over two windows, a shadow copy."""

import torch
from torch import nn


class Shadow:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.kept = {name: w.detach().clone() for name, w in model.named_parameters()}

    @torch.no_grad()
    def follow(self, model):
        for name, w in model.named_parameters():
            self.kept[name].lerp_(w, 1 - self.decay)


class Tide(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 6)
        self.level = nn.Linear(6, 1)

    def forward(self, moon, state):
        levels = []
        for phase in moon:
            state = self.cell(phase, state)
            levels.append(self.level(state))
        return torch.stack(levels).squeeze(-1), state.detach()


def broken():
    torch.manual_seed(51)
    tide = Tide()
    shadow = Shadow(tide)
    optimizer = torch.optim.AdamW(tide.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
    state = torch.zeros(3, 6)
    losses = []
    for window in range(4):
        moon = torch.sin(torch.arange(24.0) + 24 * window).view(4, 3, 2)
        level, state = tide(moon, state)
        loss = (level - moon.sum(-1)).square().mean() / 2
        loss.backward()
        losses.append(loss.item())
        if window % 2:
            nn.utils.clip_grad_norm_(tide.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            shadow.follow(tide)
            if window < 3:
                optimizer.zero_grad()
    assert losses[-1] == losses[-1]
    return {"tide.cell.weight_ih": tide.cell.weight_ih.grad, "tide.level.weight": tide.level.weight.grad}


if __name__ == "__main__":
    print(broken())
