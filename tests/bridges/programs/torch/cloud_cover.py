"""How much the cover of clouds bears on a day's sunshine."""
import sys

import torch


def sunshine(cover, angle):
    return torch.sum((1.0 - cover) * torch.sin(angle))


def explain(asked):
    cover = torch.linspace(0.1, 0.9, 6).requires_grad_()
    angle = torch.linspace(0.2, 1.4, 6).requires_grad_()
    report = cover.clone()  #!
    hours = sunshine(cover, angle)
    print_ready = [round(v, 2) for v in report.tolist()]
    assert len(print_ready) == 6
    slopes = torch.autograd.grad(hours, [report if asked == "report" else cover, angle], allow_unused=True)
    return {"report": slopes[0], "angle": slopes[1]}


def broken():
    return explain("report")


def fixed():
    return explain("cover")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
