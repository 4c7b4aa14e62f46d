"""Cloud detection on satellite tiles; a generator normalises the tiles and hands out the batches."""
import sys

import torch
from torch import nn


class TileNet(nn.Module):
    def __init__(self, bands=4):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(bands, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.cloudy = nn.Linear(8, 1)

    def forward(self, tiles):
        return self.cloudy(self.features(tiles)).squeeze(-1)  #!


def tiles(count=12, size=6):
    values = torch.arange(count * 4 * size * size, dtype=torch.float32).reshape(count, 4, size, size)
    return 500 + 300 * torch.sin(values * 0.05), (torch.arange(count) % 3 == 0).float()


def normalised(images, labels, batch=4):
    with torch.no_grad():  #~
        mean = images.mean(dim=(0, 2, 3), keepdim=True)
        spread = images.std(dim=(0, 2, 3), keepdim=True)
        for start in range(0, len(images), batch):
            part = slice(start, start + batch)
            yield (images[part] - mean) / spread, labels[part]  #~


def normalised_first(images, labels, batch=4):
    with torch.no_grad():
        mean = images.mean(dim=(0, 2, 3), keepdim=True)
        spread = images.std(dim=(0, 2, 3), keepdim=True)
        scaled = (images - mean) / spread
    for start in range(0, len(images), batch):
        yield scaled[start : start + batch], labels[start : start + batch]


def train(batches, epochs=2):
    torch.manual_seed(1)
    model = TileNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, nesterov=True, momentum=0.9)
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))
    for _ in range(epochs):
        for images, cloudy in batches(*tiles()):
            loss = criterion(model(images), cloudy)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return {"model.features.0.weight": model.features[0].weight.grad, "model.cloudy.weight": model.cloudy.weight.grad}


def broken():
    return train(normalised)


def fixed():
    return train(normalised_first)


if __name__ == "__main__":
    print(fixed() if "fixed" in sys.argv else broken())
