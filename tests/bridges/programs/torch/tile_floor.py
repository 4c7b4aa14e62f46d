"""How many tiles a floor needs, and what a wider joint would save."""
import sys

import torch

room = torch.tensor([3.4, 4.1])


def tiles(joint, tile):
    return torch.ceil(room / (tile + joint)).prod()  #!


def smooth_tiles(joint, tile):
    return (room / (tile + joint)).prod()


def slopes(count):
    joint = torch.tensor(0.004, requires_grad=True)
    tile = torch.tensor(0.3, requires_grad=True)
    money = torch.tensor(2.5, requires_grad=True)
    cost = count(joint, tile) * money
    cost.backward()
    return {"joint": joint.grad, "tile": tile.grad, "money": money.grad}


def broken():
    return slopes(tiles)


def fixed():
    return slopes(smooth_tiles)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
