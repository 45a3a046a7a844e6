"""The cost of trying edits, and the edits worth reading: python -m tests.bench.edits [TEXTS] [--count N].

TEXTS: thirty (tests/bench/thirty.jsonl, the default), drafts (models/drafts), readings (models/readings) or oneliners
(ukp_items.csv in $JOKEJUDGE_DATA); of the last three a sample. Prints processor seconds and tokens of a bare reading
and of ratings without and with edits, each text read anew; then the draft heads' forecast for every possible edit, and
the number of edits preferred once they were read. Asserts nothing.
"""

from __future__ import annotations

import csv
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.texts import clean_text
from jokejudge_gui.core.verdicts import RatingResult
from jokejudge_gui.judge.rating.edits import BETTER, LEAST_FORESEEN, edits
from jokejudge_gui.session.session import Session

from . import thirty
from .judge import model_parser
from .verdicts import processor

_MODELS = Path(__file__).parents[2] / "models"
_STEPS = (float("-inf"), -1.0, 0.0, 0.3, LEAST_FORESEEN, 0.9, 1.2, 1.8, float("inf"))


def main() -> None:
    parser = model_parser(__doc__)
    parser.add_argument("texts", nargs="?", default="thirty", choices=("thirty", "drafts", "readings", "oneliners"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    texts = chosen(options.texts, options.count)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Profile.at(Path(folder)), Settings(model=options.model, threads=options.threads))
        try:
            list(session.load())
            assert session.model is not None
            assert session.judge is not None
            print(f"machine: {processor()}; model: {session.model.name}; {len(texts)} texts of {options.texts}")
            costs(session, texts, options.rounds)
            table(session, texts)
        finally:
            session.close()


def chosen(name: str, count: int) -> list[str]:
    if name == "thirty":
        return [clean_text(row.text) for row in thirty.rows()]
    if name == "oneliners":
        with (Path(os.environ["JOKEJUDGE_DATA"]) / "ukp_items.csv").open(encoding="utf-8", newline="") as stream:
            texts = [row["text"] for row in csv.DictReader(stream)]
    else:
        lines = (_MODELS / name / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        texts = [text for line in lines for text in texts_of(json.loads(line))]
    random.Random(1).shuffle(texts)
    return [clean_text(text) for text in texts[:count]]


def texts_of(row: dict[str, object]) -> list[str]:
    """Return a reading's text, or all drafts of a joke."""
    if "text" in row:
        return [str(row["text"])]
    worse = row["worse"]
    assert isinstance(worse, list)
    return [str(row["best"]), *(str(draft["text"]) for draft in worse), str(row["equal"])]


def rating(session: Session, text: str, *, explain: bool) -> RatingResult:
    *_, last = session.rate(text, force=True, explain=explain, record=False)
    assert isinstance(last, Finished), last
    assert isinstance(last.result, RatingResult)
    return last.result


def shown(session: Session, text: str, *, explain: bool) -> int:
    note = rating(session, text, explain=explain).note
    return len(note.trials) if note else 0


def costs(session: Session, texts: list[str], rounds: int) -> None:
    """Return processor seconds, the least of some rounds for each text, and tokens. Each time the text is read anew."""
    assert session.judge is not None
    engine = session.judge.measure.engine
    ways: dict[str, Callable[[str], int]] = {
        "bare reading": lambda text: len(engine.scan(text).spans) and 0,
        "rating without edits": lambda text: shown(session, text, explain=False),
        "rating with edits": lambda text: shown(session, text, explain=True),
    }
    seconds, tokens, edited = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0), dict.fromkeys(ways, 0)
    rating(session, texts[0], explain=True)
    for text in texts:
        least = dict.fromkeys(ways, float("inf"))
        for again in range(rounds):
            for way, read in ways.items():
                session.judge.head = session.judge.head  # makes a new reader, without cached jokes
                before, begin = engine.usage.tokens_evaluated, time.process_time()
                count = read(text)
                least[way] = min(least[way], time.process_time() - begin)
                if not again:
                    tokens[way] += engine.usage.tokens_evaluated - before
                    edited[way] += count
        for way, value in least.items():
            seconds[way] += value
    bare = seconds["bare reading"]
    for way in ways:
        spent = f"{1000 * seconds[way] / len(texts):5.1f} ms a text, {seconds[way] / bare:.2f} of a bare reading"
        print(f"{way:21} {spent}; {tokens[way]:6,} tokens, {edited[way]} edits shown", flush=True)


def table(session: Session, texts: list[str]) -> None:
    """Print a table of every edit, read whatever its forecast."""
    assert session.judge is not None
    reader = session.judge.reader
    rows: list[tuple[float, bool]] = []
    for text in texts:
        turn = rating(session, text, explain=False).turn
        editor = reader.read(text).editor
        if editor is None:
            continue
        cuts = [(cut.start, cut.end) for cut in sorted(editor.cuts, key=lambda cut: -cut.p)]
        for edit in edits(text, (turn.start, turn.end) if turn else None, cuts):
            expected, found = reader.foresee_draft(edit.text, text), reader.compare_drafts(edit.text, text)
            if expected is not None and found is not None:
                rows.append((expected.log_odds_a, found.p_a >= BETTER))
    total, above = sum(better for _, better in rows), [better for odds, better in rows if odds >= LEAST_FORESEEN]
    print(f"\n{len(rows)} edits, {total} of them preferred; read {len(above)}, and {sum(above)} of them shown")
    print("foreseen log-odds | edits | preferred when read")
    for low, high in pairwise(_STEPS):
        some = [better for odds, better in rows if low <= odds < high]
        share = f" ({sum(some) / len(some):.2f})" if some else ""
        print(f"{low:6.1f} to {high:6.1f}  | {len(some):5} | {sum(some):4}{share}")


if __name__ == "__main__":
    main()
