"""Patches of quilts as entries of a book: straight-through, the book follows by averages that no gradient touches."""
import torch
import torch.nn.functional as F
from torch import nn


class Book(nn.Module):
    def __init__(self, entries=6, width=3, decay=0.9):
        super().__init__()
        start = torch.sin(torch.arange(entries * width, dtype=torch.float32)).view(entries, width)
        self.register_buffer("entries", start)
        self.register_buffer("count", torch.ones(entries))
        self.register_buffer("total", start.clone())
        self.decay = decay

    @torch.no_grad()
    def follow(self, codes, chosen):
        hot = F.one_hot(chosen, len(self.count)).to(codes.dtype)
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.t() @ codes, alpha=1 - self.decay)
        self.entries.copy_(self.total / self.count.clamp(min=1e-3)[:, None])

    def forward(self, codes):
        chosen = torch.cdist(codes.detach(), self.entries).argmin(dim=1)
        picked = self.entries[chosen].clone()
        if self.training:
            self.follow(codes, chosen)
        commitment = F.mse_loss(codes, picked)
        return codes + (picked - codes).detach(), commitment


class Quilts(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(8, 3)
        self.book = Book()
        self.decode = nn.Linear(3, 8)

    def forward(self, patch):
        picked, commitment = self.book(self.encode(patch))
        return self.decode(picked), commitment


def broken():
    torch.manual_seed(61)
    quilts = Quilts()
    patch = torch.cos(torch.arange(80.0) * 0.3).view(10, 8)
    optimizer = torch.optim.Adam(quilts.parameters(), lr=0.01)
    for _ in range(3):
        again, commitment = quilts(patch)
        loss = F.mse_loss(again, patch) + 0.25 * commitment
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"quilts.encode.weight": quilts.encode.weight.grad}


if __name__ == "__main__":
    print(broken())
