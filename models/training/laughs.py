"""Fits the head for laughs: where people laugh in a longer text.

    export JOKEJUDGE_DATA=…  PYTHONPATH=.:models/training
    python models/training/laughs.py MODEL.gguf CACHE --name NAME

It takes torch, which nothing else of the project needs, and about ten minutes on one core once the texts are read.

Learned on the stretches of laughs.jsonl.gz (three shows recorded before an audience), written as one flow, as lines, or
as lines with speakers, and on strings of jokes and other texts, of which people laugh at the ends of the jokes. Figures
are of networks that saw no other episode of the show.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import data
import numpy as np
import torch
from data import HERE, lines
from shipping import Array, Shipping
from torch import Tensor, nn
from torch.nn import functional

from jokejudge_gui.core.statistics import auc
from jokejudge_gui.core.words import sentences
from jokejudge_gui.heads.laughs import FORM, NEAR, LaughsHead, form_of, standard, tokens_of
from jokejudge_gui.judge.reader import STRAIGHT
from jokejudge_gui.learning.ridge import platt
from jokejudge_gui.learning.teacher import digest

_ENDED = ".!?…\"'"
WIDTH, INNER, HEADS, DROP = 64, 64, 4, 0.3
SEEDS, EPOCHS, BATCH, PACE, DECAY = 2, 4, 24, 2e-3, 0.02
SIDE, OWN, RIDGE, SHARE = 60, 200, 0.1, 0.6
"""Directions of neighbours and of the sentence that the line sees; its ridge; its spread beside the networks'."""
MADE, INSIDE = 160, 0.5
"""Number of strings of jokes; weight of a sentence within a line, behind which the recording couldn't show a laugh."""


@dataclass(eq=False)
class Stretch:
    """A text with the ends of its lines (characters) and whether people laughed there. ``show``: empty for a string of
    jokes."""

    text: str
    ends: list[tuple[int, int]]
    show: str = ""

    def __post_init__(self) -> None:
        self.spans = sentences(self.text)
        self.at = [
            next((n for n, (_, b) in enumerate(self.spans) if b >= end), len(self.spans) - 1) for end, _ in self.ends
        ]
        self.goal, self.weight = np.zeros(len(self.spans)), np.full(len(self.spans), INSIDE)
        for n, (end, laugh) in zip(self.at, self.ends, strict=True):
            if end >= self.spans[n][1]:
                self.goal[n], self.weight[n] = laugh, 1.0


def joined(parts: Sequence[tuple[str, int]], between: str) -> tuple[str, list[tuple[int, int]]]:
    text, ends = "", list[tuple[int, int]]()
    for part, laugh in parts:
        text += (between if text else "") + " ".join(part.split())
        ends.append((len(text), laugh))
    return text.translate(STRAIGHT), ends


def recorded() -> list[Stretch]:
    """Return the stretches of the shows; half of them in one flow, as a monologue, and a fifth with speakers."""
    stretches = []
    for row in (row for place, row in enumerate(data.packed_lines("laughs")) if place % 3 < 2):
        lines = row["lines"]
        style = int(digest(lines[0]["text"] + lines[-1]["text"])[:8], 16) % 10
        named = [((f"{one['speaker']}: " if style >= 8 else "") + one["text"], one["laugh"]) for one in lines]
        text, ends = joined(named, " " if style < 5 else "\n")
        stretches.append(Stretch(text, ends, row["show"]))
    return stretches


def strung() -> list[Stretch]:
    """Return jokes and other texts strung together; people laugh at the end of a joke."""
    pools: dict[int, list[str]] = {1: [], 0: []}
    for name in ("families", "positives", "negatives", "not_jokes"):
        for row in lines(HERE / f"{name}.jsonl"):
            pools[int("best" in row or bool(row.get("joke")))].append(row.get("best") or row["text"])
            pools[0] += row.get("flat", [])[:1]
            pools[0] += [row["plain"]] if isinstance(row.get("plain"), str) else (row.get("plain") or [])[:1]
    mixed, strings = random.Random(48), []
    for pool in pools.values():
        pool[:] = [one for one in pool if 4 <= len(one.split()) <= 60]
        mixed.shuffle(pool)
    for _ in range(MADE):
        kinds = [int(mixed.random() < 0.6) for _ in range(mixed.randint(6, 10))]
        parts = ((" ".join(pools[kind].pop().translate(STRAIGHT).split()), kind) for kind in kinds)
        strings.append(
            Stretch(*joined([(f"{one}{'' if one[-1] in _ENDED else '.'}", kind) for one, kind in parts], " "))
        )
    return strings


class Net(nn.Module):  # type: ignore[misc]
    """See ``heads.laughs``, whose arrays its parameters are."""

    def __init__(self, size: int) -> None:
        super().__init__()
        sizes: dict[str, tuple[int, ...]] = {
            "first": (size, WIDTH), "attend": (4, WIDTH, WIDTH), "wide": (WIDTH, 2 * WIDTH),
            "back": (2 * WIDTH, WIDTH), "whole": (3 * WIDTH + FORM, INNER), "near": ((2 * NEAR + 1) * INNER, INNER),
        }  # fmt: skip
        self.a = nn.ParameterDict(
            {name: nn.Parameter((torch.rand(its) * 2 - 1) / its[-2] ** 0.5) for name, its in sizes.items()}
        )
        for name, its in sizes.items():
            self.a[f"{name}_bias"] = nn.Parameter(torch.zeros(its[:-2] + its[-1:]))
        for name, width in (("norm", (4, WIDTH)), ("whole_norm", (2, INNER))):
            self.a[name] = nn.Parameter(torch.ones(width) * (1 - torch.arange(width[0]) % 2)[:, None])
        self.a["reach"] = nn.Parameter(torch.full((HEADS,), 0.7))
        self.a["counts"], self.a["out_bias"] = nn.Parameter(torch.zeros(WIDTH)), nn.Parameter(torch.zeros(()))
        self.a["out"] = nn.Parameter((torch.rand(2 * INNER) - 0.5) / 8)

    def forward(self, x: Tensor, seg: Tensor, ends: Tensor, form: Tensor) -> Tensor:
        """Return the scores (texts, sentences); ``seg``: each token's sentence, −1 behind a text's end."""
        a, drop = self.a, lambda y: functional.dropout(y, DROP, self.training)
        x = drop(functional.relu(drop(x) @ a["first"] + a["first_bias"]))
        y = functional.layer_norm(x, (WIDTH,)) * a["norm"][0] + a["norm"][1]
        query, key, value = (
            (y @ a["attend"][n] + a["attend_bias"][n]).unflatten(-1, (HEADS, -1)).transpose(1, 2) for n in range(3)
        )
        at = torch.arange(x.shape[1])
        apart = a["reach"].abs()[:, None, None] * 0.1 * (at[:, None] - at).abs()
        likeness = query @ key.transpose(-1, -2) / (WIDTH / HEADS) ** 0.5 - apart
        weights = likeness.masked_fill((seg < 0)[:, None, None], -1e4).softmax(-1)
        x = x + drop((weights @ value).transpose(1, 2).flatten(2) @ a["attend"][3] + a["attend_bias"][3])
        y = functional.layer_norm(x, (WIDTH,)) * a["norm"][2] + a["norm"][3]
        x = x + drop(functional.relu(y @ a["wide"] + a["wide_bias"]) @ a["back"] + a["back_bias"])
        own = (seg[:, None] == torch.arange(ends.shape[1])[:, None]).float()
        mean = own @ x / own.sum(-1, keepdim=True).clamp(min=1)
        counts = (x @ a["counts"]).clamp(-20, 20).exp()[:, None] * own
        most = counts @ x / counts.sum(-1, keepdim=True).clamp(min=1e-9)
        end = x.gather(1, ends[..., None].expand(-1, -1, WIDTH))
        u = functional.relu(torch.cat([end, mean, most, form], -1) @ a["whole"] + a["whole_bias"])
        u = drop(functional.layer_norm(u, (INNER,)) * a["whole_norm"][0] + a["whole_norm"][1])
        u = u * (own.sum(-1, keepdim=True) > 0)
        beside = functional.pad(u, (0, 0, NEAR, NEAR)).unfold(1, 2 * NEAR + 1, 1).transpose(2, 3).flatten(2)
        v = functional.relu(beside @ a["near"] + a["near_bias"])
        return drop(torch.cat([u, v], -1)) @ a["out"] + a["out_bias"]


@dataclass(eq=False)
class Read:
    """A stretch as the networks take it."""

    of: Stretch
    x: Array
    seg: Array
    ends: Array
    form: Array


def read(of: Shipping, stretches: list[Stretch]) -> tuple[list[Read], Array, Array]:
    """Return what was read, and the centre and spread of states."""
    scans = dict(of.reads.each([one.text for one in stretches]))
    some = np.concatenate([scans[one.text].states[::9].astype(np.float32) for one in stretches])
    centre, scale, rows = some.mean(axis=0), some.std(axis=0) + 1e-3, []
    for one in stretches:
        scan = scans[one.text]
        places, seg = tokens_of(one.spans, scan.spans), np.full(len(scan.spans), -1)
        for n, own in enumerate(places):
            seg[own] = n
        x = standard(scan.states.astype(np.float32), centre, scale).astype(np.float16)
        form = np.array([form_of(one.text, one.spans, n) for n in range(len(one.spans))], np.float32)
        rows.append(Read(one, x, seg, np.array([own[-1] for own in places]), form))
    return rows, centre, scale


def padded(arrays: list[Array], value: float = 0.0) -> Tensor:
    most = max(map(len, arrays))
    wide = [np.pad(one, [(0, most - len(one)), *[(0, 0)] * (one.ndim - 1)], constant_values=value) for one in arrays]
    return torch.from_numpy(np.stack(wide))


def batch(rows: list[Read]) -> tuple[Tensor, ...]:
    x, form = padded([one.x.astype(np.float32) for one in rows]), padded([one.form for one in rows])
    return x, padded([one.seg for one in rows], -1), padded([one.ends for one in rows]), form


def train(rows: list[Read], seed: int) -> Net:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    net = Net(rows[0].x.shape[1])
    steps = EPOCHS * (len(rows) // BATCH + 1)
    by = torch.optim.AdamW(net.parameters(), lr=PACE, weight_decay=DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(by, PACE, total_steps=steps + 1)
    for _ in range(EPOCHS):
        mixed = order.permutation(len(rows))
        for start in range(0, len(rows), BATCH):
            some = [rows[n] for n in mixed[start : start + BATCH]]
            goal, weight = (padded([value.astype(np.float32) for value in values]) for values in
                            ([one.of.goal for one in some], [one.of.weight for one in some]))  # fmt: skip
            losses = functional.binary_cross_entropy_with_logits(net(*batch(some)), goal, reduction="none")
            by.zero_grad()
            ((losses * weight).sum() / weight.sum()).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            by.step()
            pace.step()
    net.eval()
    return net


@torch.no_grad()
def scored(net: Net, rows: list[Read]) -> list[Array]:
    """Return the score of each sentence."""
    found = []
    for start in range(0, len(rows), 2 * BATCH):
        some = rows[start : start + 2 * BATCH]
        values = net(*batch(some)).numpy()
        found += [values[n, : len(one.ends)] for n, one in enumerate(some)]
    return found


def beside(one: Read) -> Array:
    """Return what the line is over: end, mean and form of each sentence between those of its neighbours."""
    x, own = one.x.astype(np.float32), []
    for n, (end, form) in enumerate(zip(one.ends, one.form, strict=True)):
        at = np.flatnonzero(one.seg == n)
        own.append(np.concatenate([x[end], x[at if len(at) else [0]].mean(axis=0), form]))
    padded = np.pad(np.stack(own), ((1, 1), (0, 0)))
    return np.hstack([padded[n : n + len(own)] for n in range(3)])


def line_of(rows: list[Read]) -> tuple[Array, float]:
    """Return the line, of spread one, and its mean: a ridge over the main directions of ends and means."""
    x = np.concatenate([beside(one) for one in rows])
    goal, weight = (
        np.concatenate(values) for values in ([one.of.goal for one in rows], [one.of.weight for one in rows])
    )
    x = x.reshape(len(x), 3, -1)
    directions = np.linalg.eigh(np.cov(x[::4, 1, :-FORM].T))[1][:, ::-1].astype(np.float32)
    kept = (SIDE, OWN, SIDE)
    z = np.concatenate(
        [np.hstack([x[:, n, :-FORM] @ directions[:, :k], x[:, n, -FORM:]]) for n, k in enumerate(kept)], 1
    )
    scale = z.std(axis=0) + 1e-3
    z = (z - z.mean(axis=0)) / scale
    inner = (z.T * weight) @ z + RIDGE * len(z) * np.eye(z.shape[1])
    solved = np.linalg.solve(inner, z.T @ (weight * (goal - np.average(goal, weights=weight)))) / scale
    parts = np.split(solved, np.cumsum([k + FORM for k in kept])[:-1])
    line = np.stack([np.append(directions[:, : len(one) - FORM] @ one[:-FORM], one[-FORM:]) for one in parts])
    values = x.reshape(len(x), -1) @ line.ravel()
    return line / values.std(), float(values.mean() / values.std())


def of_lines(rows: list[Read], scores: list[Array]) -> tuple[Array, Array]:
    """Return the score of each line, which is that of the sentence that it ends in, and whether people laughed."""
    values = [its[n] for one, its in zip(rows, scores, strict=True) for n in one.of.at]
    return np.array(values, np.float64), np.array([laugh for one in rows for _, laugh in one.of.ends]) == 1


def fit(of: Shipping) -> None:
    """Train networks and a line without each show: all ship, and each is measured on the show that it doesn't know."""
    rows, centre, scale = read(of, recorded() + strung())
    show = np.array([one.of.show for one in rows])
    figures: dict[str, Any] = {}
    nets, drawn, away = list[Net](), list[tuple[Array, float]](), list[tuple[Array, Array, Array]]()
    for name in sorted({*show} - {""}):
        inside, outside = ([rows[n] for n in np.flatnonzero(part)] for part in (show != name, show == name))
        own = [train(inside, seed) for seed in range(SEEDS)]
        both = [of_lines(outside, scored(net, outside)) for net in own]
        line, level = line_of([one for one in inside if one.of.show])
        values, laughed = of_lines(outside, [beside(one) @ line.ravel() - level for one in outside])
        nets += own
        drawn.append((line, level))
        away.append((np.mean([one for one, _ in both], axis=0), values, laughed))
    share = SHARE * np.concatenate([one for one, _, _ in away]).std()
    for name, (scores, values, laughed) in zip(sorted({*show} - {""}), away, strict=True):
        figures[name] = {"area": round(auc(scores + share * values, laughed) or 0.0, 3)}
    scores, values, laughed = (np.concatenate(parts) for parts in zip(*away, strict=True))
    scores = scores + share * values
    slope, offset = platt(scores, laughed.astype(np.float64))
    stated = slope * scores + offset >= 0.0
    right = laughed[stated].mean() if stated.any() else 0.0
    figures["from 0.5: stated, right"] = [round(float(stated.mean()), 3), round(float(right), 3)]
    print(json.dumps(figures, indent=1))
    arrays = {name: np.stack([net.a[name].detach().numpy() for net in nets]) for name in nets[0].a}
    arrays["line"] = share * np.mean([line for line, _ in drawn], axis=0)
    arrays["out_bias"] = arrays["out_bias"] - share * np.mean([level for _, level in drawn])
    arrays |= {"centre": centre, "scale": scale, "reach": 0.1 * np.abs(arrays["reach"])}
    area = float(np.mean([figures[name]["area"] for name in sorted({*show} - {""})]))
    meta = {"format": 1, "model_sha256": of.sha256, "slope": slope, "offset": offset, "area": round(area, 3)}
    card = {
        "command": "python models/training/laughs.py MODEL.gguf CACHE --name NAME",
        "data": "laughs.jsonl.gz: lines of three comedies recorded before an audience, and whether it laughed "
        "(ranyadshalom/seinfeld_laugh_corpus); jokes and other texts of models/training strung together",
        "split": "a show left out, from which the calibration is",
        "figures": figures,
    }
    of.save("laughs", lambda out: LaughsHead.write(out, meta, arrays), card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--name", required=True)
    torch.set_num_threads(1)
    fit(Shipping(**vars(parser.parse_args())))
