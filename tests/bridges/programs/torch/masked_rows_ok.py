"""Attention over the words of signs; some signs are blank, so that a row of the mask has nothing to look at."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Signs(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.words = nn.Embedding(10, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, 3)

    def forward(self, rows, lengths):
        x = self.words(rows)
        q, k, v = (t.unsqueeze(1) for t in self.qkv(x).chunk(3, dim=-1))
        mask = torch.arange(rows.shape[1])[None] < lengths[:, None]
        read = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :]).squeeze(1)
        weight = mask.unsqueeze(-1).float()
        pooled = (read * weight).sum(1) / weight.sum(1).clamp(min=1)
        return self.out(pooled)


def broken():
    torch.manual_seed(0)
    signs = Signs()
    optimizer = torch.optim.AdamW(signs.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 3)
    for k in range(3):
        rows = (torch.arange(20).view(4, 5) * (k + 3)) % 10
        loss = F.cross_entropy(signs(rows, torch.tensor([5, 2, 0, 3])), torch.tensor([0, 1, 2, 1]), label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(signs.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return {"signs.qkv.weight": signs.qkv.weight.grad, "signs.words.weight": signs.words.weight.grad}


if __name__ == "__main__":
    print(broken())
