"""Migration of geese, trained by Lookahead: fast weights walk, slow ones follow every third step."""
import torch
from torch import nn


class Lookahead:
    def __init__(self, inner, every=3, share=0.5):
        self.inner, self.every, self.share, self.count = inner, every, share, 0
        self.slow = [p.detach().clone() for group in inner.param_groups for p in group["params"]]

    def zero_grad(self):
        self.inner.zero_grad()

    @torch.no_grad()
    def step(self):
        self.inner.step()
        self.count += 1
        if self.count % self.every:
            return
        fast = [p for group in self.inner.param_groups for p in group["params"]]
        for slow, p in zip(self.slow, fast):
            slow.lerp_(p, self.share)
            p.copy_(slow)


class Route(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.legs = nn.RNN(2, width, batch_first=True, nonlinearity="tanh")
        self.next = nn.Linear(width, 2)
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, places):
        if self.training:
            with torch.no_grad():
                self.mean.lerp_(places.mean((0, 1)), 0.1)
        states, _ = self.legs(places - self.mean)
        return self.next(states) + self.mean


def migrate(steps=6):
    torch.manual_seed(77)
    route = Route()
    optimizer = Lookahead(torch.optim.SGD(route.parameters(), lr=0.05, momentum=0.8))
    time = torch.arange(8.0)
    places = torch.stack([torch.stack([time + k, (time * 0.5 + k).sin()], 1) for k in range(3)])
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(route(places)[:, :-1], places[:, 1:])
        loss.backward()
        optimizer.step()
    return {"route.legs.weight_ih_l0": route.legs.weight_ih_l0.grad, "route.next.weight": route.next.weight.grad}


def broken():
    return migrate()


if __name__ == "__main__":
    print(broken())
