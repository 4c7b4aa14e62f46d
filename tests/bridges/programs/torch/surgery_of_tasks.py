"""Two tasks about wells whose gradients quarrel: each is projected onto the plane of the other (PCGrad)."""
import torch
import torch.nn.functional as F
from torch import nn


class Wells(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(5, 9), nn.Hardswish())
        self.salt = nn.Linear(9, 1)
        self.level = nn.Linear(9, 1)

    def forward(self, wells):
        inner = self.trunk(wells)
        return self.salt(inner).squeeze(1), self.level(inner).squeeze(1)


class Surgeon:
    def __init__(self, parameters):
        self.parameters = [p for p in parameters if p.requires_grad]

    def gradient_of(self, loss, last):
        found = torch.autograd.grad(loss, self.parameters, retain_graph=not last, allow_unused=True)
        return [torch.zeros_like(p) if g is None else g for p, g in zip(self.parameters, found)]

    def project(self, mine, other):
        dot = sum((a * b).sum() for a, b in zip(mine, other))
        length = sum(b.square().sum() for b in other)
        share = (dot / length.clamp(min=1e-12)).clamp(max=0)
        return [a - share * b for a, b in zip(mine, other)]

    def operate(self, losses):
        all_ = [self.gradient_of(loss, k == len(losses) - 1) for k, loss in enumerate(losses)]
        first, second = self.project(all_[0], all_[1]), self.project(all_[1], all_[0])
        for p, a, b in zip(self.parameters, first, second):
            p.grad = a + b


def drill(rounds=3):
    torch.manual_seed(14)
    model = Wells()
    surgeon = Surgeon(model.parameters())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    wells = torch.cos(torch.arange(50.0) * 0.33).view(10, 5)
    for _ in range(rounds):
        optimizer.zero_grad()
        salt, level = model(wells)
        surgeon.operate([F.mse_loss(salt, wells.sum(1)), F.mse_loss(level, -wells.sum(1))])
        optimizer.step()
    return {"model.trunk.0.weight": model.trunk[0].weight.grad, "model.salt.weight": model.salt.weight.grad}


def broken():
    return drill()


if __name__ == "__main__":
    print(broken())
