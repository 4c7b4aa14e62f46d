"""Bird songs are embedded so that songs of one kind lie together; hardest pairs of a batch (batch-hard triplet loss)."""
import sys

import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.out = nn.Linear(4, 3)

    def forward(self, song):
        return self.out(torch.relu(self.conv(song)).amax(dim=-1))


def root(squares):
    return squares.sqrt()  #!


def safe_root(squares):
    return (squares + 1e-8).sqrt()


def batch_hard(embedded, kind, root, margin=0.5):
    gap = embedded.unsqueeze(0) - embedded.unsqueeze(1)
    distance = root(gap.square().sum(dim=-1))
    same = kind.unsqueeze(0) == kind.unsqueeze(1)
    eye = torch.eye(len(kind), dtype=torch.bool)
    far = torch.where(same & ~eye, distance, torch.zeros_like(distance)).amax(dim=1)
    near = torch.where(same, torch.full_like(distance, 1e3), distance).amin(dim=1)
    return nn.functional.softplus(far - near + margin).mean()


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def train(root):
    net = settle(Embedder())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    songs = torch.sin(torch.arange(4 * 8) * 0.37).view(4, 1, 8)
    kind = torch.tensor([0, 0, 1, 1])
    loss = batch_hard(net(songs), kind, root)
    optimizer.zero_grad()
    loss.backward()
    return {"net.out.weight": net.out.weight.grad, "net.conv.weight": net.conv.weight.grad}


def broken():
    return train(root)


def fixed():
    return train(safe_root)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
