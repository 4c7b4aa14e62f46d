"""Predicts the next heartbeat from long recordings, window by window, with one step of the optimizer each."""
import argparse
import sys

import torch
import torch.nn as nn


def parse(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=5)
    parser.add_argument("--window", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--cut", action="store_true")
    return parser.parse_args(arguments)


class Beat(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.GRUCell(1, hidden)
        self.head = nn.Linear(hidden, 1)

    def forward(self, window, h):
        preds = []
        for t in range(window.size(1)):
            h = self.rnn(window[:, t:t + 1], h)
            preds.append(self.head(h))
        return torch.cat(preds, 1), h


def main(args):
    torch.manual_seed(42)
    model = Beat(args.hidden)
    criterion = nn.SmoothL1Loss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    ecg = torch.sin(torch.linspace(0, 30, 3 * 13)).reshape(3, 13)
    h = torch.zeros(3, args.hidden)
    for start in range(0, 12, args.window):
        x = ecg[:, start:start + args.window]
        y = ecg[:, start + 1:start + args.window + 1]
        pred, h = model(x, h)  #~
        loss = criterion(pred, y)
        optimizer.zero_grad()
        loss.backward(retain_graph=not args.cut)
        optimizer.step()  #!
        if args.cut:
            h = h.detach()
    return {"model.rnn.weight_hh": model.rnn.weight_hh.grad}


def broken():
    return main(parse([]))


def fixed():
    return main(parse(["--cut"]))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
