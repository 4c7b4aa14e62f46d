"""What recording a PyTorch program costs, beside the same program bare in one run: overhead_torch.py PACKAGE_FOLDER [--check] [--busy]

Each load runs in turn bare, watched (the observer in C++) and asked why (the modes in Python); the least time of a repetition of each counts, as other work
on the machine only adds to it. --check ends with 1 where the watch costs more than ten times what it may, as asking why does: other processes' loads count as well. --busy
measures the thread's processor time, which other processes lengthen less than the time on the clock.
"""
import sys
import tempfile
import time

FOLDER = sys.argv[1]
CLOCK = time.thread_time if "--busy" in sys.argv else time.perf_counter
sys.path.insert(0, FOLDER)

import torch  # noqa: E402
import tapescope  # noqa: E402

ROUNDS = 2 if "--check" in sys.argv else 7
OPS = 100


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


def main():
    torch.set_num_threads(1)
    failed = False
    # What the watch may cost: seconds an op, else times a step.
    for name, make, count, parts, most in (("an op", op(), 50, OPS, 0.6e-6), ("a step of an MLP of 64, batch 32", mlp(64, 32), 100, 1, 1.4),
                                           ("a step of an MLP of 1024, batch 1024", mlp(1024, 1024), 3, 1, 1.03)):
        seconds(make, count)
        bare = watched = why = float("inf")
        for _ in range(ROUNDS):
            bare = min(bare, seconds(make, count))
            watched = min(watched, recorded(make, count, False))
            why = min(why, recorded(make, count, True))
        bare, watched, why = bare / parts, watched / parts, why / parts
        print(f"{name}: {bare * 1e6:.2f} µs bare, {watched * 1e6:.2f} watched (+{(watched - bare) * 1e6:.2f}, {watched / bare:.2f} times), "
              f"{why * 1e6:.1f} asked why ({why / bare:.1f} times)")
        failed |= watched - bare > 10 * most if most < 1 else watched / bare > 1 + 10 * (most - 1)
    return 1 if failed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
