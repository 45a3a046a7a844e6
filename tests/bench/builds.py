"""Whether another build of llama.cpp changes the heads' figures: python -m tests.bench.builds [write] FILE…

``write FILE`` reads texts with the installed library and keeps every head's answer: a sample of ``models/readings`` and
``models/drafts``, one-liners of ukp_items.csv in $JOKEJUDGE_DATA and texts that are no jokes. With two such files it
prints each head's figure for both, and the differences of their answers; files by different editor's heads are refused,
since the heads themselves would differ. Asserts nothing.
"""

from __future__ import annotations

import csv
import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.engine.binding import build_id
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.worth import heads_key

from .judge import model_parser, open_judge

_MODELS = Path(__file__).parents[2] / "models"
Row = dict[str, Any]
Figure = tuple[str, float, float, float, float]
"""One head's name, its figure on either build, and the median and the largest difference of its answers."""


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--count", type=int, default=240)
    options = parser.parse_args()
    if options.files[0] == "write":
        with open_judge(options) as judge, Path(options.files[1]).open("w", encoding="utf-8") as out:
            before = time.process_time()
            run = {"build": build_id(), "heads": heads_key(judge.editor_card)}
            for row in rows(options.count):
                out.write(json.dumps({**row, **heard(judge, row), **run}) + "\n")
            print(f"{time.process_time() - before:.1f} s of processor time; {build_id()}")
        return
    one, other = (
        [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()] for name in options.files[:2]
    )
    key, other_key = (each[0].get("heads", "not stored") for each in (one, other))
    if key != other_key or "heads" not in one[0]:
        raise SystemExit(f"Not the same heads wrote these files ({key}; {other_key}): write both again with the same.")
    print(f"{one[0]['build']}\n{other[0]['build']}")
    print(f"{'':34}{'one':>8}{'other':>8}{'median':>9}{'largest':>9}   difference of answers")
    for name, was, now, median, largest in figures(one, other):
        print(f"{name:34}{was:8.3f}{now:8.3f}{median:9.4f}{largest:9.3f}")


def rows(count: int) -> Iterator[Row]:
    """Yield the sample, the same every time."""
    draw = random.Random(28)
    readings = [json.loads(line) for line in (_MODELS / "readings" / "readings.jsonl").read_text("utf-8").splitlines()]
    for each in draw.sample(readings, min(count, len(readings))):
        yield {
            "of": "reading",
            "text": each["text"],
            "core": each["core"],
            "kinds": each["kinds"],
            "faults": each["faults"],
        }
    drafts = [json.loads(line) for line in (_MODELS / "drafts" / "drafts.jsonl").read_text("utf-8").splitlines()]
    for each in draw.sample(drafts, count // 2):
        worse = draw.choice(each["worse"])
        yield {"of": "drafts", "text": each["best"], "other": worse["text"]}
    plain = (_MODELS / "training" / "not_jokes.jsonl").read_text("utf-8").splitlines()
    for line in draw.sample(plain, min(count // 2, len(plain))):
        yield {"of": "plain", "text": json.loads(line)["text"]}
    with (Path(os.environ["JOKEJUDGE_DATA"]) / "ukp_items.csv").open(encoding="utf-8", newline="") as stream:
        items = [row for row in csv.DictReader(stream) if row["category"] != "nonjokes"]
    for row in draw.sample(items, count):
        yield {"of": "one-liner", "text": row["text"], "score": float(row["bws_score"])}


def heard(judge: MainJudge, row: Row) -> Row:
    """Return the heads' answers on a row."""
    reader = judge.reader
    found = reader.read(row["text"])
    audience = reader.audience(found)
    assert found.editor is not None
    assert audience is not None
    said: Row = {
        "audience": audience.score,
        "percentile": audience.percentile,
        "said": audience.said,
        "factors_read": {name: each.expected for name, each in found.editor.factors.items()},
        "kinds_read": found.editor.kinds,
        "faults_read": found.editor.faults,
        "turn": [found.editor.turn.start, found.editor.turn.end] if found.editor.turn else None,
        "offence": found.offence.p if found.offence else None,
        "sense": found.sense.sense.joke if found.sense else None,
        "sense_said": found.sense.sense.said if found.sense else None,
    }
    if "core" in row:
        assert reader.editor is not None
        said["factors"] = dict(zip(reader.editor.factors, row["core"], strict=True))
    if "other" in row:
        compared = reader.compare_drafts(clean_text(row["text"]), clean_text(row["other"]))
        said["drafts"] = compared.log_odds_a if compared else None
    return said


def figures(one: list[Row], other: list[Row]) -> Iterator[Figure]:
    """Return each head's figure by either file, and the differences of its answers."""
    for name, of, key, worth in (
        ("audience, pairs in people's order", ("one-liner",), "audience", _order),
        ("  percentile (apart in points)", ("one-liner",), "percentile", _order),
        ("drafts, better one named", ("drafts",), "drafts", _positive),
        ("sense, one-liner or plain (AUC)", ("one-liner", "plain"), "sense", _tells_jokes),
        ("offence (mean)", ("one-liner",), "offence", lambda some, key: float(np.mean([row[key] for row in some]))),
    ):
        pairs = [(a, b) for a, b in zip(one, other, strict=True) if a["of"] in of and None not in (a[key], b[key])]
        apart = [abs(a[key] - b[key]) for a, b in pairs]
        was, now = (worth(list(some), key) for some in zip(*pairs, strict=True))
        yield name, was, now, float(np.median(apart)), max(apart)
    read = [(a, b) for a, b in zip(one, other, strict=True) if a["of"] == "reading"]
    for name, key, worth in (
        ("factors, mean r", "factors", _correlations),
        ("kinds, mean AUC", "kinds", _aucs),
        ("faults, mean AUC", "faults", _aucs),
    ):
        apart = [abs(p - b[f"{key}_read"][item]) for a, b in read for item, p in a[f"{key}_read"].items()]
        was, now = (worth(list(some), key) for some in zip(*read, strict=True))
        yield name, was, now, float(np.median(apart)), max(apart)
    for name, key in (("turn on other words", "turn"), ("other half", "said"), ("other word of sense", "sense_said")):
        differ = float(np.mean([a[key] != b[key] for a, b in zip(one, other, strict=True)]))
        yield f"{name} (share of texts)", 0.0, differ, differ, differ


def _positive(some: list[Row], key: str) -> float:
    return float(np.mean([row[key] > 0 for row in some]))


def _tells_jokes(some: list[Row], key: str) -> float:
    return _auc([row[key] for row in some], [row["of"] == "one-liner" for row in some])


def _order(some: list[Row], key: str) -> float:
    pairs = [(a[key] - b[key]) * (a["score"] - b["score"]) for n, a in enumerate(some) for b in some[:n]]
    return float(np.mean([pair > 0 for pair in pairs if pair]))


def _correlations(some: list[Row], key: str) -> float:
    found = [
        np.corrcoef([r[key][id] for r in some], [r[f"{key}_read"][id] for r in some])[0, 1]
        for id in some[0][f"{key}_read"]
    ]
    return float(np.nanmean(found))


def _aucs(some: list[Row], key: str) -> float:
    named = {id for r in some for id in r[key]} & set(some[0][f"{key}_read"])
    found = [_auc([r[f"{key}_read"][id] for r in some], [id in r[key] for r in some]) for id in sorted(named)]
    return float(np.mean(found))


def _auc(values: list[float], labels: list[bool]) -> float:
    up = [value for value, label in zip(values, labels, strict=True) if label]
    down = [value for value, label in zip(values, labels, strict=True) if not label]
    return float(np.mean([(a > b) + 0.5 * (a == b) for a in up for b in down]))


if __name__ == "__main__":
    main()
