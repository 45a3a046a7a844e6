"""What can be said of a text without a model: is it text at all, and is there anything to read in it?"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from .errors import InputError

MOST_CHARACTERS = 20_000
MOST_CONTEXT = 1_000
MOST_NAME = 200
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
BIDI = "\u202a-\u202e\u2066-\u2069"
"""Characters that turn the direction of what follows them, so that a line reads as another one (a regex's class)."""
MARKS = "\u200e\u200f\u061c"
"""Those that turn nothing but their neighbours; nothing is seen of them."""
_STEERING = re.compile(f"[\x7f-\x9f{BIDI}{MARKS}]")
_LINKS = re.compile(r"(?i)(?<=[a-z]):(?=//)|(?<=\bwww)\.|(?<=\bmailto):|@")


def number(count: int) -> str:
    """Small numbers in words."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def word_set(words: str) -> frozenset[str]:
    """The words of a list with blanks between them."""
    return frozenset(words.split())


def listed(words: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def clean_text(text: str) -> str:
    """The text as it is judged: line ends unified, blanks at both ends gone.

    Raises ``InputError``: ``E_INPUT_EMPTY``, ``E_INPUT_TOO_LONG`` (over 20,000 characters), ``E_INPUT_NUL``,
    ``E_INPUT_ENCODING`` (a lone surrogate).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip().lstrip("\ufeff").strip()
    if not text:
        raise InputError("E_INPUT_EMPTY", "There is no text to judge.", "Type or paste a joke first.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            "E_INPUT_TOO_LONG",
            f"The text has {len(text):,} characters; at most {MOST_CHARACTERS:,} can be judged.",
            "Shorten it to the joke itself.",
        )
    if "\0" in text:
        raise InputError(
            "E_INPUT_NUL", "The text holds a NUL character, so it is not plain text.", "Paste the joke as text."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            "E_INPUT_ENCODING",
            "The text holds half of a broken character (a lone surrogate).",
            "Copy it again from where it came from, or retype that character.",
        ) from None
    return text


def clean_context(text: str) -> str:
    """A topic or scene as it is read before a joke, in one line; empty if there is none. Raises what ``clean_text``
    raises, and ``E_INPUT_TOO_LONG`` from ``MOST_CONTEXT`` characters on."""
    room = f"at most {MOST_CONTEXT:,} can be read before a joke"
    return _one_line(text, MOST_CONTEXT, "The topic or scene", room, "Shorten it to a sentence or two.")


def clean_generator(text: str) -> str:
    """The name of the model that wrote a text, in one line; empty if there is none. Raises what ``clean_text`` raises,
    and ``E_INPUT_TOO_LONG`` from ``MOST_NAME`` characters on."""
    room = f"at most {MOST_NAME} make a name"
    return _one_line(text, MOST_NAME, "The name of the text's generator", room, "Give the model's name alone.")


def _one_line(text: str, most: int, what: str, room: str, hint: str) -> str:
    text = " ".join(clean_text(text).split()) if text.strip("\ufeff \t\r\n") else ""
    if len(text) > most:
        raise InputError("E_INPUT_TOO_LONG", f"{what} has {len(text):,} characters; {room}.", hint)
    return text


def plain_rejection(text: str) -> str | None:
    """Why a cleaned text can't be a joke, if that shows without a model; else None."""
    visible = [character for character in text if not character.isspace()]
    if len(visible) == 1:
        return "it is a single character"
    if len(set(visible)) == 1:
        return "it is one character repeated"
    if not any(unicodedata.category(character)[0] in "LS" for character in visible):
        return "it has no words"
    return None


def without_controls(text: str) -> str:
    """A text that steers nothing that shows it: control characters, C1 ones too, but for tabs and line ends, become
    U+FFFD."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped_json(line: str) -> str:
    """JSON with DEL, the C1 control characters (U+007F–9F) and what turns a line's direction escaped, which JSON allows
    raw and terminals obey."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def json_line(value: object, indent: int | None = None) -> bytes:
    """A value as a line of JSON in UTF-8 that steers no terminal: characters that JSON allows within strings and
    terminals obey are escaped, and a lone surrogate (strings read from a shell may hold some) becomes U+FFFD."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    line = escaped_json(line.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode() + b"\n"


_UNITS = ((5400, 3600, ".1f", "h"), (90, 60, ".0f", "min"), (0, 1, ".0f", "s"))


def pace(done: int, total: int, seconds: float) -> str:
    """How fast it goes and how long it still takes, with two spaces after it; empty until something is done."""
    if done == 0 or seconds <= 0:
        return ""
    rate = done / seconds
    left = (total - done) / rate
    speed = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
    _, unit, digits, name = next(each for each in _UNITS if left >= each[0])
    return f"{speed}, about {left / unit:{digits}} {name} left  "


def without_links(markdown: str) -> str:
    """Markdown in which no address becomes a link by itself; it reads the same."""
    return _LINKS.sub(r"\\\g<0>", markdown)
