"""An alarm's loss is kept for the evening's report, step by step."""
import sys

import torch
from torch import nn


class Report:
    def __init__(self, note):
        self.noted, self.note = [], note

    def add(self, name, loss):
        self.noted.append((name, self.note(loss)))  #!

    def mean(self):
        return sum(float(loss) for _, loss in self.noted) / len(self.noted)


def watch(note):
    torch.manual_seed(101)
    alarm = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(alarm.parameters())
    report = Report(note)
    for hour in range(8):
        smoke = torch.sin(torch.arange(12.0) + hour).view(3, 4)
        loss = (alarm(smoke).squeeze(1) - smoke.amax(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        report.add(f"hour {hour}", loss)
    print(report.mean(), file=sys.stderr)
    return {"alarm.0.weight": alarm[0].weight.grad}


def broken():
    return watch(lambda loss: loss)


def fixed():
    return watch(lambda loss: loss.item())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
