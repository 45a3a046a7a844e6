"""Fits the head of a model to the texts that features.py has read, prints its held-out figures beside the baselines,
and writes heads and cards.

    python models/training/make.py MODEL.gguf CACHE [--across] [--write models] [--held-out FOLDER]

The figures are of a head fitted without the held-out texts; --held-out writes it. --write writes a head fitted, by the
same recipe, on all texts.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import data
import head_file
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
from sets import Set, read_set

from jokejudge_gui.core.files import atomic_write, sha256_of

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


def measure(sets: list[Set], model: Model, fits: dict[str, KindFit], across: bool) -> dict[str, Any]:
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
        if across and len(sets) > 1:
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
        print(f"\n{part.name}: {entry['training_texts']} texts learned from, pairs {entry['test_pairs']}")
        made = fits.get(part.name)
        for learner, share in zip(made.learners, made.mixture, strict=True) if made else ():
            spread = share * learner.oof[~part.test & part.read].std()
            print(
                f"  {learner.name:18} strength {learner.strength:4} cross-validated {learner.quality:.3f} "
                f"part in the mixture {spread:.2f}"
            )
        for name, column in columns.items():
            values = {slice_: figure(column, pairs, keep) for slice_, keep in slices.items() if keep.sum() > 20}
            print(f"  {name:26}" + "  ".join(f"{slice_} {value}" for slice_, value in values.items()))
            entry["agreement"][name] = {
                slice_: [round(value.value, 3), round(value.low, 3), round(value.high, 3)]
                for slice_, value in values.items()
            }
        print(
            f"  calibration error {ece:.3f}, log-loss {loss:.3f} (coin .693), stated 5:1 or more: "
            f"{entry['stated_5_to_1']}",
            flush=True,
        )
        found[part.name] = entry
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--name", default="SmolLM2 135M Instruct Q8_0")
    parser.add_argument("--write", type=Path)
    parser.add_argument(
        "--held-out", type=Path, metavar="FOLDER", help="write the head without the held-out texts here"
    )
    parser.add_argument("--across", action="store_true", help="also learn without each set and test on it")
    parser.add_argument("--no-grams", action="store_true")
    parser.add_argument("--sets", default=",".join(data.SETS))
    options = parser.parse_args(argv)
    sha256 = sha256_of(options.model)
    sets = [part for name in options.sets.split(",") if (part := read_set(options.cache, sha256, name)) is not None]
    model, fits = fit(sets, use_grams=not options.no_grams)
    found = measure(sets, model, fits, options.across)
    macro = np.mean([found[name]["agreement"]["head"]["all"][0] for name in VOTED_MACRO if name in found])
    print(f"\nmacro average of {', '.join(VOTED_MACRO)}: {macro:.3f}")
    joke = figures(model.joke, sets, model.centre, model.scale) if model.joke is not None else None
    print(f"joke or not: {joke}")
    one = one_voter(data.held_out_votes())
    print(f"one voter with the majority of the others: {one:.3f}")
    agreement = round(found["ukp"]["agreement"]["head"]["all"][0], 3)
    meta = {"version": VERSION, "model_sha256": sha256, "agreement": agreement, "one_person": round(one, 3)}
    card = {
        "model": {"name": options.name, "sha256": sha256},
        **{name: meta[name] for name in ("version", "agreement", "one_person")},
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": "python models/training/make.py MODEL.gguf CACHE " + " ".join(_flags(options)),
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
    if options.held_out is not None:
        fitted = "the texts that aren't held out; the figures are of this very head"
        save(
            options.held_out, sha256, model, head_file.quantiles(model, sets, fits), meta, card | {"fitted_on": fitted}
        )
    if options.write is not None:
        model, fits = fit(sets, everything=True, use_grams=not options.no_grams)
        fitted = "all texts, by the recipe that the figures are of; those are without the held-out texts"
        table = head_file.quantiles(model, sets, fits)
        save(options.write, sha256, model, table, meta, card | {"fitted_on": fitted})


def save(
    folder: Path, sha256: str, model: Model, table: np.ndarray, meta: dict[str, Any], card: dict[str, Any]
) -> None:
    head_file.write(folder / "heads" / f"{sha256[:16]}.npz", model, table, meta)
    path = folder / "cards" / f"{sha256[:16]}.json"
    atomic_write(path, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    path.chmod(0o644)


def _flags(options: argparse.Namespace) -> list[str]:
    """The options that change the fit or the figures, as on the command line."""
    flags = ["--across"] * options.across + ["--no-grams"] * options.no_grams
    return [*flags, "--write models"] if options.sets == ",".join(data.SETS) else [*flags, f"--sets {options.sets}"]


VOTED_MACRO = ("ukp", "headlines", "hahackathon")

if __name__ == "__main__":
    main()
