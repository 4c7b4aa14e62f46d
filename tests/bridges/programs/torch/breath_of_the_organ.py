"""An organ's bellows: the leak is fitted so that the simulated pressure follows the measured one."""
import sys
from dataclasses import dataclass, field

import torch


@dataclass
class Bellows:
    leak: torch.Tensor = field(default_factory=lambda: torch.tensor(0.3, requires_grad=True))
    weight: torch.Tensor = field(default_factory=lambda: torch.tensor(1.2, requires_grad=True))
    pressure: torch.Tensor = field(default_factory=lambda: torch.ones(()))

    def blow(self, steps, dt, escape):
        history = []
        for k in range(steps):
            inflow = self.weight * (1 + 0.2 * torch.sin(torch.tensor(0.5 * k)))
            self.pressure = self.pressure + dt * (inflow - escape(self.leak, self.pressure))
            history.append(self.pressure)
        return torch.stack(history)


def by_table(leak, pressure):
    rate = round(float(leak), 4)  #!
    return rate * pressure


def by_law(leak, pressure):
    return leak * pressure


def play(escape):
    bellows = Bellows()
    measured = 1.0 + 0.1 * torch.arange(8.0)
    optimizer = torch.optim.SGD([bellows.leak, bellows.weight], lr=1e-3)
    optimizer.zero_grad()
    loss = (bellows.blow(8, 0.1, escape) - measured).square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([bellows.leak, bellows.weight], 10.0)
    optimizer.step()
    return {"bellows.leak": bellows.leak.grad, "bellows.weight": bellows.weight.grad}


def broken():
    return play(by_table)


def fixed():
    return play(by_law)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
