"""What recording a PyTorch program costs, beside the same program bare in one run: overhead_torch.py PACKAGE_FOLDER

Each load runs alternately bare and recorded; the least processor time of each counts, as other work on the machine only adds to it.
"""
import sys
import tempfile
import time

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402

ROUNDS = 7


def mlp(width, batch):
    model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))
    optimizer = torch.optim.Adam(model.parameters())
    data = torch.randn(batch, width)

    def step():
        optimizer.zero_grad()
        model(data).square().mean().backward()
        optimizer.step()
    return step


def op():
    a, b = torch.randn(8), torch.randn(8)

    def run():
        torch.mul(a, b)
    return run


def seconds(run, count):
    begin = time.process_time()
    for _ in range(count):
        run()
    return (time.process_time() - begin) / count


def main():
    torch.set_num_threads(1)
    for name, make, count in (("an op", op(), 2000), ("a step of an MLP of 64, batch 32", mlp(64, 32), 50), ("a step of an MLP of 1024, batch 1024", mlp(1024, 1024), 2)):
        seconds(make, count)
        bare = recorded = float("inf")
        for _ in range(ROUNDS):
            bare = min(bare, seconds(make, count))
            with tempfile.NamedTemporaryFile(suffix=".tape") as file, tapescope.record(file.name):
                recorded = min(recorded, seconds(make, count))
        print(f"{name}: {bare * 1e6:.1f} µs bare, {recorded * 1e6:.1f} µs recorded, {recorded / bare:.2f} times")


if __name__ == "__main__":
    main()
