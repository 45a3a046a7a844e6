"""Words and numbers in the window's form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Literal

from ...core.verdicts import Status

Style = Literal["normal", "strong", "quote", "muted"]
Run = tuple[str, Style]
"""A piece of a text, and its style."""

STATUS_WORDS = {
    Status.RUNNING: "running",
    Status.FINISHED: "",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
    Status.INTERRUPTED: "interrupted",
}
_QUOTED = re.compile(r"[“\"]([^“”\"]+)[”\"]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LABEL = re.compile(r"^([A-Z][^.:\n]{0,24}[.:])(\s|$)")
_LONG_WORD = 4


def seconds(value: float) -> str:
    """Return ``14.2 s``, or ``2 min 05 s``."""
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    return f"{whole // 60} min {whole % 60:02d} s"


_SURE_S = 1.0
"""Seconds after which the remaining time can be estimated."""


def left(rest: int, done: int, seconds: float) -> str:
    """Return the estimated time of ``rest`` steps if ``done`` took so many seconds, for appending to a count; empty
    while it can't be estimated."""
    if done <= 0 or seconds <= _SURE_S:
        return ""
    took = rest * seconds / done
    return f", {max(1, round(took)):,} s left" if took < 90 else f", {took / 60:.0f} min left"


def file_size(size: int) -> str:
    """Return ``98 MB`` or ``1.1 GB``, decimal units."""
    if size >= 1_000_000_000:
        return f"{size / 1e9:.1f} GB"
    return f"{max(1, round(size / 1e6))} MB"


def count_of(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def day_name(day: date, today: date) -> str:
    """Return ``Today``, ``Yesterday``, ``Tuesday 18 November``; with the year if it isn't this one."""
    distance = (today - day).days
    if distance == 0:
        return "Today"
    if distance == 1:
        return "Yesterday"
    text = f"{day:%A} {day.day} {day:%B}"
    return text if day.year == today.year else f"{text} {day.year}"


def clock(moment: datetime) -> str:
    return moment.astimezone().strftime("%H:%M")


def one_line(text: str, limit: int = 160) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[: limit * 4].split())[:limit]


def beginning(text: str, limit: int) -> str:
    """Return the first words of a text, with an ellipsis if there are more; a long first word is cut."""
    line = one_line(text)
    if len(line) <= limit:
        return line
    cut = line[: limit + 1].rfind(" ")
    return line[: cut if cut > 0 else limit].rstrip(" ,.;:") + "…"


def first_strong(sentences: Sequence[str]) -> list[Run]:
    """Return sentences in a row, the first of them strong."""
    if not sentences:
        return []
    return [(sentences[0], "strong"), ("".join(f" {each}" for each in sentences[1:]), "normal")]


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    return text.replace("’", "'").replace("‘", "'").lower()


def _shared_spans(text: str, jokes: Sequence[str]) -> list[tuple[int, int]]:
    """Return the spans of at least two words that a joke contains word for word, one of the words long enough
    to be significant."""
    sources = [" " + " ".join(_plain(w) for w in _WORD.findall(joke)) + " " for joke in jokes]
    words = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(words):
        best = 0
        for end in range(index + 2, min(len(words), index + 24) + 1):
            phrase = " ".join(_plain(text[a:b]) for a, b in words[index:end])
            if not any(f" {phrase} " in source for source in sources):
                break
            best = end
        chosen = words[index:best]
        if chosen and any(sum(map(str.isalpha, text[a:b])) >= _LONG_WORD for a, b in chosen):
            spans.append((chosen[0][0], chosen[-1][1]))
            index = best
        else:
            index += 1
    return spans


def _mark(text: str, jokes: Sequence[str]) -> list[Run]:
    """Return a sentence as runs: passages from a joke as quotes, the rest as normal text."""
    sources = [_plain(joke) for joke in jokes]
    runs: list[Run] = []

    def plain(piece: str) -> None:
        at = 0
        for start, end in _shared_spans(piece, jokes):
            runs.append((piece[at:start], "normal"))
            runs.append((piece[start:end], "quote"))
            at = end
        runs.append((piece[at:], "normal"))

    at = 0
    for match in _QUOTED.finditer(text):
        inner = match.group(1).strip(" .,;:!?…")
        if inner and any(_plain(inner) in source for source in sources):
            plain(text[at : match.start()])
            runs.append((match.group(1), "quote"))
            at = match.end()
    plain(text[at:])
    return [run for run in runs if run[0]]


def explanation_runs(text: str, jokes: Sequence[str]) -> list[list[Run]]:
    """Return the paragraphs of an explanation as runs for ``Paragraph``: the label strong, passages of the jokes
    marked."""
    paragraphs: list[list[Run]] = []
    for line in text.split("\n"):
        line = line.strip()
        if not line:
            continue
        label = _LABEL.match(line)
        runs: list[Run] = []
        if label and len(line) > label.end():
            runs.append((label.group(1) + " ", "strong"))
            line = line[label.end() :].lstrip()
        runs.extend(_mark(line, jokes))
        paragraphs.append(runs)
    return paragraphs


def labelled(parts: Iterable[tuple[str, str]]) -> list[Run]:
    """Return a line for each part: its label strong, then its text."""
    return in_paragraphs([[(f"{label} ", "strong"), (text, "normal")] for label, text in parts])


def in_paragraphs(paragraphs: Sequence[Sequence[Run]]) -> list[Run]:
    """Return paragraphs as one text, with a line break between them."""
    runs: list[Run] = []
    for paragraph in paragraphs:
        runs += [("\n", "normal")] if runs else []
        runs += paragraph
    return runs
