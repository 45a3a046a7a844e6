"""A joke's versions for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .console import Console, printable
from .verdict_lines import heading, labelled_text, tail, warnings

if TYPE_CHECKING:
    from ..judging.workshop.types import ReadVersion, WorkshopResult


def show_workshop(console: Console, result: WorkshopResult, taste: str) -> None:
    """Each version with its changed words, what the change did in each voice, and the best so far."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.workshop.words import headline_sentence

    del taste  # versions aren't voted on
    warnings(console, result)
    heading(console, headline_sentence(result)[:1].upper() + headline_sentence(result)[1:])
    for version in result.versions:
        console.text("")
        _version(console, result, version)
    tail(console, result)


def _version(console: Console, result: WorkshopResult, version: ReadVersion) -> None:
    from ..judging.workshop.words import made_from, percentile_of, verdict_of, voices_of

    best = "  ← the best so far" if version.id == result.best and len(result.versions) > 1 else ""
    console.text(console.style.paint(f"Version {version.id}", "bold") + f"  {made_from(version)}{best}")
    console.paragraph(_marked(console, result, version))
    if version.error is not None:
        console.paragraph(f"Not read: {version.error.sentence} {version.error.hint}".strip())
        return
    if place := percentile_of(version):
        labelled_text(console, "Audience", f"funnier than {place} in 100 jokes that people voted on")
    for change in version.changes:
        labelled_text(console, "Change", verdict_of(change) + ".")
        if change is version.since_parent:
            for line in voices_of(change):
                labelled_text(console, "", line)
    for number, trial in enumerate(version.proposals):
        name = f"Try {version.id}{chr(ord('a') + number)}"
        labelled_text(console, name, f"{trial.text}  ({trial.kind}; an editor prefers it with p {trial.p_better:.2f})")


def _marked(console: Console, result: WorkshopResult, version: ReadVersion) -> str:
    """The version with the words marked that it changed: [-gone-] and {+new+}."""
    from ..judging.workshop.changes import changed_words

    if version.parent is None:
        return printable(version.text)
    before = result.version(version.parent).text
    parts = []
    for words in changed_words(before, version.text):
        text = printable(words.text)
        if words.mark == "same" or not text.strip():
            parts.append(text if words.mark != "gone" else "")
        else:
            parts.append(f"[-{text}-]" if words.mark == "gone" else f"{{+{text}+}}")
    return "".join(parts)
