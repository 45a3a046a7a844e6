"""Detection of English texts by their letters and most common words. The heads were trained on English jokes alone and
don't apply to other languages."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .texts import word_set

NOT_ENGLISH = "This doesn't look like English, and nothing was measured on such texts."
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


_ENGLISH = word_set(
    """
    the a an and or but if of to in on at by for from with as is are was were be been am i you he she it we they me him
    her us them my your his its our their this that these those who what which when where why how not no do does did
    don't doesn't didn't have has had will would can could should may might must there here so than then too very just
    about into out up down over after before because while i'm it's that's what's he's she's you're they're i've i'd one
    all some any more most said
    """
)
# Words that are common in other languages and rare or absent in English.
_OTHERS = word_set(
    """
    der das und nicht ein eine einen einem ist ich mit auf für sich den dem des zu wie auch wenn aber wird sind le la
    les une et est pas que qui dans pour sur avec il elle nous vous ils au aux ce cette mais el los las un una y es en
    por con para su lo como más pero del se al qué está gli di che non è per sono della nel ma come più o os um uma não
    é em com seu sua mas ao de een niet van op te zijn dat voor met maar ook och att det som är på inte av för har jag
    og er ikke til jeg je nie się na że jest w z ve bir bu da için
    """
)
_LEAST_WORDS, _MANY_WORDS = 4, 8
"""Numbers of words from which a text can be in another language, and from which one such word without an English one
decides: so do 4 of 47,000 English jokes, most of them lists."""
_LEAST_LATIN = 0.6


@lru_cache(maxsize=32)  # a page asks about each of its parts
def is_english(text: str) -> bool:
    """Whether a text is English: False if it is clearly in another language, True if that is unclear (a few words, a
    name)."""
    letters = [character for character in text if character.isalpha()]
    if not letters:
        return True
    latin = sum("LATIN" in unicodedata.name(character, "") for character in letters)
    if latin < _LEAST_LATIN * len(letters):
        return False
    words = {word.lower().replace("’", "'") for word in _WORD.findall(text)}
    if len(words) < _LEAST_WORDS:
        return True
    english = sum(word in _ENGLISH for word in words)
    other = sum(word in _OTHERS for word in words)
    if other and not english:  # in a short text a letter that English doesn't have counts as a word
        other += sum(not word.isascii() for word in words - _OTHERS)
    return other <= (english or len(words) < _MANY_WORDS)
