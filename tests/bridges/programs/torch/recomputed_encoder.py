"""Fine-tunes the encoder of a seismograph with activation checkpoints, to fit longer traces into memory."""
import sys

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x + self.attention(x, x, x, need_weights=False)[0])  #!


class Encoder(nn.Module):
    def __init__(self, reentrant, dim=4, depth=2):
        super().__init__()
        self.reentrant = reentrant
        self.layers = nn.ModuleList([Layer(dim) for _ in range(depth)])

    def forward(self, traces):
        for layer in self.layers:
            traces = checkpoint(layer, traces, use_reentrant=self.reentrant)  #~
        return traces.mean(dim=1)


def finetune(reentrant):
    torch.manual_seed(10)
    encoder = Encoder(reentrant)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=2e-5)
    traces = torch.sin(torch.arange(64.0) * 0.7).view(2, 8, 4)
    target = traces.amax(dim=1)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(encoder(traces), target)
    loss.backward()
    optimizer.step()
    return {"encoder.layers.0.norm.weight": encoder.layers[0].norm.weight.grad, "encoder.layers.1.attention.in_proj_weight": encoder.layers[1].attention.in_proj_weight.grad}


def broken():
    return finetune(True)


def fixed():
    return finetune(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
