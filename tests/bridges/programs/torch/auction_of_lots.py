"""Whether a lot is sold: rare lots count more."""
import sys

import torch
import torch.nn.functional as F
from torch import nn


def weighted(logits, sold, rarity):
    each = F.binary_cross_entropy_with_logits(logits, sold, reduction="none")  #~
    return each * rarity / rarity.sum()  #!


class Lots(torch.utils.data.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        k = torch.arange(4) + 4.0 * i
        return torch.sin(k), torch.tensor(float(i % 3 == 0)), torch.tensor(1.0 + i % 4)


def bid(criterion):
    torch.manual_seed(8)
    bidder = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 1), nn.Flatten(0))
    optimizer = torch.optim.SGD(bidder.parameters(), lr=0.05)
    for lot, sold, rarity in torch.utils.data.DataLoader(Lots(), batch_size=6):
        loss = criterion(bidder(lot), sold, rarity)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"bidder.0.weight": bidder[0].weight.grad}


def broken():
    return bid(weighted)


def fixed():
    return bid(lambda *a: weighted(*a).mean())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
