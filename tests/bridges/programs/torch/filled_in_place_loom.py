"""A loom's pattern is drawn row by row into a prepared cloth; what is written there is part of the graph."""
import torch
from torch import nn


class Weaver(nn.Module):
    def __init__(self, width=6, hidden=5):
        super().__init__()
        self.first = nn.Parameter(torch.zeros(hidden))
        self.cell = nn.GRUCell(width, hidden)
        self.thread = nn.Linear(hidden, width)
        self.width = width

    def forward(self, patterns, rows):
        cloth = patterns.new_zeros(len(patterns), rows, self.width)
        state = self.first.expand(len(patterns), -1)
        row = patterns
        for k in range(rows):
            state = self.cell(row, state)
            drawn = self.thread(state)
            drawn += 0.1 * row
            cloth[:, k] = drawn.relu_()
            row = cloth[:, k].clone()
        return cloth

    def tension(self):
        return self.thread.weight.detach().norm().item()


class Shuttle:
    """Weaves against a design; worn threads are cut by hand after each step."""

    def __init__(self, weaver):
        self.weaver = weaver
        self.optimizer = torch.optim.Adamax(weaver.parameters(), lr=2e-3)

    def pass_(self, patterns, design):
        self.optimizer.zero_grad()
        cloth = self.weaver(patterns, design.shape[1])
        loss = (cloth - design).square().mean() + 1e-3 * cloth.sum(2).std()
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            self.weaver.thread.weight.clamp_(-2, 2)
        return loss.item()


def weave(passes=3):
    torch.manual_seed(3)
    shuttle = Shuttle(Weaver())
    patterns = torch.sin(torch.arange(24.0) * 0.5).view(4, 6)
    design = torch.stack([patterns.roll(k, 1) for k in range(4)], 1).abs()
    worst = 0.0
    for _ in range(passes):
        worst = max(worst, shuttle.pass_(patterns, design))
    model = shuttle.weaver
    return {"model.first": model.first.grad, "model.cell.weight_ih": model.cell.weight_ih.grad, "model.thread.bias": model.thread.bias.grad}


def broken():
    return weave()


if __name__ == "__main__":
    print(broken())
