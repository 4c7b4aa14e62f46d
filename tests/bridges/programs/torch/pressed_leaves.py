"""A variational autoencoder with codes that pass a quantizer straight through, hooks on gradients and validation in between."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Press(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(6, 8), nn.ELU())
        self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)
        self.decode = nn.Sequential(nn.Linear(2, 8), nn.ELU(), nn.Linear(8, 6))

    def forward(self, x):
        h = self.encode(x)
        mean, log_variance = self.mean(h), self.spread(h)
        noise = torch.cos(torch.arange(mean.numel()) * 1.3).view_as(mean)
        code = Quantize.apply(mean + noise * torch.exp(0.5 * log_variance), 8.0)
        return self.decode(code), mean, log_variance


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def loss_of(model, x):
    again, mean, log_variance = model(x)
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(dim=1).mean()
    return F.mse_loss(again, x) + 0.1 * divergence


def broken():
    model = settle(Press())
    for p in model.decode.parameters():
        p.register_hook(lambda g: g.clamp(-1.0, 1.0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    leaves = TensorDataset(torch.sin(torch.arange(48.0) * 0.4).view(8, 6))
    best = float("inf")
    for epoch in range(2):
        model.train()
        for (x,) in DataLoader(leaves, batch_size=4):
            optimizer.zero_grad()
            loss_of(model, x).backward()
            optimizer.step()
        model.eval()
        with torch.inference_mode():
            total = sum(loss_of(model, x).item() for (x,) in DataLoader(leaves, batch_size=4))
        best = min(best, total)
    return {"model.encode.0.weight": model.encode[0].weight.grad, "model.spread.bias": model.spread.bias.grad}


if __name__ == "__main__":
    print(broken())
