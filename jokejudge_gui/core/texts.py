"""Cleaning and checks of texts without a model, and helpers for output that is safe to show."""

from __future__ import annotations

import html
import json
import re
import sys
import unicodedata
from collections.abc import Sequence

from .errors import InputError

MOST_CHARACTERS = 20_000
MOST_CONTEXT = 1_000
MOST_NAME = 200
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
BIDI = "\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction of the text after them, so that a line reads differently (a regex's class)."""
MARKS = "\u200e\u200f\u061c"
"""Invisible characters that change the direction of their neighbours alone."""
_CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff{BIDI}]")
_STEERING = re.compile(f"[\x7f-\x9f\u2028\u2029{BIDI}{MARKS}]")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_LINE_TAG = re.compile(r"[ \t]*(?:<br\s*/?>|</p>\s*(?:<p>)?)[ \t]*\n?", re.IGNORECASE)
_TAG = re.compile(r"</?(?:p|b|i|u|em|strong|span|div|a)(?:\s[^<>]*)?>", re.IGNORECASE)
_NO_WIDTH = re.compile("[\u200b\u2060\ufeff\u00ad]")
_MISREAD = re.compile(
    "(?:[\u00c2-\u00df][\u0080-\u00bf\u0152-\u2122]|[\u00e0-\u00f4][\u0080-\u00bf\u0152-\u2122]{2,3})+"
)


def number(count: int) -> str:
    """Return a number up to ten as a word, a larger one in digits."""
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list separated by blanks."""
    return frozenset(words.split())


def listed(words: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def unescaped(text: str) -> str:
    """Return a text of a web page as it was meant: character references, tags of lines and of emphasis, characters
    without a width, and UTF-8 that was read as Windows-1252."""
    if text.isascii() and "&" not in text and "<" not in text:
        return text
    for _ in range(3):  # a reference may itself be escaped
        plain = _REFERENCE.sub(lambda match: html.unescape(match[0]).replace("\u00a0", " "), text)
        if plain == text:
            break
        text = plain
    text = _TAG.sub("", _LINE_TAG.sub("\n", text))
    return _MISREAD.sub(_read_again, _NO_WIDTH.sub("", text))


def _read_again(match: re.Match[str]) -> str:
    try:
        return b"".join(bytes([ord(c)]) if ord(c) < 256 else c.encode("cp1252") for c in match[0]).decode()
    except UnicodeError:
        return match[0]


def locale_hint() -> str:
    """Return what to do if the locale is why a text from a shell isn't what was typed; empty if it isn't."""
    plain = sys.getfilesystemencoding() in ("ascii", "us-ascii")
    return "The shell's locale (C or POSIX) has only ASCII: set LC_ALL=C.UTF-8, or give a file." if plain else ""


def clean_text(text: str) -> str:
    """Return the text as it is judged, with unified line ends and without blanks at both ends.

    Raises ``InputError``: ``E_INPUT_EMPTY``, ``E_INPUT_TOO_LONG`` (over 20,000 characters), ``E_INPUT_NUL``,
    ``E_INPUT_ENCODING`` (a lone surrogate).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip().lstrip("\ufeff").strip()
    if not text:
        raise InputError("E_INPUT_EMPTY", "There is no text to judge.", "Type or paste a joke first.")
    if len(text) > MOST_CHARACTERS:
        sentence = f"The text has {len(text):,} characters; at most {MOST_CHARACTERS:,} can be judged."
        raise InputError("E_INPUT_TOO_LONG", sentence, "Shorten it to the joke itself.")
    if "\0" in text:
        sentence = "The text holds a NUL character, so it is not plain text."
        raise InputError("E_INPUT_NUL", sentence, "Paste the joke as text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        hint = locale_hint() or "Copy it again from where it came from, or retype that character."
        sentence = "The text holds half of a broken character (a lone surrogate)."
        raise InputError("E_INPUT_ENCODING", sentence, hint) from None
    return text


def clean_context(text: str) -> str:
    """Return a topic or scene, to be read before a joke, as one line; empty if there is none. Raises the errors of
    ``clean_text``, and ``E_INPUT_TOO_LONG`` above ``MOST_CONTEXT`` characters."""
    room = f"at most {MOST_CONTEXT:,} can be read before a joke"
    return _one_line(text, MOST_CONTEXT, "The topic or scene", room, "Shorten it to a sentence or two.")


def clean_generator(text: str) -> str:
    """Return the name of the model that wrote a text, as one line; empty if there is none. Raises the errors of
    ``clean_text``, and ``E_INPUT_TOO_LONG`` above ``MOST_NAME`` characters."""
    room = f"at most {MOST_NAME} make a name"
    return _one_line(text, MOST_NAME, "The name of the text's generator", room, "Give the model's name alone.")


def _one_line(text: str, most: int, what: str, room: str, hint: str) -> str:
    text = " ".join(clean_text(text).split()) if text.strip("\ufeff \t\r\n") else ""
    if len(text) > most:
        raise InputError("E_INPUT_TOO_LONG", f"{what} has {len(text):,} characters; {room}.", hint)
    return text


def plain_rejection(text: str) -> str | None:
    """Return why a cleaned text can't be a joke, if that is clear without a model; else None."""
    visible = [character for character in text if not character.isspace()]
    if len(visible) == 1:
        return "it is a single character"
    if len(set(visible)) == 1:
        return "it is one character repeated"
    if not any(unicodedata.category(character)[0] in "LS" for character in visible):
        return "it has no words"
    return None


def without_controls(text: str) -> str:
    """Replace control characters (C0 and C1, except tabs and line ends, and those of ``BIDI``) with U+FFFD, so that the
    text can't control a terminal nor the lines around it."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def json_line(value: object, indent: int | None = None) -> bytes:
    """Return a value as a line of JSON in UTF-8 that can't control a terminal: characters that JSON allows within
    strings and terminals obey (DEL, C1, direction marks) are escaped, and lone surrogates (possible in strings from a
    shell) become U+FFFD."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    line = line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode() + b"\n"


_UNITS = ((5400, 3600, ".1f", "h"), (90, 60, ".0f", "min"), (0, 1, ".0f", "s"))


def pace(done: int, total: int, seconds: float) -> str:
    """Return speed and remaining time, followed by two spaces; empty until something is done."""
    if done == 0 or seconds <= 0:
        return ""
    rate = done / seconds
    left = (total - done) / rate
    speed = f"{rate:.1f} a second" if rate >= 1 else f"{1 / rate:.1f} s each"
    _, unit, digits, name = next(unit for unit in _UNITS if left >= unit[0])
    return f"{speed}, about {left / unit:{digits}} {name} left  "
