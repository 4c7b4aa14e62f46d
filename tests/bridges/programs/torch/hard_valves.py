"""Prunes inputs of a pump model by hard-concrete valves, most of which end up shut or open altogether."""
import torch
from torch import nn


class Valves(nn.Module):
    def __init__(self, number, temperature=0.7, low=-0.1, high=1.1):
        super().__init__()
        self.log_alpha = nn.Parameter(torch.linspace(-2.0, 2.0, number))
        self.temperature, self.low, self.high = temperature, low, high

    def forward(self, noise):
        soft = torch.sigmoid((noise.logit() + self.log_alpha) / self.temperature)
        return (soft * (self.high - self.low) + self.low).clamp(0, 1)

    def open_share(self):
        return torch.sigmoid(self.log_alpha - self.temperature * 0.5).mean()


class Pump(nn.Module):
    def __init__(self, inputs=8):
        super().__init__()
        self.valves = Valves(inputs)
        self.flow = nn.Linear(inputs, 1)

    def forward(self, pressure, noise):
        return self.flow(pressure * self.valves(noise)).squeeze(-1)


def broken():
    pump = Pump()
    with torch.no_grad():
        for k, p in enumerate(pump.flow.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 1.1 + k).view_as(p))
    optimizer = torch.optim.Adam(pump.parameters(), lr=1e-2)
    for step in range(4):
        pressure = torch.sin(torch.arange(48.0).view(6, 8) * 0.3 + step)
        noise = 0.02 + 0.96 * (torch.arange(48.0).view(6, 8) * 0.618 + 0.1 * step).frac()
        loss = (pump(pressure, noise) - pressure[:, :3].sum(dim=1)).square().mean() + 0.1 * pump.valves.open_share()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        open_now = int((pump.valves.log_alpha.detach() > 0).sum())
    print("open valves", open_now)
    return {"pump.valves.log_alpha": pump.valves.log_alpha.grad, "pump.flow.weight": pump.flow.weight.grad}


if __name__ == "__main__":
    print(broken())
