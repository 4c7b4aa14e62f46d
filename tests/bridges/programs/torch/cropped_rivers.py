"""U-shaped network for rivers on maps: skip connections are cropped, the first block is inherited by a class that forgot it."""
import sys

import torch
from torch import nn
import torch.nn.functional as F


def conv(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3), nn.GroupNorm(1, b), nn.ReLU(inplace=True))


class Net(nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.down1, self.down2 = conv(1, width), conv(width, width)
        self.skip = nn.Conv2d(width, width, 1)  #~
        self.up = nn.ConvTranspose2d(width, width, 2, stride=2)
        self.out = nn.Conv2d(width, 1, 1)

    def merge(self, deep, shallow):
        side = (shallow.shape[-1] - deep.shape[-1]) // 2
        cropped = self.skip(shallow)[..., side:side + deep.shape[-2], side:side + deep.shape[-1]]
        return deep + cropped

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        return self.out(self.merge(self.up(b), a))


class LightNet(Net):
    def merge(self, deep, shallow):
        if self.out.out_channels > 1:  #!
            return super().merge(deep, shallow)
        return deep


def train(kind):
    torch.manual_seed(0)
    net = kind()
    optimizer = torch.optim.AdamW(net.parameters())
    rivers = torch.sin(torch.arange(2 * 100.0)).view(2, 1, 10, 10)
    for _ in range(2):
        optimizer.zero_grad()
        mask = net(rivers)
        loss = F.binary_cross_entropy_with_logits(mask, (rivers[..., 3:3 + mask.shape[-2], 3:3 + mask.shape[-1]] > 0).float())
        loss.backward()
        optimizer.step()
    return {"net.skip.weight": net.skip.weight.grad, "net.up.weight": net.up.weight.grad}


def broken():
    return train(LightNet)


def fixed():
    return train(Net)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
