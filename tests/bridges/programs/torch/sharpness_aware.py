"""Sharpness-aware minimisation, written by hand: climb, ask again, come back, step. Accumulated over two batches."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SharpnessAware(torch.optim.Optimizer):
    def __init__(self, params, base, radius=0.05, **options):
        super().__init__(params, dict(radius=radius, **options))
        self.base = base(self.param_groups, **options)

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.state[p]["here"] = p.detach().clone()
                    p.add_(p.grad, alpha=group["radius"] / (float(norm) + 1e-12))

    @torch.no_grad()
    def step(self, closure=None):
        loss = torch.enable_grad()(closure)()
        for group in self.param_groups:
            for p in group["params"]:
                if "here" in self.state[p]:
                    p.copy_(self.state[p]["here"])
        self.base.step()
        return loss


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        return self.body(x)


def freeze_statistics(model, frozen):
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm1d):
            layer.momentum = 0.0 if frozen else 0.1


def broken():
    torch.manual_seed(35)
    model = Net()
    optimizer = SharpnessAware(model.parameters(), torch.optim.SGD, lr=0.05, momentum=0.9)
    data = torch.sin(torch.arange(96.0) * 0.51).view(24, 4)
    loader = DataLoader(TensorDataset(data, torch.arange(24) % 3), batch_size=8)

    def losses(batch):
        x, y = batch
        for part, label in zip(x.chunk(2), y.chunk(2)):
            (F.cross_entropy(model(part), label) / 2).backward()

    for batch in loader:
        optimizer.zero_grad()
        losses(batch)
        optimizer.climb()
        freeze_statistics(model, True)

        def again():
            optimizer.zero_grad()
            return losses(batch)

        optimizer.step(again)
        freeze_statistics(model, False)
    return {"model.body.0.weight": model.body[0].weight.grad, "model.body.3.bias": model.body[3].bias.grad}


if __name__ == "__main__":
    print(broken())
