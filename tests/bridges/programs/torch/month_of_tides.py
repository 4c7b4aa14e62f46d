"""A month of tides at one harbour: a cell reads day after day, and each day's forecast is compared with the next."""
import torch
from torch import nn


class Harbour(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.next = nn.Linear(5, 3)

    def forward(self, days):
        state, forecasts = torch.zeros(len(days), 5), []
        for day in range(days.shape[1] - 1):
            state = self.cell(days[:, day], state)
            forecasts.append(self.next(state))
        return torch.stack(forecasts, 1)


def broken():
    torch.manual_seed(103)
    harbour = Harbour()
    optimizer = torch.optim.Adam(harbour.parameters(), lr=1e-2)
    days = torch.sin(torch.arange(90.0) * 0.2).view(1, 30, 3)
    for _ in range(2):
        optimizer.zero_grad()
        loss = (harbour(days) - days[:, 1:]).square().mean()
        loss.backward()
        optimizer.step()
    return {"harbour.cell.weight_ih": harbour.cell.weight_ih.grad, "harbour.next.weight": harbour.next.weight.grad}


if __name__ == "__main__":
    print(broken())
