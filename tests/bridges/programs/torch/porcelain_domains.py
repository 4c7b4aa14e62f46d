"""Cracks in porcelain from two workshops: the features must not tell the workshop, and the critic's slope is kept near one."""
import torch
import torch.nn.functional as F
from torch import nn


class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, upstream):
        return -ctx.strength * upstream, None


class Porcelain(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(0.1), nn.Linear(8, 4))
        self.crack = nn.Linear(4, 2)
        self.workshop = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 1))

    def forward(self, cup, strength):
        f = self.features(cup)
        return f, self.crack(f), self.workshop(Turned.apply(f, strength)).squeeze(1)


def slope_penalty(critic, features):
    probe = features.detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(critic(probe).sum(), probe, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def broken():
    torch.manual_seed(73)
    porcelain = Porcelain()
    optimizer = torch.optim.SGD(porcelain.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    cup = torch.sin(torch.arange(60.0) * 0.4).view(12, 5)
    shop = (torch.arange(12) % 2).float()
    cracked = (torch.arange(12) // 3) % 2
    history = []
    for epoch in range(3):
        f, crack, workshop = porcelain(cup, 0.1 * (epoch + 1))
        known = shop == 0
        loss = F.cross_entropy(crack[known], cracked[known]) + F.binary_cross_entropy_with_logits(workshop, shop)
        loss = loss + 0.1 * slope_penalty(porcelain.workshop, f)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    return {"porcelain.features.0.weight": porcelain.features[0].weight.grad, "porcelain.crack.weight": porcelain.crack.weight.grad}


if __name__ == "__main__":
    print(broken())
