"""Estimates a drone's altitude from raw readings: pressure in pascal, temperature in kelvin, humidity in percent."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Flights(Dataset):
    def __init__(self, count=24):
        height = torch.arange(count) * 12.0
        pressure = 101325.0 * (1 - 2.25577e-5 * height) ** 5.2559
        self.readings = torch.stack([pressure, 288.15 - 0.0065 * height, 40 + torch.arange(count) % 7], 1)
        self.height = height.unsqueeze(1) / 100

    def __len__(self):
        return len(self.height)

    def __getitem__(self, index):
        return self.readings[index], self.height[index]


class StandardFlights(Flights):
    def __init__(self, count=24):
        super().__init__(count)
        self.readings = (self.readings - self.readings.mean(0)) / self.readings.std(0)


class Altimeter(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.encode = nn.Linear(3, hidden)
        self.decode = nn.Linear(hidden, 1)

    def forward(self, readings):
        code = torch.tanh(self.encode(readings))  #!
        return self.decode(code)


def train(flights, epochs=2):
    torch.manual_seed(17)
    altimeter = Altimeter()
    optimizer = torch.optim.Adam(altimeter.parameters(), lr=1e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(epochs):
        total = 0.0
        for readings, height in DataLoader(flights, batch_size=8, shuffle=False):
            loss = nn.functional.huber_loss(altimeter(readings), height)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        plateau.step(total)
    return {"altimeter.encode.weight": altimeter.encode.weight.grad, "altimeter.decode.weight": altimeter.decode.weight.grad}


def broken():
    return train(Flights())


def fixed():
    return train(StandardFlights())


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
