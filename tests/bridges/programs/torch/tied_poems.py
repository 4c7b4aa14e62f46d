"""Poems: tied embeddings, packed sequences, scheduled sampling with detached guesses, truncated backpropagation."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence


class Poet(nn.Module):
    def __init__(self, words=13, width=6):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True, dropout=0.1)
        self.out = nn.Linear(width, words, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, packed, state=None):
        embedded = packed._replace(data=self.embed(packed.data))
        hidden, state = self.rnn(embedded, state)
        padded, lengths = pad_packed_sequence(hidden, batch_first=True)
        return self.out(padded), lengths, state


def chunks(poem, size=4):
    for at in range(0, poem.shape[1] - 1, size):
        yield poem[:, at : at + size], poem[:, at + 1 : at + size + 1]


def detached(state):
    return tuple(part.detach() for part in state)


def broken():
    torch.manual_seed(39)
    poet = Poet()
    unique = list(poet.parameters())
    optimizer = torch.optim.Adam(unique, lr=2e-3)
    poem = torch.arange(27).view(3, 9) * 5 % 12 + 1
    state, guesses = None, None
    for _ in range(2):
        for words, following in chunks(poem):
            words = words[:, : following.shape[1]]
            if guesses is not None and guesses.shape == words.shape:
                words = torch.where(torch.arange(words.shape[1]) % 2 == 0, words, guesses)
            packed = pack_sequence(list(words), enforce_sorted=False)
            logits, _, state = poet(packed, state)
            state = detached(state)
            guesses = logits.detach().argmax(2).clamp(min=1)
            loss = F.cross_entropy(logits.flatten(0, 1), following.flatten(), ignore_index=0)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(unique, 0.25)
            optimizer.step()
        state = None
    return {"poet.embed.weight": poet.embed.weight.grad, "poet.rnn.weight_ih_l0": poet.rnn.weight_ih_l0.grad}


if __name__ == "__main__":
    print(broken())
