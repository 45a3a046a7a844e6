"""What is said of the user's own criteria, in the window and in the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from .own_types import Item

ORIGINS: Mapping[str, str] = {"shipped": "", "changed": "changed", "own": "your own"}
_ASKED_ALL = "it only takes part where every question is asked (Settings, Questions; in the terminal --ask all)"


def effect(item: Item) -> str:
    """What follows from what the user changed; empty where verdicts are made as before."""
    if item.off:
        return "It is switched off: it takes no part in verdicts."
    if item.section == "note" or (item.shipped and not item.reworded):
        return ""
    why = "The program has learned its earlier meaning" if item.shipped else "The program hasn't learned it"
    if item.section == "fault":
        kept = " Change only its name to keep it." if item.shipped else ""
        asked = "a model is asked about it in each rating" if item.fields.get("always") == "yes" else _ASKED_ALL
        return f"{why}, so it is never a finding: verdicts show it apart, as not measured, and {asked}.{kept}"
    if item.section == "listener":
        return (
            "It is asked only on models that tell it from others, which is measured first (Rate, “Add a listener”; in "
            "the terminal jokejudge models listeners --measure)."
        )
    if item.fields.get("always") == "yes":
        return f"{why}, so it isn't measured; a model is asked about it in each rating."
    return f"{why}, so it isn't measured: {_ASKED_ALL}."


def found_in(item: Item, words: str) -> bool:
    """Whether an item holds all of these words, whatever their case."""
    held = " ".join((item.id, *item.fields.values())).casefold()
    return all(word in held for word in words.casefold().split())
