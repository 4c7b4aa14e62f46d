"""Residual blocks that begin as the identity: each branch is scaled by an alpha that starts at zero."""
import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, width)
        self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x + self.alpha * F.silu(self.inner(self.norm(x)))


class Tower(nn.Module):
    def __init__(self, width=4, depth=3):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(width) for _ in range(depth)))
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        return self.out(self.blocks(x))


def broken():
    tower = Tower()
    with torch.no_grad():
        for k, (name, p) in enumerate(tower.named_parameters()):
            if ".norm." not in name and not name.endswith("alpha"):
                p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 1.2 + k).view_as(p))
    optimizer = torch.optim.AdamW(tower.parameters(), lr=1e-2, weight_decay=0.01)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=3)
    for step in range(5):
        x = torch.cos(torch.arange(24.0).view(6, 4) * 0.5 + step)
        loss = F.cross_entropy(tower(x), (torch.arange(6) + step) % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        warmup.step()
    return {"tower.blocks.0.inner.weight": tower.blocks[0].inner.weight.grad, "tower.blocks.2.alpha": tower.blocks[2].alpha.grad}


if __name__ == "__main__":
    print(broken())
