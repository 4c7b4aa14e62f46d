"""The whole recipe: autocast, scaled losses, accumulation, clipping, a schedule, an average of weights and a checkpoint."""
import copy
import io

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.pool(self.stem(x)).flatten(1))


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.3 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


@torch.no_grad()
def average(slow, fast, decay=0.9):
    for a, b in zip(slow.parameters(), fast.parameters()):
        a.lerp_(b, 1 - decay)


def broken():
    model = settle(Net())
    slow = copy.deepcopy(model).requires_grad_(False)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=1e-2)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=4)
    scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
    data = TensorDataset(torch.sin(torch.arange(16.0 * 36) * 0.31).view(16, 1, 6, 6), torch.arange(16) % 3)
    for epoch in range(2):
        for number, (x, y) in enumerate(DataLoader(data, batch_size=4)):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1) / 2
            if number % 2 == 0:
                optimizer.zero_grad(set_to_none=True)
            scaler.scale(loss).backward()
            if number % 2 == 1:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                scheduler.step()
                average(slow, model)
        saved = io.BytesIO()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, saved)
    return {"model.head.weight": model.head.weight.grad}


if __name__ == "__main__":
    print(broken())
