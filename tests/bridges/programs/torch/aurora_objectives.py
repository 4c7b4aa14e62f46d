"""Nowcasting of auroras from magnetometers: a forecast, an onset detector and a consistency between stations."""
import sys
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Weights:
    forecast: float = 1.0
    onset: float = 0.4
    agree: float = 0.2


class Magnetometers(nn.Module):
    def __init__(self, channels=3, hidden=6):
        super().__init__()
        self.encoder = nn.GRU(channels, hidden, batch_first=True)
        self.forecast = nn.Linear(hidden, channels)
        self.onset = nn.Linear(hidden, 1)
        self.station = nn.Linear(hidden, 4)

    def forward(self, series):
        states, _ = self.encoder(series)
        return self.forecast(states[:, -1]), self.onset(states[:, -1]).squeeze(-1), self.station(states.mean(1))


class Trainer:
    def __init__(self, model, weights):
        self.model, self.weights = model, weights
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
        self.log = []

    def objective(self, forecast, onset, agree):
        return self.weights.forecast * forecast + self.weights.onset * onset  #!

    def step(self, series, following, storm):
        forecast, onset, station = self.model(series)
        forecast_loss = F.smooth_l1_loss(forecast, following)
        onset_loss = F.binary_cross_entropy_with_logits(onset, storm)
        agree_loss = (station - station.mean(0, keepdim=True)).square().mean()  #~
        loss = self.objective(forecast_loss, onset_loss, agree_loss)  #~
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  #~
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.log.append({"forecast": forecast_loss.item(), "onset": onset_loss.item(), "agree": agree_loss.item()})


class AgreeingTrainer(Trainer):
    def objective(self, forecast, onset, agree):
        return super().objective(forecast, onset, agree) + self.weights.agree * agree


def nights(count=4, length=7):
    for k in range(count):
        series = torch.sin(torch.arange(5 * length * 3) * 0.17 + k).view(5, length, 3)
        yield series, series[:, -1].roll(1, 0), (series[:, -1, 0] > 0).float()


def run(kind):
    torch.manual_seed(3)
    model = Magnetometers()
    trainer = kind(model, Weights())
    for series, following, storm in nights():
        trainer.step(series, following, storm)
    return {"model.station.weight": model.station.weight.grad, "model.onset.weight": model.onset.weight.grad}


def broken():
    return run(Trainer)


def fixed():
    return run(AgreeingTrainer)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
