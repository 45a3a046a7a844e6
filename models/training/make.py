"""Fits the audience head of a model to people's votes, beside the baselines, and writes it with its card.

The figures are of a head fitted without the held-out texts; what ships is fitted, by the same recipe, on all texts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

import data
import numpy as np
from fit import KindFit, Model, fit
from joke import PLAIN, figures
from measure import (
    calibration,
    figure,
    gram_baseline,
    head_differences,
    longer_of,
    one_voter,
    test_pairs,
    without,
)
from sets import Array, Set, read_set
from shipping import Shipping

from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.files import FORMAT

VERSION = "2"
TERMS = {
    "ukp": "UKPLab acl2019-GPPL-humour-metaphor, annotations CC BY 4.0; texts partly from the SemEval-2017 pun corpus",
    "headlines": "Humicroedit and FunLines, SemEval-2020 task 7; no terms stated",
    "hahackathon": "HaHackathon, SemEval-2021 task 7; no terms stated",
    "plain": "the texts of HaHackathon that its readers didn't take for jokes",
    "mechanics": "altsoph/humor-mechanics, MIT",
    "rjokes": "orionw/rJokesData, Reddit's terms",
    "stupidstuff": "taivop/joke-dataset, for research",
}

VOTED_MACRO = ("ukp", "headlines", "hahackathon")


def measure(sets: list[Set], model: Model, fits: dict[str, KindFit]) -> dict[str, Any]:
    """Return the figures of every set, printed one after another."""
    found: dict[str, Any] = {}
    for part in sets:
        if part.name == PLAIN:
            continue
        chosen = test_pairs(part)
        pairs, strong, jokes = part.pairs[chosen], part.strong[chosen], part.jokes[chosen]
        head = head_differences(model, part, pairs)
        grams = gram_baseline([part], part, model.rarity)
        columns = {
            "head": head,
            "longer": longer_of(part, pairs),
            "n-grams and length": grams[pairs[:, 0]] - grams[pairs[:, 1]],
        }
        if len(sets) > 1:
            others = [other for other in sets if other is not part and other.name != PLAIN]
            grams = gram_baseline(others, part, model.rarity)
            columns["head without this set"] = without(model, fits, sets, part)
            columns["n-grams without this set"] = grams[pairs[:, 0]] - grams[pairs[:, 1]]
        slices = {"all": np.ones(len(pairs), bool), "strong": strong}
        if not jokes.all():
            slices |= {"jokes": jokes, "strong jokes": strong & jokes}
        ece, loss = calibration(head)
        sure = np.abs(head) >= np.log(5)
        entry: dict[str, Any] = {
            "training_texts": int((~part.test & part.read).sum()),
            "test_pairs": {name: int(keep.sum()) for name, keep in slices.items()},
            "agreement": {},
            "ece": round(ece, 3),
            "log_loss": round(loss, 3),
            "stated_5_to_1": {"pairs": int(sure.sum()), "right": round(float((head[sure] > 0).mean()), 3)}
            if sure.any()
            else None,
        }
        for name, column in columns.items():
            entry["agreement"][name] = {
                slice_: figure(column, pairs, keep) for slice_, keep in slices.items() if keep.sum() > 20
            }
        found[part.name] = entry
        print(part.name, json.dumps(entry["agreement"]), flush=True)
    return found


def quantiles(model: Model, sets: list[Set], fits: dict[str, KindFit]) -> Array:
    """101 quantiles of the score over jokes with people's votes, each set with the same weight. The scores are out of
    fold: a head spreads its training texts more widely than new ones."""
    values, weights = [], []
    for part in sets:
        chosen = ~part.test & part.joke & part.read
        if not chosen.any():
            continue
        counts = [count for count, keep in zip(part.counts, chosen, strict=True) if keep]
        scores, shares = model.parts(part.values[chosen], counts)
        if part.name in fits:
            scores[:, model.kinds.index(part.name)] = fits[part.name].oof[chosen]
        values.append((scores * shares).sum(axis=1))
        weights.append(np.full(int(chosen.sum()), 1 / chosen.sum()))
    value, weight = np.concatenate(values), np.concatenate(weights)
    order = np.argsort(value)
    reached = (np.cumsum(weight[order]) - weight[order] / 2) / weight.sum()
    return np.maximum.accumulate(np.interp(np.linspace(0, 1, 101), reached, value[order]))


def write(stream: IO[bytes], model: Model, table: Array, meta: dict[str, Any]) -> None:
    arrays = {
        "centre": model.centre,
        "scale": model.scale,
        "weights": model.weights,
        "bias": model.bias,
        "gate": model.gate,
        "gate_bias": model.gate_bias,
        "grams": model.grams,
        "rarity": model.rarity,
        "quantiles": table,
    }
    if model.joke is not None:
        arrays["joke"] = np.append(model.joke.slope * model.joke.weights, model.joke.bias)
    AudienceHead.write(stream, {"format": FORMAT, "kinds": model.kinds, **meta}, arrays)


def fit_audience(of: Shipping) -> None:
    """Fit the audience head; and once without the held-out texts, for the figures and for what is fitted on those."""
    sets = [part for name in data.SETS if (part := read_set(of.reads, name)) is not None]
    model, fits = fit(sets)
    found = measure(sets, model, fits)
    macro = np.mean([found[name]["agreement"]["head"]["all"][0] for name in VOTED_MACRO if name in found])
    joke = figures(model.joke, sets, model.centre, model.scale) if model.joke is not None else None
    one = one_voter(data.held_out_votes())
    agreement = round(found["ukp"]["agreement"]["head"]["all"][0], 3)
    meta = {"version": VERSION, "model_sha256": of.sha256, "agreement": agreement, "one_person": round(one, 3)}
    card = {
        **{name: meta[name] for name in ("version", "agreement", "one_person")},
        "command": "python models/training/ship.py MODEL.gguf CACHE --name NAME --only heads",
        "features": "final hidden states of the bare text (after BOS where the model wants one), means of the halves "
        "and of the last four tokens, the last token, three lengths, word and letter groups in "
        f"{model.rarity.size} buckets",
        "split": "by text: a third of the texts of each set is held out; the official development set of the headlines",
        "data": {part.name: TERMS[part.name] for part in sets},
        "kinds": model.kinds,
        "figures": found,
        **({"joke_or_not": joke} if joke else {}),
        "macro_agreement": round(float(macro), 3),
        "intervals": "95 %, bootstrap over texts",
    }

    def save(folder: Path, model: Model, fits: dict[str, KindFit], fitted: str) -> None:
        table = quantiles(model, sets, fits)
        of.save("heads", lambda out: write(out, model, table, meta), card | {"fitted_on": fitted}, folder, "cards")

    fitted = "the texts that aren't held out; the figures are of this very head"
    save(of.held_out, model, fits, fitted)
    model, fits = fit(sets, everything=True)
    fitted = "all texts, by the recipe that the figures are of; those are without the held-out texts"
    save(of.models, model, fits, fitted)
