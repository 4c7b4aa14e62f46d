"""An encoder of weather and two tasks, each with an optimizer of its own that reads the same graph."""
import torch
from torch import nn
import torch.nn.functional as F


class Weather(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(5, 6), nn.ELU())
        self.rain = nn.Linear(6, 1)
        self.wind = nn.Linear(6, 2)

    def forward(self, chart):
        shared = self.encoder(chart)
        return self.rain(shared).squeeze(-1), self.wind(shared)


class TwoTasks:
    def __init__(self, model):
        self.model = model
        self.shared = torch.optim.SGD(model.encoder.parameters(), lr=0.05)
        self.heads = torch.optim.Adam([*model.rain.parameters(), *model.wind.parameters()], lr=1e-3)

    def step(self, chart, rain, wind):
        wet, blow = self.model(chart)
        first = F.binary_cross_entropy_with_logits(wet, rain)
        second = F.mse_loss(blow, wind)
        self.shared.zero_grad()
        self.heads.zero_grad()
        encoder = list(self.model.encoder.parameters())
        slopes = [torch.autograd.grad(task, encoder, retain_graph=True) for task in (first, second)]
        norms = [torch.cat([g.flatten() for g in slope]).norm().detach() for slope in slopes]
        weight = norms[0] / (norms[1] + 1e-8)
        (first + weight * second).backward()
        self.shared.step()
        self.heads.step()
        return first.detach() + second.detach()


def broken():
    model = Weather()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    tasks = TwoTasks(model)
    total = torch.zeros(())
    for step in range(4):
        chart = torch.sin(torch.arange(30.0).view(6, 5) * 0.3 + step)
        total += tasks.step(chart, (chart[:, 0] > 0).float(), chart[:, 1:3])
    print(f"mean {total.item() / 4:.3f}")
    return {"model.encoder.0.weight": model.encoder[0].weight.grad, "model.wind.weight": model.wind.weight.grad}


if __name__ == "__main__":
    print(broken())
