"""A diffusion model for profiles of snow whose noise schedule is to be learned along with the network."""
import sys

import torch
from torch import nn


class Schedule(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(8.0))
        self.shift = nn.Parameter(torch.tensor(-4.0))

    def forward(self, t):
        return torch.sigmoid(-(self.slope * t + self.shift))  #!


class Denoiser(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.time = nn.Embedding(10, 4)
        self.net = nn.Sequential(nn.Linear(size + 4, 16), nn.SiLU(), nn.Linear(16, size))

    def forward(self, x, step):
        return self.net(torch.cat([x, self.time(step)], dim=-1))


class Diffusion(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.schedule = Schedule()
        self.denoiser = Denoiser(size)

    @torch.no_grad()
    def q_sample(self, x, noise, step):
        keep = self.schedule(step / 10).unsqueeze(-1)
        return keep.sqrt() * x + (1 - keep).sqrt() * noise  #~

    def loss(self, x, noise, step):
        return (self.denoiser(self.q_sample(x, noise, step), step) - noise).square().mean()


class LearnedDiffusion(Diffusion):
    def q_sample(self, x, noise, step):
        return Diffusion.q_sample.__wrapped__(self, x, noise, step)


def train(kind):
    torch.manual_seed(0)
    diffusion = kind()
    ema = torch.optim.swa_utils.AveragedModel(diffusion, avg_fn=lambda slow, fast, n: 0.9 * slow + 0.1 * fast)
    optimizer = torch.optim.AdamW(diffusion.parameters(), lr=1e-3)
    x = torch.sin(torch.arange(48.0)).view(8, 6)
    for k in range(2):
        loss = diffusion.loss(x, torch.cos(x * 9 + k), torch.arange(8) + k)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update_parameters(diffusion)
    return {"diffusion.schedule.slope": diffusion.schedule.slope.grad, "diffusion.denoiser.time.weight": diffusion.denoiser.time.weight.grad}


def broken():
    return train(Diffusion)


def fixed():
    return train(LearnedDiffusion)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
