"""Figures for a large history: python tests/bench/history.py [--verdicts 100000]. Prints, asserts nothing."""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from jokejudge_gui.core.verdicts import Usage
from jokejudge_gui.history.export import export
from jokejudge_gui.history.query import HistoryQuery, result_columns, text_columns
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.duel.record import DuelResult, OrderResult
from jokejudge_gui.judge.kinds import KINDS, kind_of
from jokejudge_gui.judge.rating.record import CategoryScore, RatingResult
from tests import records

_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ar", "en", "is")]


def words(random_: random.Random, count: int) -> str:
    """Nonsense with the word frequencies of a real text: a few words very often, most of them rare."""
    chosen = (int(random_.paretovariate(0.7)) for _ in range(count))
    return " ".join(_SYLLABLES[n % 96] + _SYLLABLES[n // 96 % 96] + _SYLLABLES[n // 9216 % 96] for n in chosen)


def verdict(number: int, random_: random.Random) -> RatingResult | DuelResult:
    explanation = f"Works. {words(random_, 20)}.\nTry. {words(random_, 10)}."
    known = {"explanation": explanation, "usage": Usage(tokens_evaluated=900, tokens_reused=9000, seconds=6.5)}
    if number % 4 == 3:
        orders = tuple(OrderResult(first=first, p_a=0.6, log_odds_a=0.4) for first in ("A", "B"))
        return records.duel(
            f"v{number}", 0.6, text_a=words(random_, 20), text_b=words(random_, 20), orders=orders, **known
        )
    factors = tuple(
        records.factor(f"Factor {k}", expected=random_.uniform(0, 5), probabilities=(0.1, 0.1, 0.2, 0.3, 0.2, 0.1))
        for k in random_.sample(range(40), 8)
    )
    categories = tuple(CategoryScore(id=f"c{k}", name=f"Category {k}", p=0.8, z=1.4, chosen=k < 4) for k in range(10))
    return records.rating(
        f"v{number}", text=words(random_, 20), categories=categories, factors=factors, max_score=4.5,
        mean_score=random_.uniform(0, 5), **known,
    )  # fmt: skip


def show(name: str, action: Callable[[], object], repeats: int = 7) -> None:
    """Print the median and the longest of some runs, and the result."""
    seconds: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        outcome = action()
        seconds.append(time.perf_counter() - start)
    size = len(outcome) if isinstance(outcome, list | dict) else outcome
    print(f"{name:52} {statistics.median(seconds) * 1e3:9.1f} ms   worst {max(seconds) * 1e3:9.1f} ms   -> {size}")


def fill(folder: Path, count: int) -> Path:
    """Return the file of a history of ``count`` verdicts."""
    path = folder / "history.sqlite3"
    random_ = random.Random(1)
    HistoryStore(path, KINDS).close()
    start = time.perf_counter()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    with connection:
        for number in range(count):
            result = verdict(number, random_)
            kind = kind_of(result)
            row: dict[str, object] = {
                "seq": number + 1,
                "id": result.id,
                "kind": kind.name,
                "status": "failed" if number and number % 5000 == 0 else "finished",
                "created": "2025-01-01T00:00:00.000000Z",
                "starred": int(number % 2000 == 1),
                "mode": "quick",
                "seed": 1,
                "prompt_version": "1",
                "criteria_version": "1",
                **result_columns(result, kind.glance(result)),
                "value": None if isinstance(result, DuelResult) else result.mean_score,
            }
            texts = text_columns(kind.subjects(kind.request_of(result)))
            words = {"seq": number + 1, **texts, "explanation": result.explanation}
            for table, values in (("verdicts", row), ("words", words)):
                names = ", ".join(values)
                sql = f"INSERT INTO {table} ({names}) VALUES ({', '.join(':' + name for name in values)})"
                connection.execute(sql, values)
            connection.execute("INSERT INTO results VALUES (?, ?)", (number + 1, result.model_dump_json()))
    connection.close()
    print(f"{'fill':52} {time.perf_counter() - start:9.1f} s    {path.stat().st_size / 1e6:.0f} MB")
    return path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--verdicts", type=int, default=100_000)
    count = parser.parse_args().verdicts
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = fill(folder, count)
        show("open and close", lambda: HistoryStore(path, KINDS).close())
        store = HistoryStore(path, KINDS)
        number = iter(range(count, count + 1000))
        random_ = random.Random(2)
        show(
            "insert one verdict into the full history",
            lambda: records.record(store, verdict(next(number), random_)),
            20,
        )
        last = store.search(HistoryQuery(limit=5000))[-1].id
        rare = verdict(12345, random.Random(3))
        rare_word = max(rare.explanation.replace(".", "").split() if rare.explanation else [], key=len)
        queries = {
            "list: 100 newest": HistoryQuery(),
            "list: 100 oldest": HistoryQuery(sort="oldest"),
            "list: highest scores": HistoryQuery(sort="score_high"),
            "list: lowest scores": HistoryQuery(sort="score_low"),
            "page at offset 50,000": HistoryQuery(offset=count // 2),
            "page after row 5,000": HistoryQuery(after=last),
            "filter: duels": HistoryQuery(kinds=("duel",)),
            "filter: starred": HistoryQuery(starred=True),
            "filter: starred duels by score": HistoryQuery(starred=True, kinds=("duel",), sort="score_high"),
            "filter: tag that nothing has": HistoryQuery(tag="x"),
            "search: the commonest word": HistoryQuery(text="bebaba"),
            "search: one letter": HistoryQuery(text="b"),
            "search: two letters": HistoryQuery(text="ba"),
            "search: a rare word": HistoryQuery(text=rare_word),
            "search: two words": HistoryQuery(text="bebaba bibaba"),
            "search: common, starred": HistoryQuery(text="ba", starred=True),
            "search: common, by score": HistoryQuery(text="ba", sort="score_high"),
            "search: nothing (looks for parts of words)": HistoryQuery(text="zzzzqqq"),
            "search: Chinese, nothing": HistoryQuery(text="笑话"),
            "search: part of a word": HistoryQuery(text="ebab"),
        }
        for title, query in queries.items():
            show(title, lambda query=query: store.search(query))
        for title in ("list: 100 newest", "filter: duels", "search: the commonest word", "search: one letter"):
            show(f"count, {title}", lambda title=title: store.count(queries[title]))
        show("revision", store.revision)
        show("get", lambda: store.get(f"v{count // 2}").row.id)
        ids = [f"v{n}" for n in range(0, count, 10)]
        show("delete a tenth", lambda: store.delete(ids), 1)
        show("undo", store.undo_delete, 1)
        for format in ("csv", "jsonl", "markdown", "html"):
            show(
                f"export all, {format}",
                lambda f=format: export(store.entries(), f, folder / "out", KINDS, replace=True),
                1,
            )
        store.delete(ids)
        show("purge a tenth", store.purge, 1)
        store.close()


if __name__ == "__main__":
    main()
