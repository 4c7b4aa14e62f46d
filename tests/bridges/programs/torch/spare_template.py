"""Tags fragments of old poems with their metre; a small transformer encoder."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Metre(nn.Module):
    def __init__(self, words=20, width=8, metres=3):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.block = self.layer(width)  #~
        self.encoder = nn.TransformerEncoder(self.block, 2, enable_nested_tensor=False)  #!
        self.head = nn.Linear(width, metres)

    def layer(self, width):
        return nn.TransformerEncoderLayer(width, 2, dim_feedforward=12, dropout=0.0, batch_first=True)  #~

    def forward(self, tokens):
        padding = tokens.eq(0)
        h = self.encoder(self.embed(tokens), src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1).float()
        return self.head((h * kept).sum(1) / kept.sum(1))


class TidyMetre(Metre):
    def __init__(self, words=20, width=8, metres=3):
        super().__init__(words, width, metres)
        self.block = self.encoder.layers[0]


def train(kind, epochs=2):
    torch.manual_seed(5)
    model = kind()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    tokens = (torch.arange(30).view(5, 6) * 7 % 19) + 1
    tokens[:, 4:] = 0
    metre = torch.arange(5) % 3
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens), metre)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return {
        "model.block.linear1.weight": model.block.linear1.weight.grad,
        "model.block.self_attn.out_proj.weight": model.block.self_attn.out_proj.weight.grad,
        "model.encoder.layers.0.linear1.weight": model.encoder.layers[0].linear1.weight.grad,
    }


def broken():
    return train(Metre)


def fixed():
    return train(TidyMetre)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
