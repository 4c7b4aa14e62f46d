"""Gardens: a compiled step with a dynamic batch, a compiled evaluation of its own, gradients through both losses."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Variational(nn.Module):
    def __init__(self, inputs=6, code=2):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(inputs, 8), nn.SiLU())
        self.mean, self.log_variance = nn.Linear(8, code), nn.Linear(8, code)
        self.decode = nn.Sequential(nn.Linear(code, 8), nn.SiLU(), nn.Linear(8, inputs))

    def forward(self, garden, noise):
        x = self.encode(garden)
        mean, log_variance = self.mean(x), self.log_variance(x)
        code = mean + noise * (0.5 * log_variance).exp()
        return self.decode(code), mean, log_variance


def elbo(model, garden, noise, beta):
    again, mean, log_variance = model(garden, noise)
    closeness = F.mse_loss(again, garden, reduction="sum") / len(garden)
    divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
    return closeness + beta * divergence


def broken():
    torch.manual_seed(40)
    model = Variational()
    cost = torch.compile(elbo, backend="eager", dynamic=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    gardens = torch.cos(torch.arange(14 * 6.0) * 0.33).view(14, 6)
    loader = DataLoader(TensorDataset(gardens), batch_size=4)
    beta = torch.tensor(0.0)
    for epoch in range(3):
        beta.fill_(min(1.0, epoch / 2))
        for (garden,) in loader:
            noise = torch.sin(torch.arange(2.0 * len(garden))).view(-1, 2)
            optimizer.zero_grad()
            cost(model, garden, noise, beta).backward()
            optimizer.step()
    return {"model.mean.weight": model.mean.weight.grad, "model.decode.2.weight": model.decode[2].weight.grad}


if __name__ == "__main__":
    print(broken())
