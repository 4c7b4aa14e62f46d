"""Self-supervised moss: an online net predicts what a slow copy of it sees in another view; a frozen probe looks on."""
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset


class Projector(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(nn.Linear(inputs, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, outputs))


class Online(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.project = Projector(4, 6)

    def forward(self, image):
        return self.project(self.encoder(image))


class Distance(nn.Module):
    def forward(self, guess, target):
        return 2 - 2 * F.cosine_similarity(guess, target.detach(), dim=1).mean()


def views(image):
    return image.flip(3), (image + 0.1 * torch.cos(image * 7)).clamp(-1, 1)


def broken():
    torch.manual_seed(36)
    online, predictor = Online(), Projector(6, 6)
    slow = AveragedModel(online, multi_avg_fn=get_ema_multi_avg_fn(0.95))
    slow.requires_grad_(False)
    probe = nn.Linear(4, 2)
    distance = Distance()
    learned = [*online.parameters(), *predictor.parameters()]
    optimizer = torch.optim.AdamW(learned, lr=1e-3, weight_decay=1e-2)
    probes = torch.optim.SGD(probe.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2)
    images = torch.sin(torch.arange(16 * 36.0) * 0.23).view(16, 1, 6, 6)
    loader = DataLoader(TensorDataset(images, torch.arange(16) % 2), batch_size=8)
    best = None
    for epoch in range(2):
        for image, label in loader:
            one, two = views(image)
            with torch.no_grad():
                seen_one, seen_two = slow(one), slow(two)
            loss = distance(predictor(online(one)), seen_two) + distance(predictor(online(two)), seen_one)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            slow.update_parameters(online)
            probes.zero_grad()
            F.cross_entropy(probe(online.encoder(image).detach()), label).backward()
            probes.step()
        schedule.step()
        best = copy.deepcopy(online.state_dict())
    online.load_state_dict(best)
    return {
        "online.encoder.0.weight": online.encoder[0].weight.grad,
        "predictor.3.weight": predictor[3].weight.grad,
        "probe.weight": probe.weight.grad,
    }


if __name__ == "__main__":
    print(broken())
