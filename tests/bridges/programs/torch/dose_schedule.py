"""Which day of a treatment matters most? The course of a drug in the blood, and its slope by the doses."""
import sys

import torch


class Body:
    """Two compartments: blood and tissue."""

    def __init__(self, clearance=0.3, exchange=0.2):
        self.clearance = torch.tensor(clearance, requires_grad=True)
        self.exchange = torch.tensor(exchange, requires_grad=True)

    def day(self, blood, tissue, dose):
        blood = blood + dose
        flow = self.exchange * (blood - tissue)
        return blood * (1 - self.clearance) - flow, tissue + flow

    def course(self, doses):
        blood = tissue = torch.zeros(())
        levels = []
        for dose in doses:
            blood, tissue = self.day(blood, tissue, dose)
            levels.append(blood)
        return torch.stack(levels)


def outside_window(levels, low=1.0, high=3.0):
    return (torch.relu(low - levels).square() + torch.relu(levels - high).square()).sum()


def tablets():
    doses = torch.tensor([6, 2, 3, 2, 1, 2])  #!
    return doses


def milligrams():
    doses = torch.tensor([6.0, 2.0, 3.0, 2.0, 1.0, 2.0], requires_grad=True)
    return doses


def assess(prescribe):
    doses = prescribe()
    body = Body()
    clearance = body.clearance
    outside_window(body.course(doses)).backward()
    return {"doses": doses.grad, "clearance": clearance.grad}


def broken():
    return assess(tablets)


def fixed():
    return assess(milligrams)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
