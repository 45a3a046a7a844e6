"""Trains the low-rank adapter of ``models/heads/context`` with torch, which the program itself doesn't need.

    python models/training/satire.py MODEL.gguf TOKENS.json      # with the program's environment
    python models/training/adapter.py MODEL.gguf TOKENS.json CACHE --minutes 60   # with torch and gguf

Llama's layers are written out here in ggml's layout, from the model's own dequantised weights, in bfloat16; the
adapter and the last linear layers are float32. A batch has one contest, whose scene is read once. Writes
CACHE/adapter.gguf and adapter.npz (the last layers: weights of the mean of both halves' states and of the last state).
"""

# mypy: disable-error-code="misc"
# torch has no types where it isn't installed.
from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

HALF = torch.bfloat16
FIRST, RANK, RATE, BATCH = 12, 16, 8e-4, 48
"""First layer with an adapter, its rank, the rate of learning at first, captions of a batch."""
MIX = {"captions": 0.74, "satire": 0.21, "hashtags": 0.05}
"""Share of the batches."""
NAMES = {"qkv": ("attn_q", "attn_k", "attn_v"), "o": ("attn_output",), "gate_up": ("ffn_gate", "ffn_up")} | {
    "down": ("ffn_down",)
}
Batch = tuple[list[int], list[list[int]]]


class Adapted(torch.autograd.Function):
    """x·Wᵀ + x·Aᵀ·Bᵀ with a frozen W."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, frozen: Tensor, a: Tensor, b: Tensor) -> Tensor:
        low = x @ a.t()
        ctx.save_for_backward(x, frozen, a, b, low)
        return (x @ frozen.t()).addmm_(low, b.t())

    @staticmethod
    def backward(ctx: Any, *above: Tensor) -> tuple[Tensor | None, ...]:
        x, frozen, a, b, low = ctx.saved_tensors
        below = above[0] @ b
        return (above[0] @ frozen).addmm_(below, a), None, below.t() @ x, above[0].t() @ low


class Linear(nn.Module):
    """Matrices with one input, each with an adapter if ``adapted``."""

    def __init__(self, matrices: list[Tensor], adapted: bool) -> None:
        super().__init__()
        self.frozen = torch.cat(matrices).to(HALF)
        size = matrices[0].shape[1]
        self.a = nn.Parameter(torch.randn(len(matrices) * RANK, size) / math.sqrt(size)) if adapted else None
        self.b = nn.ParameterList([torch.zeros(len(each), RANK) for each in matrices] if adapted else [])

    def forward(self, x: Tensor) -> Tensor:
        if self.a is None:
            return x @ self.frozen.t()
        return Adapted.apply(x, self.frozen, self.a.to(HALF), torch.block_diag(*(b.to(HALF) for b in self.b)))


class Layer(nn.Module):
    def __init__(self, weight: dict[str, Tensor], adapted: bool) -> None:
        super().__init__()
        for name, parts in NAMES.items():
            self.add_module(name, Linear([weight[part] for part in parts], adapted))
        self.norms = weight["attn_norm"], weight["ffn_norm"]


class Llama(nn.Module):
    def __init__(self, path: Path) -> None:
        super().__init__()
        file = gguf.GGUFReader(path)
        names = ("block_count", "embedding_length", "attention.head_count", "attention.head_count_kv")
        layers, self.size, self.heads, self.shared = (file.fields[f"llama.{name}"].contents() for name in names)
        self.eps = file.fields["llama.attention.layer_norm_rms_epsilon"].contents()
        self.head = self.size // self.heads
        weight = {each.name: each for each in file.tensors}

        def read(name: str) -> Tensor:
            return torch.from_numpy(gguf.quants.dequantize(weight[name].data, weight[name].tensor_type).copy())

        self.embedding, self.last_norm = read("token_embd.weight").to(HALF), read("output_norm.weight")
        parts = [*(part for parts in NAMES.values() for part in parts), "attn_norm", "ffn_norm"]
        self.layers = nn.ModuleList(
            Layer({part: read(f"blk.{number}.{part}.weight") for part in parts}, number >= FIRST)
            for number in range(layers)
        )
        base = file.fields["llama.rope.freq_base"].contents()
        angle = torch.arange(512.0)[:, None] * base ** (-torch.arange(0, self.head, 2) / self.head)
        self.cos, self.sin = angle.cos()[:, None], angle.sin()[:, None]

    def norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * weight

    def turned(self, x: Tensor, places: Tensor) -> Tensor:
        """Rotary positions on neighbouring numbers, as ggml has them."""
        a, b = x.float().view(len(x), -1, self.head // 2, 2).unbind(-1)
        cos, sin = self.cos[places], self.sin[places]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2).to(HALF)

    def attention(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        """Return (batch, heads, queries, size) of as many heads of queries for each of keys as there are."""
        batch, heads, length, size = q.shape
        groups, keys = k.shape[1:3]
        q, k, v = (each.reshape(batch * groups, -1, size) for each in (q, k, v))
        scores = (q @ k.transpose(1, 2)).float().view(batch, groups, -1, length, keys) / math.sqrt(size) + mask
        return (scores.softmax(-1).to(HALF).view(batch * groups, -1, keys) @ v).view(batch, heads, length, size)

    def forward(self, lead: list[int], texts: list[list[int]]) -> Tensor:
        """Return the pooled states (texts, 2·size) of texts behind what all of them share."""
        before, count = len(lead), len(texts)
        lengths = torch.tensor([len(text) for text in texts])
        longest = int(lengths.max())
        within = torch.cat([torch.arange(n) for n in lengths.tolist()])
        row = torch.repeat_interleave(torch.arange(count), lengths)
        cell, places = row * longest + within, torch.cat([torch.arange(before), before + within])
        later = torch.full((longest, longest), -1e9).triu(1)
        mask, own = torch.cat([torch.zeros(longest, before), later], 1), torch.full((before, before), -1e9).triu(1)

        def padded(x: Tensor) -> Tensor:
            wide = torch.zeros(count * longest, *x.shape[1:], dtype=HALF).index_copy(0, cell, x[before:])
            return wide.view(count, longest, -1, self.head).transpose(1, 2)

        x = self.embedding[torch.tensor([*lead, *(token for text in texts for token in text)])].float()
        for layer in self.layers:
            of_q, of_k = self.heads * self.head, (self.heads + self.shared) * self.head
            mixed = layer.qkv(self.norm(x, layer.norms[0]).to(HALF))
            qk, v = self.turned(mixed[:, :of_k], places), mixed[:, of_k:].view(len(x), -1, self.head)
            q, k = qk[:, : of_q // self.head], qk[:, of_q // self.head :]
            q_lead, k_lead, v_lead = (each[:before].transpose(0, 1)[None] for each in (q, k, v))
            k_all, v_all = (
                torch.cat([each.expand(count, -1, -1, -1), padded(one)], 2) for each, one in ((k_lead, k), (v_lead, v))
            )
            out = self.attention(padded(q), k_all, v_all, mask).transpose(1, 2).reshape(count * longest, -1)[cell]
            shared = self.attention(q_lead, k_lead, v_lead, own)[0].transpose(0, 1).reshape(before, -1)
            x = x + layer.o(torch.cat([shared, out]))
            gate, up = layer.gate_up(self.norm(x, layer.norms[1]).to(HALF)).chunk(2, 1)
            x = x + layer.down(F.silu(gate) * up)
        x = self.norm(x, self.last_norm)[before:]
        # The means of both halves, as the program pools them, and the last state.
        half = (lengths // 2)[row]
        first_half, second_half = (
            (within < half.clamp_min(1)) / half.clamp_min(1),
            (within >= half) / (lengths[row] - half),
        )
        means = torch.zeros(count, self.size).index_add(0, row, x * ((first_half + second_half) / 2)[:, None])
        return torch.cat([means, x[lengths.cumsum(0) - 1]], 1)


def between(scores: Tensor, better: Tensor, weight: Tensor) -> Tensor:
    """The loss of all pairs of a contest: ``better``: the chance that the votes of one are truly the higher."""
    loss = F.binary_cross_entropy_with_logits(scores[:, None] - scores[None], better, reduction="none")
    return (loss * weight).sum() / weight.sum().clamp_min(1e-6)


class Trainer:
    def __init__(self, model: Path, tokens: Path) -> None:
        self.data = json.loads(tokens.read_text())
        self.model = Llama(model)
        self.last = nn.ModuleDict({kind: nn.Linear(2 * self.model.size, 1) for kind in MIX})
        for layer in self.last.values():
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.contests = {kind: [c for c in self.data[kind] if not c["away"]] for kind in ("captions", "hashtags")}
        self.random = random.Random(0)

    def scores(self, kind: str, lead: list[int], texts: list[list[int]]) -> Tensor:
        return self.last[kind](self.model(lead, texts) / 2)[:, 0]

    def captions(self) -> Tensor:
        contest = self.random.choice(self.contests["captions"])
        chosen = self.random.sample(contest["texts"], min(BATCH, len(contest["texts"])))
        scores = self.scores("captions", contest["lead"], [text for text, _, _ in chosen])
        rating, error = torch.tensor([each[1:] for each in chosen]).T
        apart = (error**2 + 0.02**2)[:, None] + (error**2 + 0.02**2)[None]
        better = torch.special.ndtr((rating[:, None] - rating[None]) / apart.sqrt())
        upper = torch.tensor([np.mean([rating >= each[1] for each in contest["texts"]]) for _, rating, _ in chosen])
        alone = F.binary_cross_entropy_with_logits(scores, upper.float().clamp(0.01, 0.99))
        return between(scores, better, 1 - torch.eye(len(chosen))) + 0.2 * alone

    def hashtags(self) -> Tensor:
        contest = self.random.choice(self.contests["hashtags"])
        chosen = [each for each in contest["texts"] if each[1] > 0][:12]
        others = [each for each in contest["texts"] if each[1] == 0]
        chosen += self.random.sample(others, min(44, len(others)))
        rating = torch.tensor([each[1] for each in chosen])
        apart = (rating[:, None] - rating[None]).sign()
        scores = self.scores("hashtags", contest["lead"], [text for text, _, _ in chosen])
        return between(scores, 0.5 + 0.35 * apart, apart.abs())

    def satire(self) -> Tensor:
        """Pairs of a satirical headline and a serious form of it, whose writer may have failed: soft labels."""
        pairs = self.random.sample(self.data["satire"]["pairs"], 22)
        scores = self.scores("satire", self.data["satire"]["lead"], [p[0] for p in pairs] + [p[1] for p in pairs])
        sure = torch.full((22,), 0.85)
        loss = F.binary_cross_entropy_with_logits(scores[:22] - scores[22:], sure)
        return loss + F.binary_cross_entropy_with_logits(scores, torch.cat([0.9 * sure + 0.05, 0.95 - 0.9 * sure]))

    def run(self, seconds: float) -> None:
        adapter = [each for each in self.model.parameters() if each.requires_grad]
        optimiser = torch.optim.AdamW([*adapter, *self.last.parameters()], lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
        begin, step, means = time.monotonic(), 0, dict[str, float]()
        while (gone := (time.monotonic() - begin) / seconds) < 1:
            step += 1
            optimiser.param_groups[0]["lr"] = RATE * min(1.0, step / 40) * max(0.02, 1.0 - gone)
            (kind,) = self.random.choices(list(MIX), list(MIX.values()))
            loss = getattr(self, kind)()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(adapter, 1.0)
            optimiser.step()
            means[kind] = 0.98 * means.get(kind, loss.item()) + 0.02 * loss.item()
            if step % 50 == 0:
                print(step, f"{gone:.2f}", {kind: round(mean, 4) for kind, mean in means.items()}, flush=True)

    def write(self, folder: Path) -> None:
        out = gguf.GGUFWriter(folder / "adapter.gguf", "llama")
        out.add_type("adapter")
        out.add_string("adapter.type", "lora")
        out.add_float32("adapter.lora.alpha", float(RANK))
        for number, layer in enumerate(self.model.layers):
            for name, parts in NAMES.items():
                linear = getattr(layer, name)
                for place, part in enumerate(parts if linear.a is not None else ()):
                    low = {"a": linear.a[place * RANK : (place + 1) * RANK], "b": linear.b[place]}
                    for side, matrix in low.items():
                        half = matrix.detach().numpy().astype(np.float16)
                        out.add_tensor(f"blk.{number}.{part}.weight.lora_{side}", half)
        out.write_header_to_file()
        out.write_kv_data_to_file()
        out.write_tensors_to_file()
        out.close()
        last = {kind: layer.weight[0].detach().numpy().reshape(2, -1) / 2 for kind, layer in self.last.items()}
        np.savez(folder / "adapter.npz", **last, satire_bias=self.last["satire"].bias.detach().numpy())


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("model", "tokens", "cache"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    trainer = Trainer(args.model, args.tokens)
    trainer.run(60.0 * args.minutes)
    trainer.write(args.cache)


if __name__ == "__main__":
    main()
