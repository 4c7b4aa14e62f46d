"""Direction of currents between islands: a field of two components, compared by its angle."""
import torch
from torch import nn


class CurrentNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 5, bias=False)
        self.out = nn.Linear(5, 2, bias=False)

    def forward(self, place):
        return self.out(torch.tanh(self.inner(place)))


class AngleLoss(nn.Module):
    def angle(self, flow):
        east, north = flow.unbind(dim=-1)
        return torch.atan2(north, east)

    def forward(self, flow, wanted):
        apart = self.angle(flow) - wanted
        return (1.0 - torch.cos(apart)).mean()


def islands():
    place = torch.sin(torch.arange(12.0).view(6, 2) * 0.8)
    place[2] = 0.0  # the harbour is the origin
    return place, place[:, 0] * 2.0 - place[:, 1]


def train(criterion):
    model = CurrentNet()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.6 * torch.cos(torch.arange(p.numel()) * 1.7 + k).view_as(p))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    place, wanted = islands()
    for _ in range(2):
        loss = criterion(model(place), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model.inner.weight": model.inner.weight.grad, "model.out.weight": model.out.weight.grad}


def broken():
    return train(AngleLoss())


if __name__ == "__main__":
    print(broken())
