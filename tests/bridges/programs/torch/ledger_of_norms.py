"""Forecasts of a granary; a callback keeps the size of the gradients for the evening report."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Report:
    def __init__(self):
        self.rows, self.last = [], {}

    def look(self, trainer):
        self.last = {"granary.out.weight": trainer.granary.out.weight.grad}
        self.rows.append({k: None if g is None else float(g.norm()) for k, g in self.last.items()})

    def after_backward(self, trainer):
        pass

    def after_step(self, trainer):
        pass


class LateReport(Report):
    def after_step(self, trainer):
        self.look(trainer)


class EarlyReport(Report):
    def after_backward(self, trainer):
        self.look(trainer)


class Granary(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 6, batch_first=True)
        self.out = nn.Linear(6, 1)

    def forward(self, days):
        return self.out(self.rnn(days)[0][:, -1]).squeeze(1)


class Trainer:
    def __init__(self, report):
        torch.manual_seed(9)
        self.granary, self.report = Granary(), report
        self.optimizer = torch.optim.RMSprop(self.granary.parameters(), lr=1e-3)

    def step(self, days, stock):
        loss = nn.functional.huber_loss(self.granary(days), stock)
        loss.backward()
        self.report.after_backward(self)
        nn.utils.clip_grad_norm_(self.granary.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()  #!
        self.report.after_step(self)

    def fit(self):
        k = torch.arange(8 * 5 * 2, dtype=torch.float32)
        data = TensorDataset(torch.sin(k * 0.2).view(8, 5, 2), torch.cos(k[:8]))
        for days, stock in DataLoader(data, batch_size=4):
            self.step(days, stock)
        granary = self.granary
        return {"granary.out.weight": self.report.last["granary.out.weight"]}


def broken():
    return Trainer(LateReport()).fit()


def fixed():
    return Trainer(EarlyReport()).fit()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
