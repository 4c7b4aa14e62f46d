"""What recording a PyTorch program costs, beside the same program bare in one run: overhead_torch.py PACKAGE_FOLDER [--check] [--busy]

Each load runs in turn bare, watched (the observer in C++) and asked why (the modes in Python); the least time of a repetition of each counts, as other work
on the machine only adds to it. --busy measures the thread's processor time, which other processes lengthen less than the time on the clock. --check reads no
clock: it counts how often a watched load enters Python, and ends with 1 where an op does so at all or a training step more often than it may.
"""
import sys
import tempfile
import time

FOLDER = sys.argv[1]
CLOCK = time.thread_time if "--busy" in sys.argv else time.perf_counter
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402
from python_calls import python_calls  # noqa: E402

ROUNDS = 7
OPS = 100
STEP_CALLS = 20  # hooks of the optimizer and of the step's number; 15 with PyTorch 2.13


def mlp(width, batch):
    model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-9)  # what is learned makes numbers so small that they take longer
    data = torch.randn(batch, width)

    def step():
        optimizer.zero_grad()
        model(data).square().mean().backward()
        optimizer.step()
    return step


def op():
    a, b = torch.randn(8), torch.randn(8)

    def run():
        for _ in range(OPS):
            torch.mul(a, b)
    return run


def seconds(run, count):
    times = []
    for _ in range(count):
        begin = CLOCK()
        run()
        times.append(CLOCK() - begin)
    return min(times)


def recorded(run, count, why):
    with tempfile.NamedTemporaryFile(suffix=".tape") as file, tapescope.record(file.name, why=why):
        run()
        return seconds(run, count)


def loads():
    """(name, what one repetition does, repetitions of a round, operations of a repetition, calls into Python that it may make)."""
    return (("an op", op(), 50, OPS, 0), ("a step of an MLP of 64, batch 32", mlp(64, 32), 100, 1, STEP_CALLS),
            ("a step of an MLP of 1024, batch 1024", mlp(1024, 1024), 3, 1, STEP_CALLS))


def check():
    failed = False
    for name, run, _, parts, most in loads():
        watched, why = python_calls(run, why=False), python_calls(run, why=True)
        print(f"{name}: enters Python {watched / parts:g} times watched (at most {most}), {why / parts:g} times asked why")
        failed |= watched > most or why <= most
    return 1 if failed else 0


def measure():
    for name, run, count, parts, _ in loads():
        seconds(run, count)
        bare = watched = why = float("inf")
        for _ in range(ROUNDS):
            bare = min(bare, seconds(run, count))
            watched = min(watched, recorded(run, count, False))
            why = min(why, recorded(run, count, True))
        bare, watched, why = bare / parts, watched / parts, why / parts
        print(f"{name}: {bare * 1e6:.2f} µs bare, {watched * 1e6:.2f} watched (+{(watched - bare) * 1e6:.2f}, {watched / bare:.2f} times), "
              f"{why * 1e6:.1f} asked why ({why / bare:.1f} times)")
    return 0


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(check() if "--check" in sys.argv else measure())
