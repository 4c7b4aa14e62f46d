"""Classes of shells from a loader with shuffling by formula, early stopping and a scheduler."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Shells(Dataset):
    def __len__(self):
        return 14

    def __getitem__(self, index):
        angle = torch.tensor(float(index))
        return torch.stack([angle.sin(), angle.cos(), angle / 14]), index % 3


def evaluate(model, loader):
    model.eval()
    with torch.inference_mode():
        right = sum((model(x).argmax(dim=1) == kind).sum().item() for x, kind in loader)
    model.train()
    return right


def broken():
    model = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Dropout(0.0), nn.Linear(8, 3))
    loader = DataLoader(Shells(), batch_size=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
    best = -1
    for epoch in range(2):
        for x, kind in loader:
            if len(x) < 2:
                continue
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), kind, label_smoothing=0.1)
            loss.backward()
            optimizer.step()
        schedule.step()
        best = max(best, evaluate(model, loader))
    return {"model.0.weight": model[0].weight.grad, "model.3.bias": model[3].bias.grad}

if __name__ == "__main__":
    print(broken())
