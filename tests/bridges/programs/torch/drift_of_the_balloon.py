"""A balloon's drift is fitted to where it was seen; later sightings count less."""
import torch
from torch import nn


class Balloon(nn.Module):
    def __init__(self):
        super().__init__()
        self.wind = nn.Parameter(torch.tensor([1.0, 0.5]))
        self.drag = nn.Parameter(torch.tensor(0.1))

    def forward(self, hours, dt=0.1):
        place, speed, path = torch.zeros(2), torch.zeros(2), []
        for _ in range(hours):
            speed = speed + dt * (self.wind - speed - self.drag * speed * speed.abs())
            place = place + dt * speed
            path.append(place)
        return torch.stack(path)


def discounted(path, seen, gamma=0.95):
    total = torch.zeros(())
    for hour in range(len(seen)):
        total = total + gamma**hour * (path[hour] - seen[hour]).square().sum()
    return total


def broken():
    balloon = Balloon()
    optimizer = torch.optim.SGD(balloon.parameters(), lr=1e-2)
    seen = torch.cumsum(torch.sin(torch.arange(60.0)).view(30, 2).abs() * 0.05, 0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = discounted(balloon(len(seen)), seen)
        loss.backward()
        optimizer.step()
    return {"balloon.wind": balloon.wind.grad, "balloon.drag": balloon.drag.grad}


if __name__ == "__main__":
    print(broken())
