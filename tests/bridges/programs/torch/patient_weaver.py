"""A reader of patterns trained with all that saves memory: pieces, checkpoints, bfloat16 and clipped gradients."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(F.silu(self.up(self.norm(x))))


class Weaver(nn.Module):
    def __init__(self, width=4, depth=3):
        super().__init__()
        self.embed = nn.Embedding(7, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, 7, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, pattern):
        x = self.embed(pattern)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


def decayed(model):
    plain = [p for p in model.parameters() if p.dim() < 2]
    wide = [p for p in model.parameters() if p.dim() >= 2]
    return [{"params": wide, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]


def broken(pieces=2):
    model = Weaver()
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.copy_(0.5 + 0.4 * torch.sin(torch.arange(p.numel()) * 1.7 + k).view_as(p))
    optimizer = torch.optim.AdamW(decayed(model), lr=1e-3, betas=(0.9, 0.95))
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    running = torch.zeros(())
    for step in range(6):
        pattern = (torch.arange(30).view(5, 6) * (step + 1)) % 7
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(pattern[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), pattern[:, 1:].flatten()) / pieces
        scaler.scale(loss).backward()
        running += loss.detach()
        if (step + 1) % pieces == 0:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            if step < 5:
                optimizer.zero_grad(set_to_none=True)
    print(f"{running.item():.3f}")
    return {"model.embed.weight": model.embed.weight.grad, "model.blocks.1.up.weight": model.blocks[1].up.weight.grad}


if __name__ == "__main__":
    print(broken())
