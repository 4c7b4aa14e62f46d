"""Patterns of looms by a vector-quantised code: straight-through, commitment and an averaged codebook."""
import torch
import torch.nn.functional as F
from torch import nn


class AveragedCodebook(nn.Module):
    def __init__(self, codes=5, width=3, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", torch.sin(torch.arange(codes * width) * 0.8).view(codes, width))
        self.register_buffer("counts", torch.ones(codes))

    def forward(self, z):
        index = torch.cdist(z.detach(), self.codes).argmin(dim=1)
        chosen = F.embedding(index, self.codes)
        if self.training:
            self.follow(z.detach(), index)
        commitment = F.mse_loss(z, chosen.detach())
        return z + (chosen - z).detach(), commitment

    @torch.no_grad()
    def follow(self, z, index):
        one_hot = F.one_hot(index, len(self.codes)).to(z.dtype)
        self.counts.mul_(self.decay).add_(one_hot.sum(0), alpha=1 - self.decay)
        moved = one_hot.T @ z / one_hot.sum(0).clamp_min(1).unsqueeze(1)
        used = one_hot.any(0).unsqueeze(1)
        self.codes.copy_(torch.where(used, self.decay * self.codes + (1 - self.decay) * moved, self.codes))


class LoomCodec(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(7, 6), nn.SiLU(), nn.Linear(6, 3))
        self.codebook = AveragedCodebook()
        self.decode = nn.Sequential(nn.Linear(3, 6), nn.SiLU(), nn.Linear(6, 7))

    def forward(self, pattern):
        code, commitment = self.codebook(self.encode(pattern))
        return self.decode(code), commitment


def broken():
    torch.manual_seed(33)
    model = LoomCodec()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=4)
    patterns = torch.cos(torch.arange(70) * 0.31).view(10, 7)
    for _ in range(4):
        optimizer.zero_grad()
        again, commitment = model(patterns)
        (F.l1_loss(again, patterns) + 0.25 * commitment).backward()
        optimizer.step()
        schedule.step()
    return {"model.encode.0.weight": model.encode[0].weight.grad, "model.decode.2.bias": model.decode[2].bias.grad}


if __name__ == "__main__":
    print(broken())
