"""A small tower in bfloat16 with checkpoints, an average of weights and clipping."""
import sys

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def initialise(model):
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.4 * torch.sin(torch.arange(p.numel()) * 0.7 + k).view_as(p))
    return model


def broken():
    model = initialise(nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)))
    average = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.AdamW([{"params": model[0].parameters(), "lr": 1e-3}, {"params": model[2:].parameters()}], lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
    for k in range(4):
        x = torch.sin(torch.arange(24.0) + k).view(6, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = checkpoint(model[:3], x, use_reentrant=False)
            loss = F.cross_entropy(model[3](hidden).float(), torch.arange(6) % 2)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        average.update_parameters(model)
    return {"model.0.weight": model[0].weight.grad, "model.3.bias": model[3].bias.grad}


if __name__ == "__main__":
    print(broken())
