"""Long transcripts: a frozen embedding and a stack of blocks that are checkpointed to save memory."""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.MultiheadAttention(width, 2, batch_first=True)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        y = self.norm(x)  #~
        y, _ = self.mix(y, y, y, need_weights=False)  #~
        return x + self.feed(x + y)  #!


class Transcriber(nn.Module):
    reentrant = True

    def __init__(self, words=20, width=8, depth=2):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.embed.weight.requires_grad_(False)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.final = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, words):
        x = self.embed(words)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=self.reentrant)  #~
        return self.head(self.final(x))


class RecordedTranscriber(Transcriber):
    reentrant = False


def texts():
    for k in range(3):
        yield (torch.arange(24).view(3, 8) * (k + 1)) % 20


def train(kind):
    torch.manual_seed(11)
    model = kind()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
    for words in texts():
        logits = model(words[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        warm.step()
    return {
        "model.blocks.0.feed.0.weight": model.blocks[0].feed[0].weight.grad,
        "model.blocks.1.norm.weight": model.blocks[1].norm.weight.grad,
        "model.head.weight": model.head.weight.grad,
    }


def broken():
    return train(Transcriber)


def fixed():
    return train(RecordedTranscriber)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
