"""A compiled step for full batches and the shorter last one."""
import torch


@torch.compile(backend="aot_eager", dynamic=True)
def loss_of(slope, offset, x, y):
    return (slope * x + offset - y).square().mean()


def batches():
    data = torch.linspace(0.0, 1.0, 22)
    for _ in range(3):
        yield from data.split(8)


def broken():
    slope = torch.tensor(0.5, requires_grad=True)
    offset = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([slope, offset], lr=0.1)
    for x in batches():
        loss = loss_of(slope, offset, x, 2.0 * x + 1.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"slope": slope.grad, "offset": offset.grad}


if __name__ == "__main__":
    print(broken())
