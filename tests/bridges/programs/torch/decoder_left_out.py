"""An autoencoder of leaf outlines with a schedule and clipping."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Leaves(nn.Module):
    def __init__(self, points=10, code=3):
        super().__init__()
        self.encoder = nn.Linear(points, code)
        self.decoder = nn.Linear(code, points)

    def forward(self, outline):
        return self.decoder(F.silu(self.encoder(outline)))  #!


def of_encoder(model):
    return model.encoder.parameters()


def of_all(model):
    return model.parameters()


class Trainer:
    def __init__(self, model, chosen):
        self.model = model
        self.optimizer = torch.optim.AdamW(chosen(model), lr=1e-2)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 8)

    def step(self, outline):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.model(outline), outline)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.schedule.step()


def train(chosen):
    torch.manual_seed(32)
    model = Leaves()
    trainer = Trainer(model, chosen)
    for k in range(4):
        model.zero_grad()
        trainer.step(torch.sin(torch.arange(40.0) * 0.3 + k).view(4, 10))
    return {"model.encoder.weight": model.encoder.weight.grad, "model.decoder.weight": model.decoder.weight.grad}


def broken():
    return train(of_encoder)


def fixed():
    return train(of_all)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
