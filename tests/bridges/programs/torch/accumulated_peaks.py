"""Mountain peaks by night: autocast, GradScaler, accumulation, clipping, an EMA, and evaluation in between."""
import contextlib
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


class Stage(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm = nn.BatchNorm2d(outputs)
        self.skip = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)) + self.skip(x), inplace=True)


class Peaks(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([Stage(1, 4), Stage(4, 4), Stage(4, 6)])
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(6, 3))

    def forward(self, image):
        for stage in self.stages:
            image = checkpoint(stage, image, use_reentrant=False) if self.training else stage(image)
        return self.head(F.adaptive_avg_pool2d(image, 1))


@contextlib.contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield model
    finally:
        model.train(was)


def broken(accumulate=2):
    torch.manual_seed(38)
    model = Peaks()
    ema = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [torch.optim.lr_scheduler.ConstantLR(optimizer, 0.5, 2), torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)],
        [2],
    )
    scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
    images = torch.sin(torch.arange(16 * 36.0) * 0.19).view(16, 1, 6, 6)
    loader = DataLoader(TensorDataset(images, torch.arange(16) % 3), batch_size=4)
    for _ in range(2):
        for number, (image, peak) in enumerate(loader, 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(model(image), peak) / accumulate
            scaler.scale(loss).backward()
            if number % accumulate:
                continue
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
            with torch.no_grad():
                for slow, fast in zip(ema.parameters(), model.parameters()):
                    slow.lerp_(fast, 0.1)
                for slow, fast in zip(ema.buffers(), model.buffers()):
                    slow.copy_(fast)
            last = [p.grad.clone() for p in model.parameters()]
            optimizer.zero_grad(set_to_none=True)
        with evaluating(model):
            model(images).argmax(1)
        ema(images)
    for p, gradient in zip(model.parameters(), last):
        p.grad = gradient
    return {"model.stages.0.conv.weight": model.stages[0].conv.weight.grad, "model.head.2.weight": model.head[2].weight.grad}


if __name__ == "__main__":
    print(broken())
