"""A generator of shell outlines, trained by the sliced Wasserstein distance, with weight-normalized layers and an LBFGS polish."""
import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm


class Outline(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = weight_norm(nn.Linear(3, 8))
        self.leave = spectral_norm(nn.Linear(8, 2))

    def forward(self, z):
        return 2 * self.leave(torch.tanh(self.enter(z)))


def sliced_distance(a, b, directions):
    pa, pb = a @ directions.T, b @ directions.T
    return (pa.sort(dim=0).values - pb.sort(dim=0).values).square().mean()


def directions(count, turn):
    angle = torch.linspace(0, torch.pi, count + 1)[:-1] + turn
    return torch.stack([angle.cos(), angle.sin()], dim=1)


def broken():
    torch.manual_seed(0)
    outline = Outline()
    z = torch.sin(torch.arange(60.0) * 1.7).view(20, 3)
    shells = torch.stack([torch.cos(torch.arange(20.0)), 0.5 * torch.sin(torch.arange(20.0))], dim=1)
    adam = torch.optim.Adam(outline.parameters(), lr=0.01, betas=(0.5, 0.9))
    for step in range(3):
        loss = sliced_distance(outline(z), shells, directions(6, 0.1 * step))
        adam.zero_grad()
        loss.backward()
        adam.step()
    outline.eval()
    polish = torch.optim.LBFGS(outline.enter.parameters(), max_iter=3)

    def closure():
        polish.zero_grad()
        value = sliced_distance(outline(z), shells, directions(6, 0.0))
        value.backward()
        return value

    polish.step(closure)
    scale = outline.enter.parametrizations.weight.original0
    return {"outline.enter.parametrizations.weight.original0": scale.grad}


if __name__ == "__main__":
    print(broken())
