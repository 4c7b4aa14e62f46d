"""A Wasserstein critic of woven patterns, whose weights are clipped through .data after every step."""
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))

    def forward(self, pattern):
        return self.net(pattern).mean()


class Weaver(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 6), nn.ELU(), nn.Linear(6, 4))

    def forward(self, seed):
        return self.net(seed)


def clip(critic, most=0.05):
    for p in critic.parameters():
        p.data.clamp_(-most, most)


def broken():
    weaver, critic = Weaver(), Critic()
    with torch.no_grad():
        for k, p in enumerate([*weaver.parameters(), *critic.parameters()]):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 1.3 + k).view_as(p))
    judging = torch.optim.RMSprop(critic.parameters(), lr=5e-3)
    weaving = torch.optim.RMSprop(weaver.parameters(), lr=5e-3)
    clip(critic)
    for turn in range(4):
        seed = torch.cos(torch.arange(10.0).view(5, 2) * 0.9 + turn)
        real = torch.sin(torch.arange(20.0).view(5, 4) * 0.5 + turn)
        for _ in range(2):
            with torch.no_grad():
                fake = weaver(seed)
            judging.zero_grad()
            (critic(fake) - critic(real)).backward()
            judging.step()
            clip(critic)
        for p in critic.parameters():
            p.requires_grad_(False)
        weaving.zero_grad()
        (-critic(weaver(seed))).backward()
        weaving.step()
        for p in critic.parameters():
            p.requires_grad_(True)
    return {"weaver.net.0.weight": weaver.net[0].weight.grad, "critic.net.0.weight": critic.net[0].weight.grad}


if __name__ == "__main__":
    print(broken())
