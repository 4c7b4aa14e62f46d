"""A language model of verses: LSTM with truncated backward passes, packed lines and tied embeddings."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Verses(nn.Module):
    def __init__(self, words=11, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, words)
        self.out.weight = self.embed.weight

    def forward(self, tokens, lengths, state=None):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        hidden, state = self.rnn(packed, state)
        hidden, _ = pad_packed_sequence(hidden, batch_first=True)
        return self.out(hidden), state


def settle(module):
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(0.5 * torch.cos(torch.arange(p.numel()) * 0.9 + k).view_as(p))
    return module


def broken():
    model = settle(Verses())
    criterion = nn.CrossEntropyLoss(ignore_index=-1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    tokens = (torch.arange(2 * 13) * 7 % 11).view(2, 13)
    lengths = torch.tensor([4, 3])
    state = None
    for start in range(0, 12, 4):
        lines, wanted = tokens[:, start:start + 4], tokens[:, start + 1:start + 5].clone()
        wanted[1, 3] = -1
        if state is not None:
            state = tuple(s.detach() for s in state)
        logits, state = model(lines, lengths, state)
        loss = criterion(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        scheduler.step(loss.item())
    return {"model.embed.weight": model.embed.weight.grad, "model.rnn.weight_hh_l1": model.rnn.weight_hh_l1.grad}


if __name__ == "__main__":
    print(broken())
