"""Fine-tunes the last part of a network on leaves: frozen stem, two groups, a schedule, autocast, checkpoints."""
import io

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Linear(width, width)

    def forward(self, x):
        return x + F.gelu(self.mix(self.norm(x)))


class Leaves(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.stem = nn.Linear(4, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(2)])
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


@torch.inference_mode()
def accuracy(model, x, y):
    model.eval()
    right = (model(x).argmax(dim=1) == y).float().mean().item()
    model.train()
    return right


def train():
    model = settle(Leaves())
    model.stem.requires_grad_(False)
    groups = [{"params": model.blocks.parameters(), "lr": 1e-4}, {"params": model.head.parameters()}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[1e-3, 1e-2], total_steps=4)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    x = torch.sin(torch.arange(32.0) * 0.7).view(8, 4)
    y = torch.arange(8) % 3
    best, kept = 0.0, None
    for epoch in range(2):
        for batch, label in DataLoader(TensorDataset(x, y), batch_size=4):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(batch), label)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
            scaler.step(optimizer)
            scaler.update()
            gradients = {name: p.grad for name, p in model.named_parameters()}
            optimizer.zero_grad(set_to_none=True)
            schedule.step()
        if (right := accuracy(model, x, y)) >= best:
            best, kept = right, io.BytesIO()
            torch.save(model.state_dict(), kept)
    return {"model.head.weight": gradients["head.weight"], "model.blocks.0.mix.weight": gradients["blocks.0.mix.weight"]}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
