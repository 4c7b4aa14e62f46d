"""Trains an attention model of gardens in bfloat16 autocast: accumulation, clipping, warm-up, an average of weights."""
import contextlib

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class Gardens(nn.Module):
    def __init__(self, vocab=17, dim=8):
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim, padding_idx=0)
        layer = nn.TransformerEncoderLayer(dim, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        h = self.encoder(self.tokens(ids), mask=mask, src_key_padding_mask=(ids == 0).float().masked_fill(ids == 0, -1e9))
        return self.head(h)


def broken(accumulate=2, precise=False):
    torch.manual_seed(0)
    model = Gardens()
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.95))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, fused=True)
    schedule = SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=2), CosineAnnealingLR(optimizer, 4)], milestones=[2])
    cast = contextlib.nullcontext() if precise else torch.autocast("cpu", dtype=torch.bfloat16)
    running = 0.0
    for micro in range(3 * accumulate):
        ids = (torch.arange(14).view(2, 7) * (micro + 3)) % 17
        with cast:
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
        (loss / accumulate).backward()
        running += loss.detach()
        if (micro + 1) % accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
            optimizer.step()
            ema.update_parameters(model)
            schedule.step()
            if micro + 1 < 3 * accumulate:
                optimizer.zero_grad(set_to_none=True)
    print("mean loss", float(running) / (3 * accumulate))
    return {"model.tokens.weight": model.tokens.weight.grad, "model.encoder.layers.0.linear1.weight": model.encoder.layers[0].linear1.weight.grad}


if __name__ == "__main__":
    print(broken())
