"""Pollen: mixup of examples, two views with another dropout that are to agree, the backbone is unfrozen later."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Pollen(nn.Module):
    def __init__(self, kinds=3):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten())
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(16, kinds)

    def forward(self, image):
        return self.head(self.drop(self.backbone(image)))


def mixed(image, label, share, kinds=3):
    target = F.one_hot(label, kinds).float()
    return share * image + (1 - share) * image.flip(0), share * target + (1 - share) * target.flip(0)


def agreement(one, two):
    p, q = F.log_softmax(one, 1), F.log_softmax(two, 1)
    return 0.5 * (F.kl_div(p, q, reduction="batchmean", log_target=True) + F.kl_div(q, p, reduction="batchmean", log_target=True))


def unfreeze(model, optimizer, lr):
    for parameter in model.backbone.parameters():
        parameter.requires_grad_(True)
    optimizer.add_param_group({"params": model.backbone.parameters(), "lr": lr})


def broken():
    torch.manual_seed(47)
    model = Pollen()
    model.backbone.requires_grad_(False)
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    images = torch.sin(torch.arange(16 * 36.0) * 0.11).view(16, 1, 6, 6)
    loader = DataLoader(TensorDataset(images, torch.arange(16) % 3), batch_size=8)
    seen = torch.zeros(())
    for epoch in range(3):
        if epoch == 1:
            unfreeze(model, optimizer, 0.01)
        for number, (image, label) in enumerate(loader):
            image, target = mixed(image, label, 0.7 + 0.1 * number)
            one, two = model(image), model(image)
            loss = F.cross_entropy(one, target) + F.cross_entropy(two, target) + agreement(one, two)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += loss.detach()
        with torch.no_grad():
            model.eval()
            model(images).argmax(1)
            model.train()
    return {"model.backbone.0.weight": model.backbone[0].weight.grad, "model.head.weight": model.head.weight.grad}


if __name__ == "__main__":
    print(broken())
