"""A deep tower for telescope images that recomputes its blocks on the way back."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Linear(width, width)

    def forward(self, x):
        return x + torch.tanh(self.mix(x))


class Tower(nn.Module):
    def __init__(self, width=5, depth=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.out(x).squeeze(1)


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.3 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def broken():
    tower = initialise(Tower())
    optimizer = torch.optim.SGD(tower.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    for night in range(2):
        stars = torch.cos(torch.arange(30.0).view(6, 5) * 0.4 + night)
        loss = nn.functional.smooth_l1_loss(tower(stars), stars.mean(dim=1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(tower.parameters(), 1.0)
        optimizer.step()
    return {f"tower.{name}": p.grad for name, p in tower.named_parameters()}


if __name__ == "__main__":
    print(broken())
