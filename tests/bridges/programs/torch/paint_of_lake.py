"""Neural style: a picture of a lake takes on the colours and textures of a painting."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Features(nn.Module):
    def __init__(self, layers=(1, 3)):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 6, 3, padding=1, stride=2), nn.ReLU()
        )
        self.layers = layers
        self.requires_grad_(False)

    def forward(self, picture):
        found = []
        for number, layer in enumerate(self.body):
            picture = layer(picture)
            if number in self.layers:
                found.append(picture)
        return found


def gram(feature):
    flat = feature.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.shape[2]


def smoothness(picture):
    across = (picture[..., 1:] - picture[..., :-1]).abs().mean()
    down = (picture[..., 1:, :] - picture[..., :-1, :]).abs().mean()
    return across + down


class Painter:
    def __init__(self, content, style):
        self.features = Features()
        with torch.no_grad():
            self.content = self.features(content)[-1]
            self.grams = [gram(f) for f in self.features(style)]

    def loss(self, picture):
        found = self.features(picture)
        loss = F.mse_loss(found[-1], self.content) + 1e-3 * smoothness(picture)
        for feature, wanted in zip(found, self.grams):
            loss = loss + 10 * F.mse_loss(gram(feature), wanted)
        return loss

    def paint(self, picture, rounds=3):
        optimizer = torch.optim.Adam([picture], lr=0.05)
        for _ in range(rounds):
            optimizer.zero_grad()
            self.loss(picture).backward()
            optimizer.step()
            picture = picture.clamp(0, 1)  #!
        self.loss(picture).backward()
        return picture


class LeafPainter(Painter):
    def paint(self, picture, rounds=3):
        optimizer = torch.optim.Adam([picture], lr=0.05)
        for _ in range(rounds):
            optimizer.zero_grad()
            self.loss(picture).backward()
            optimizer.step()
            with torch.no_grad():
                picture.clamp_(0, 1)
        self.loss(picture).backward()
        return picture


def draw(kind):
    torch.manual_seed(6)
    wave = torch.arange(192.0)
    content = torch.sin(wave).view(1, 3, 8, 8) / 2 + 0.5
    style = torch.cos(wave * 1.7).view(1, 3, 8, 8) / 2 + 0.5
    start = content.clone().requires_grad_(True)
    painting = kind(content, style).paint(start)
    return {"start": start.grad, "painting": painting.grad}


def broken():
    return draw(Painter)


def fixed():
    return draw(LeafPainter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
