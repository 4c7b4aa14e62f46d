"""A compiled loss over ferns of different lengths."""
import torch
from torch import nn


class Fern(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = nn.Linear(3, 4)
        self.height = nn.Linear(4, 1)

    def forward(self, fronds):
        return self.height(torch.relu(self.leaf(fronds)).amax(dim=0))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    torch._dynamo.reset()
    fern = settle(Fern())

    @torch.compile(backend="eager", dynamic=True)
    def fern_loss(fronds, height):
        return (fern(fronds) - height).square().sum()

    optimizer = torch.optim.SGD(fern.parameters(), lr=0.01)
    for length in (5, 9, 7, 12):
        fronds = torch.cos(torch.arange(3.0 * length)).view(length, 3)
        optimizer.zero_grad()
        loss = fern_loss(fronds, fronds.max())
        loss.backward()
        optimizer.step()
    return {"fern.leaf.weight": fern.leaf.weight.grad, "fern.height.weight": fern.height.weight.grad}


if __name__ == "__main__":
    print(broken())
