"""Counts apples from rows of trees that worker processes load, with accumulated batches."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, k):
        with torch.no_grad():
            tree = torch.cos(torch.arange(6.0) + k)
        return {"tree": tree.numpy(), "apples": float(tree.square().sum().item())}


def collate(items):
    trees = torch.stack([torch.from_numpy(item["tree"]) for item in items])
    return trees, torch.tensor([item["apples"] for item in items])


class Apples(nn.Module):
    def __init__(self):
        super().__init__()
        self.see = nn.Linear(6, 8)
        self.count = nn.Linear(8, 1)

    def forward(self, trees):
        return self.count(nn.functional.softplus(self.see(trees))).squeeze(1)


def broken():
    apples = Apples()
    with torch.no_grad():
        for k, p in enumerate(apples.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    optimizer = torch.optim.AdamW(apples.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=4)
    loader = DataLoader(Rows(16), batch_size=4, num_workers=2, collate_fn=collate, drop_last=True)
    for epoch in range(2):
        for k, (trees, wanted) in enumerate(loader):
            loss = nn.functional.poisson_nll_loss(apples(trees), wanted) / 2
            loss.backward()
            if k % 2 == 1:
                optimizer.step()
                schedule.step()
                if (epoch, k) != (1, 3):
                    optimizer.zero_grad()
    return {"apples.see.weight": apples.see.weight.grad, "apples.count.bias": apples.count.bias.grad}

if __name__ == "__main__":
    print(broken())
