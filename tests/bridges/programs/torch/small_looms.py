"""Four small batches make one step; the trunk is recomputed in backward to save memory."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


class Loom(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.cloth = nn.Linear(8, 1)

    def forward(self, thread):
        return self.cloth(checkpoint(self.trunk, thread, use_reentrant=False)).squeeze(1)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    loom = settle(Loom())
    optimizer = torch.optim.SGD(loom.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    threads = torch.sin(torch.arange(128.0)).view(32, 4)
    loader = DataLoader(TensorDataset(threads, threads.mean(dim=1)), batch_size=4)
    running = 0.0
    for number, (thread, cloth) in enumerate(loader, 1):
        loss = (loom(thread) - cloth).square().mean() / 4
        loss.backward()
        running += loss.item()
        if number % 4 == 0:
            total = nn.utils.clip_grad_norm_(loom.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if number < len(loader):
                optimizer.zero_grad()
    return {"loom.trunk.0.weight": loom.trunk[0].weight.grad, "loom.cloth.bias": loom.cloth.bias.grad}


if __name__ == "__main__":
    print(broken())
