"""A mill stream: the gate's policy is trained by returns that are whitened, with a baseline and an entropy that fades."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 6), nn.Tanh())
        self.open = nn.Linear(6, 3)
        self.worth = nn.Linear(6, 1)

    def forward(self, stream):
        body = self.body(stream)
        return torch.distributions.Categorical(logits=self.open(body)), self.worth(body).squeeze(1)


@torch.no_grad()
def whitened(values):
    return (values - values.mean()) / values.std().clamp(min=1e-6)


def broken():
    torch.manual_seed(85)
    gate = Gate()
    optimizer = torch.optim.Adam(gate.parameters(), lr=1e-2)
    fade = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for episode in range(3):
        stream = torch.sin(torch.arange(16.0) + episode).view(8, 2)
        choice, worth = gate(stream)
        action = torch.arange(8) % 3
        reward = stream.prod(1) - 0.1 * action
        returns = reward.flip(0).cumsum(0).flip(0)
        advantage = whitened(returns - worth)
        loss = -(choice.log_prob(action) * advantage).mean() + 0.5 * (returns - worth).square().mean()
        loss = loss - 0.01 * 0.5**episode * choice.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(gate.parameters(), 0.5)
        optimizer.step()
        fade.step()
    return {"gate.open.weight": gate.open.weight.grad, "gate.worth.weight": gate.worth.weight.grad}


if __name__ == "__main__":
    print(broken())
