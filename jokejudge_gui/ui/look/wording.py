"""Words and numbers in the window's form."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from ...core.verdicts import Status

Style = Literal["normal", "strong", "muted"]
Run = tuple[str, Style]
"""A piece of a text, and its style."""

STATUS_WORDS = {
    Status.RUNNING: "running",
    Status.FINISHED: "",
    Status.FAILED: "failed",
    Status.CANCELLED: "stopped",
    Status.INTERRUPTED: "interrupted",
}


def seconds(value: float) -> str:
    """Return ``14.2 s``, or ``2 min 05 s``."""
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    return f"{whole // 60} min {whole % 60:02d} s"


def left(rest: int, done: int, seconds: float) -> str:
    """Return the estimated time of ``rest`` steps if ``done`` took so many seconds, for appending to a count; empty
    while it can't be estimated."""
    if done <= 0 or seconds <= 1.0:
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


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]
