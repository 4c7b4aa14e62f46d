"""Distances between nests, with every root, quotient and logarithm guarded where they have no slope."""
import torch
from torch import nn


class Nest(nn.Module):
    def __init__(self, count):
        super().__init__()
        grid = torch.arange(2.0 * count).view(count, 2)
        self.place = nn.Parameter(torch.sin(grid * 0.7))

    def forward(self):
        apart = self.place.unsqueeze(0) - self.place.unsqueeze(1)
        square = apart.square().sum(dim=-1)
        same = square == 0
        return torch.where(same, square, torch.where(same, torch.ones_like(square), square).sqrt())


def share(count, total):
    return count / total.clamp(min=1)


def crowding(distance, reach=0.8):
    near = torch.sigmoid((reach - distance) * 8.0)
    weight = near.tril(-1)
    entropy = -(weight * (weight + (weight == 0)).log()).sum()
    return share(weight.sum(), (weight > 0.5).sum()) + 0.1 * entropy


def broken():
    nest = Nest(5)
    optimizer = torch.optim.LBFGS(nest.parameters(), lr=0.1, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = crowding(nest())
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return {"nest.place": nest.place.grad}


if __name__ == "__main__":
    print(broken())
