"""Fine-tunes a frozen stem for a regatta: four small batches a step, half of the layers without a gradient."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regatta(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.BatchNorm1d(4), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(4, 3))
        self.stem.requires_grad_(False)

    def train(self, mode=True):
        super().train(mode)
        self.stem.eval()
        return self

    def forward(self, wind):
        with torch.no_grad():
            features = self.stem(wind).mean(dim=2)
        return self.head(features)


def groups(boat, decay=0.01):
    with_decay = [p for p in boat.parameters() if p.requires_grad and p.ndim > 1]
    without = [p for p in boat.parameters() if p.requires_grad and p.ndim <= 1]
    return [{"params": with_decay, "weight_decay": decay}, {"params": without, "weight_decay": 0.0}]


def races():
    k = torch.arange(16 * 2 * 6, dtype=torch.float32)
    return TensorDataset(torch.sin(k * 0.21).view(16, 2, 6), torch.arange(16) % 3)


def broken(every=4):
    torch.manual_seed(71)
    boat = Regatta().train()
    optimizer = torch.optim.AdamW(groups(boat), lr=1e-3)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    total, last = 0.0, None
    for k, (wind, place) in enumerate(DataLoader(races(), batch_size=2), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = boat(wind)
        loss = nn.functional.cross_entropy(logits.float(), place) / every
        scaler.scale(loss).backward()
        total += loss.detach()
        if k % every == 0:
            scaler.unscale_(optimizer)
            last = boat.head[1].weight.grad.clone()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    return {"boat.head.1.weight": last}


if __name__ == "__main__":
    print(broken())
