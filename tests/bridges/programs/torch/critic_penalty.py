"""A Wasserstein critic of brush strokes with a gradient penalty."""
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))

    def forward(self, stroke):
        return self.body(stroke).squeeze(1)


def initialise(model, phase):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 * torch.sin(torch.arange(p.numel()) * 0.9 + k + phase).view_as(p))
    return model


def penalty(critic, real, fake):
    share = torch.linspace(0.1, 0.9, len(real)).unsqueeze(1)
    between = (share * real + (1.0 - share) * fake).requires_grad_()
    scores = critic(between)
    (slope,) = torch.autograd.grad(scores.sum(), between, create_graph=True)
    return (slope.norm(dim=1) - 1.0).square().mean()


def train():
    critic = initialise(Critic(), 0.0)
    painter = initialise(nn.Linear(2, 4), 1.0)
    critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
    painter_optimizer = torch.optim.Adam(painter.parameters(), lr=1e-3, betas=(0.0, 0.9))
    seen = {}
    for step in range(3):
        real = torch.sin(torch.arange(20.0).view(5, 4) + 0.1 * step)
        noise = torch.cos(torch.arange(10.0).view(5, 2) + step)
        fake = painter(noise)
        critic_optimizer.zero_grad()
        score = critic(fake.detach()).mean() - critic(real).mean()
        (score + 10.0 * penalty(critic, real, fake.detach())).backward()
        critic_optimizer.step()
        seen["critic.body.0.weight"] = critic.body[0].weight.grad.clone()
        painter_optimizer.zero_grad()
        (-critic(fake).mean()).backward()
        painter_optimizer.step()
    seen["painter.weight"] = painter.weight.grad
    return seen


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
