"""Contests compared with people's scores, and their cost.

    python -m tests.bench.contest agree [--model PATH|NAME] [--head FOLDER] [--lists 4] [--size 60]
    python -m tests.bench.contest time [--jokes 1000]
    python -m tests.bench.contest alike

``agree`` (data by $JOKEJUDGE_DATA): held-out one-liners in lists of 60, ranked by contests with 0, 60, 120 and 240
duels, compared with people's best-worst scores; ``--head``: an audience head fitted without them
(models/training/make.py --held-out), as the shipped one was fitted on all texts. ``time``: seconds, megabytes and the
size of the history for a list. ``alike``: the shares of versions of one joke, and of pairs of different jokes, taken
for versions at each threshold. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.files import parse_json
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.statistics import spearman
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.near_duplicates import alike, likeness
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.types import ContestRequest, ContestResult
from jokejudge_gui.rubric.xml_parser import load_criteria
from jokejudge_gui.session.session import Session

from .verdicts import processor

DUELS = (0, 60, 120, 240)
THRESHOLDS = (0.2, 0.24, 0.28, 0.32, 0.36, 0.4, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.contest", description=__doc__)
    parser.add_argument("what", choices=("agree", "time", "alike"))
    parser.add_argument("--model", default=None)
    parser.add_argument("--head", type=Path, default=None)
    parser.add_argument("--lists", type=int, default=4)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--jokes", type=int, default=1000)
    parser.add_argument("--duels", type=int, nargs="*", default=list(DUELS))
    parser.add_argument("--ask-all", action="store_true", help="duels of a model whose answers add nothing, too")
    options = parser.parse_args()
    print(f"machine: {processor()}; load {os.getloadavg()[0]:.1f}")
    {"agree": agree, "time": cost, "alike": near}[options.what](options)


def opened(options: argparse.Namespace, folder: Path) -> Session:
    """Return a session with its model loaded, and the given head in place of its own."""
    session = Session(Profile.at(folder), Settings(model=options.model))
    for _ in session.load():
        pass
    judge = session.judge
    assert judge is not None
    if options.head is not None:
        judge.head = AudienceHead.load(options.head / f"{judge.model.sha256[:16]}.npz")
    print(f"model: {judge.model.name}")
    return session


def ranked(session: Session, request: ContestRequest, *, record: bool = False) -> ContestResult:
    *_, last = session.run(CONTEST, request, record=record)
    assert isinstance(last, Finished), last
    assert isinstance(last.result, ContestResult)
    return last.result


def agree(options: argparse.Namespace) -> None:
    texts = held_out_jokes()
    random.Random(1).shuffle(texts)
    with tempfile.TemporaryDirectory() as name:
        session = opened(options, Path(name))
        rows: dict[int, list[tuple[float, float, float, float, int]]] = {}
        for number in range(options.lists):
            chosen = texts[number * options.size : (number + 1) * options.size]
            truth = dict(chosen)
            before: ContestResult | None = None
            for duels in options.duels:
                ask = "all" if options.ask_all and duels else "plan"
                if before is None or before.everything_asked != (ask == "all"):
                    request = ContestRequest.of_texts([text for text, _ in chosen], budget=duels, ask=ask)
                else:
                    request = ContestRequest.going_on(before, budget=duels)
                before = ranked(session, request)
                rows.setdefault(duels, []).append(held_against(before, truth))
        session.close()
    print(f"{options.lists} lists of {options.size}; means over lists")
    print("duels  held  Spearman  rank intervals hold  their mean width  stated agreement")
    for duels, found in rows.items():
        rho, inside, width, stated, held = np.mean(found, axis=0)
        print(f"{duels:5}  {held:4.0f}  {rho:8.3f}  {inside:19.3f}  {width:16.1f}  {stated:16.3f}")


def held_out_jokes() -> list[tuple[str, float]]:
    """Return held-out one-liners that are jokes, with people's scores."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training"))
    import data  # type: ignore[import-not-found]

    with (Path(os.environ["JOKEJUDGE_DATA"]) / "ukp_items.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["category"] != "nonjokes"]
    return [(row["text"], float(row["bws_score"])) for row in rows if data.held_out(row["text"])]


def held_against(result: ContestResult, truth: dict[str, float]) -> tuple[float, float, float, float, int]:
    """Return Spearman's ρ, the share of rank intervals that hold people's rank, their width, the stated agreement, and
    the number of duels held."""
    entries = [entry for entry in result.entries if entry.rank is not None]
    scores = np.array([truth[entry.text] for entry in entries])
    order = np.argsort(np.argsort(-scores, kind="stable"), kind="stable") + 1
    inside = [
        (entry.rank_low or 0) <= place <= (entry.rank_high or 0) for entry, place in zip(entries, order, strict=True)
    ]
    width = [(entry.rank_high or 0) - (entry.rank_low or 0) + 1 for entry in entries]
    rho = spearman([-(entry.rank or 0) for entry in entries], scores).value
    return rho or 0.0, float(np.mean(inside)), float(np.mean(width)), result.agreement or float("nan"), len(result.held)


def cost(options: argparse.Namespace) -> None:
    jokes = load_criteria().contrast.baseline
    texts = [f"{jokes[n % len(jokes)]} Number {n}." for n in range(options.jokes)]
    with tempfile.TemporaryDirectory() as name:
        session = opened(options, Path(name))
        ranked(session, ContestRequest.of_texts(texts[:5], budget=0))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        begin, used = time.perf_counter(), time.process_time()
        result = ranked(session, ContestRequest.of_texts(texts, budget=0), record=True)
        seconds, used = time.perf_counter() - begin, time.process_time() - used
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        size = session.profile.database.stat().st_size / 1e6
        session.close()
    spent = ", ".join(f"{stage} {took:.1f} s" for stage, took in result.stage_seconds.items())
    print(f"{options.jokes} jokes: {seconds:.1f} s, {used:.1f} s of processor time ({spent})")
    print(f"memory at most {after:.0f} MB, {after - before:.0f} MB more than the model alone; history {size:.1f} MB")


def near(options: argparse.Namespace) -> None:
    """Compare versions of one joke from ../readings/drafts.jsonl beside the data with the best versions of two
    jokes."""
    folder = Path(os.environ["JOKEJUDGE_DATA"]).parent / "readings"
    families = []
    for line in (folder / "drafts.jsonl").read_text(encoding="utf-8").splitlines():
        row = parse_json(line)
        families.append([row["best"], row["equal"], *(each["text"] for each in row["worse"])])
    same = np.array([likeness(family[0], other) for family in families for other in family[1:]])
    heads = [family[0] for family in families]
    other = np.array([likeness(a, b) for i, a in enumerate(heads) for b in heads[i + 1 :]])
    print(f"{len(same)} pairs of versions, {len(other)} pairs of different jokes")
    for threshold in THRESHOLDS:
        taken = f"{(same >= threshold).mean():.3f} of versions, {(other >= threshold).mean():.5f} of others"
        print(f"{threshold:.2f}: {taken}")
    everything = [text for family in families for text in family]
    begin = time.perf_counter()
    found = {(i, j) for i, j, _ in alike(everything, 0.28)}
    seconds = time.perf_counter() - begin
    wanted = {
        (i, j)
        for i, a in enumerate(everything)
        for j, b in enumerate(everything[i + 1 :], start=i + 1)
        if likeness(a, b) >= 0.28
    }
    print(f"{len(everything)} texts: {len(found)} pairs in {seconds:.1f} s, of {len(wanted)} that all comparisons find")


if __name__ == "__main__":
    main()
