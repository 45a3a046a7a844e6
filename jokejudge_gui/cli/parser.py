"""The parser of commands and options, and what may stand as an option's value."""

from __future__ import annotations

import argparse
from typing import NoReturn, Protocol

from ..core.errors import UsageError
from .console import print_result

_MOST_ROUNDS = 20
_DASH_HINT = "Put -- before a text that begins with a dash."


class Parser(argparse.ArgumentParser):
    """Raises ``UsageError`` where argparse would print and exit, and ``OutputError`` where it can't print its help."""

    def _print_message(self, message: str, file: object = None) -> None:
        if message:
            print_result(message)

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:].rstrip(".") + "."
        hint = f"See {self.prog} --help."
        raise UsageError("E_USAGE", sentence, f"{hint} {_DASH_HINT}" if _dash_trouble(message) else hint)


def _dash_trouble(message: str) -> bool:
    return "unrecognized" in message or "ignored explicit" in message


class Adder(Protocol):
    """Adds a command with its help to a parser, and returns the command's own parser."""

    def __call__(self, name: str, help_text: str) -> Parser: ...


def count(text: str) -> int:
    """A whole number from 0."""
    number = int(text)
    if number < 0:
        raise ValueError
    return number


count.__name__ = "whole number"


def rounds(text: str) -> int:
    """A number of shuffled rounds of a contest."""
    number = int(text)
    if not 0 <= number <= _MOST_ROUNDS:
        raise ValueError
    return number


rounds.__name__ = f"whole number from 0 to {_MOST_ROUNDS}"


def rows(text: str) -> int:
    """A number of rows."""
    # More rows than any history has; the database knows no larger number either.
    return min(count(text), 10**9)


rows.__name__ = "whole number"


def words(text: str) -> str:
    """Text that is UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError("isn't UTF-8 text") from error
    return text


def some(text: str) -> int:
    """A whole number above 0."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


some.__name__ = "whole number above 0"


def threads(text: str) -> int:
    """A number of threads."""
    number = int(text)
    if not 0 <= number <= 256:
        raise argparse.ArgumentTypeError("must be from 0 to 256")
    return number


threads.__name__ = "whole number"


def gigabytes(text: str) -> int:
    """A number of gigabytes, as bytes."""
    number = float(text.lower().removesuffix("gb"))
    if not 0.1 <= number <= 4096:
        raise ValueError
    return round(number * 1e9)


gigabytes.__name__ = "number of gigabytes"


def budget(text: str) -> dict[str, int]:
    """Limits of deep mode: numbers of branches, tokens and seconds, each named."""
    most = {"branches": 1000, "tokens": 10**8, "seconds": 86_400}
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        number = int(value) if value.isdecimal() else -1
        if not 0 <= number <= most.get(name, -1):
            raise argparse.ArgumentTypeError("must name branches, tokens or seconds, such as branches=20,seconds=10")
        found[name] = number
    return found


def choice(text: str) -> str:
    """A vote, whatever its case."""
    found = {"up": "up", "down": "down", "a": "A", "b": "B"}.get(text.lower())
    if found is None:
        raise argparse.ArgumentTypeError("must be up or down for a rating, A or B for a duel")
    return found
