"""Whether a text is meant as a joke, whatever text was added before or after it.

The audience head reads a text as a whole, so praise, an order to the judge or any other sentence after a news item can
carry it past the limit. Therefore the beginnings of the text up to each end of a sentence are scored too: the model
reads from left to right, so their states are already known at no cost. The text without its first sentence, and without
a run of praise, is read separately, but only if the head is in doubt or there is such a run. A part counts only if it
is clearly not a joke. ``python -m tests.bench.injected`` prints the effect on news and on jokes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from ..engine.base import Scan
from .audience import AudienceHead, pool

CLEARLY_NOT = -math.log(9.0)
"""Log-odds under which a text is clearly not meant as a joke."""
DOUBT = 4.0
"""Log-odds under which parts of a text are read separately; one joke in twenty is below."""
_LEAST_PART = 40
"""Least characters of a part that is scored; a shorter one can't be judged."""
_MOST_OF_IT = 0.6
"""Least share of a text that must remain after its first sentence for the rest to be scored."""
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s)|\n+")
_MAY_END = re.compile(rf"{_END.pattern}|(?<=[a-z0-9])(?= [A-Z])")
"""A possible end of a sentence: headlines have no full stop, so one may end before any capital letter."""
_MOST_PARTS = 12
"""Number of sentence ends tried from either end of a text; a long one has hundreds."""
_PRAISE = re.compile(
    r"\b(?:(?:hilarious|funny|funniest|joke|yes|true|best|good|great|amazing|brilliant|perfect|admit|five|ten|5/5|10/10|"
    r"5|10|stars?|out|of|rating|score|laugh(?:ed|ing|s)?|l[uo]l|rofl|lmao|a?(?:ha)+h?)\b[\s,.!:;]*){4,}",
    re.IGNORECASE,
)


def joke_odds(head: AudienceHead, scan: Scan, text: str, read: Callable[[str], Scan]) -> float | None:
    """Return the log-odds that a cleaned ``text``, read as ``scan``, is meant as a joke; if a part of it clearly isn't,
    those of that part. ``read`` reads a part separately. None if the head has no such map. Raises the errors of
    ``read``."""
    whole = head.joke_odds(pool(scan.states, text))
    if whole is None or whole < CLEARLY_NOT:
        return whole
    odds = [head.joke_odds(pool(scan.states[:tokens], part)) for part, tokens in _beginnings(scan, text)]
    rests = [] if any(_clear(each) for each in odds) else _rests(text, doubtful=whole < DOUBT)
    odds += (head.joke_odds(pool(read(part).states, part)) for part in rests)
    return min((each for each in odds if each is not None and each < CLEARLY_NOT), default=whole)


def _clear(odds: float | None) -> bool:
    return odds is not None and odds < CLEARLY_NOT


def _beginnings(scan: Scan, text: str) -> Iterator[tuple[str, int]]:
    """Yield the text before each end of a sentence, and the number of its tokens."""
    ends = list(_ends(text, _MAY_END))
    for end in sorted({*ends[:_MOST_PARTS], *ends[-_MOST_PARTS:]}):
        part = text[:end].rstrip()
        if len(part) >= _LEAST_PART:
            yield part, sum(after <= len(part) for _, after in scan.spans)


def _rests(text: str, *, doubtful: bool) -> list[str]:
    """Return the text without a run of praise and, if ``doubtful``, without its first sentence."""
    found = []
    plain = _PRAISE.sub(" ", text).strip()
    if plain != text:
        found.append(plain)
    first = next(_ends(text), None) if doubtful else None
    if first is not None and not text[:first].rstrip("\n").endswith("?"):  # an answer alone is seldom a joke
        rest = text[first:].lstrip()
        found += [rest] if len(rest) >= _MOST_OF_IT * len(text) else []
    return [part for part in dict.fromkeys(found) if len(part) >= _LEAST_PART]


def _ends(text: str, end: re.Pattern[str] = _END) -> Iterator[int]:
    for match in end.finditer(text):
        if text[: match.start()].strip() and text[match.end() :].strip():
            yield match.end()


# -- lines of lists that are no jokes ----------------------------------------------------------------------------------

_ABOUT = r"(?:jokes?|puns?|one-liners?|punch ?lines?|limericks?|riddles?|humou?r(?:ous)?|captions?|headlines)"
_CANT = (
    r"(?:can ?not|can't|won't|(?:am|'m|are) (?:unable|not able|not allowed)(?: to)?|(?:am|'m) (?:not |un)comfortable"
    r"|would rather not|'d rather not|would prefer not to|don't (?:feel comfortable|have enough))"
)
_OF_LISTS = r"(?:for|about|on|and|edition|part|ages?|continued|of|the|in|to|\d+)"
_ONES = r"(?:the|an?|my|our|your|his|her|their)"
_COOK = (
    r"(?:add|bake|beat|blend|boil|bring|chop|combine|cook|cream|dice|drain|fold|fry|grease|heat|knead|marinate|melt|mix"
    r"|peel|pour|pre-?heat|rinse|roast|saut[eé]|season|sift|simmer|slice|soak|sprinkle|stir|toast|whisk)"
)
_COOKED = (
    r"(?:batter|boil|bowl|butter|carrots?|cream|cups?|degrees|dough|drain|eggs?|flour|garlic|grams?|milk|minutes?|oil"
    r"|onions?|oven|pan|pasta|pepper|potatoes|rice|salt|sauce|serve|simmer|stir|stock|sugar|tablespoons?|teaspoons?"
    r"|tin|until|water|whisk)"
)
_MOST_OF_FORM, _MOST_OF_HEADING = 400, 90
"""Most characters of such a line, and of a heading; longer texts are none of these."""
_FORMS = tuple(
    (reason, re.compile(pattern, re.IGNORECASE))
    for reason, patterns in (
        (
            "a refusal",
            (
                r"^(?:\W*(?:sorry|unfortunately|apologies|i apologi[sz]e|i'm (?:really |very |so )?(?:sorry|afraid))\b"
                rf".{{0,40}}?)?\b(?:i|we)\W? ?{_CANT}\b.{{0,60}}\b(?:jokes?|content|requests?|humou?r"
                r"|(?:that|this) topic|make fun|help with (?:that|this|writing)|assist with|joke about)\b",
                r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b"
                r"|\bi'?m (?:just |only )?an? (?:ai|language model)\b",
                r"^\W*(?:i apologi[sz]e|sorry|unfortunately)\b.{0,40}"
                r"\b(?:request|guidelines|(?:unable|not able) to (?:share|help|write|assist|provide))\b",
                r"\b(?:isn't|is not) appropriate to (?:make|joke)\b|\bstereotypes\b.{0,60}\brather not\b"
                r"|\bi (?:cannot|can't|am unable to) (?:generate|fulfil|assist|comply)\b",
            ),
        ),
        (
            "a preamble",
            (
                r"^\W*(?:sure|certainly|absolutely|of course|okay|ok|great|happy to help|got it|alright)\b"
                rf"[^.!?,:]{{0,12}}[!,.:].{{0,60}}\b(?:here(?:'s| is| are)|below|following {_ABOUT}|{_ABOUT}|attempt at"
                r"|coming right up|these should work)\b",
                r"^\W*(?:here(?:'s| is| are| you go)|below (?:you|are|is)|the following|these are|i've come up with)\b"
                rf"[^\n]{{0,160}}(?::|\b{_ABOUT}\b[^\n:]{{0,60}}[.!:])\W*$",
                r"^\W*here(?:'s| is| are) (?:another|some|a few|my|one more)\b[^\n]{0,80}[.:]\W*$",
                r"^\W*(?:here you go|let me try (?:that|this|it|again|another|one)\b[^\n]{0,60})\W*$",
                r"^(?=.*\b(?:here|below)\b)[^\n]{12,}:\W*$",
            ),
        ),
        (
            "a heading",
            (
                r"^\s*#{1,6}\s[^\n]*$|^\W*\d{0,3}\W*\*\*[^*\n]{1,60}\*\*\W*$|^\W*\d{0,3}\W*$|^[^\n:]{1,24}:$",
                r"^\W*(?:\d+[.)]\s*)?(?:category|subject|topic|title|part|section|chapter|tags?|theme|genre|option|joke"
                r"|set-?up|punch ?line|table of contents)\b\W{0,3}(?:(?<=[:–—-] )[^\n]{0,60}|\w{0,3}\W{0,3})$",
                r"^\W*(?:[\w']+[ ,&/–—-]{1,3}){0,7}(?:jokes|puns|one-liners|humou?r|wordplay)\b"
                rf"(?:\W{{1,3}}(?:{_OF_LISTS}|(?-i:[A-Z]\w*)|(?:(?<=for )|(?<=about )|(?<=the )|(?<=on ))\w+)\b)"
                r"{0,10}"
                r"[^\w.!?…]*$",
                rf"^\W*(?:top|the best|best of)\b[^\n.]{{0,40}}\b{_ABOUT}\b[^\n.?]{{0,50}}$",
                r"^[^\n]{0,50}\((?:part \d+|ages?|continued)\b[^\n]{0,12}\)\W*$",
            ),
        ),
        (
            "a remark",
            (
                r"^\W*(?:note|disclaimer|explanation|explained|hint|why it works|source|credit|rating|reminder)s?\b"
                r"[^\n:]{0,12}:",
                r"^[(\[](?:pause|note|laugh|beat|applause|wait|insert|feel free|source|explanation)[^()\[\]]*[)\]]\W*$",
                r"\b(?:this|these|the|that|each|definition|such)(?: \w+)?"
                r" (?:jokes?|puns?|one-liners?|humou?r|headlines)(?: (?:here|above|below|in this \w+))?"
                r" (?:plays?|works?|relies|rely|refers?|uses?|is (?:a|meant|sure"
                r"|suitable)|are (?:meant|fictional|suitable|perfect)|comes?|lies?|has fewer|gives?|subverts?)\b",
                r"\b(?:let me know if you(?:'d like| would like| want| need) (?:some |any )?(?:more|jokes|others?)"
                r"|feel free to (?:use|change|add|swap|adapt|edit|share|adjust|modify|replace)"
                r"|would you like (?:me to (?:make|write|try|add|come|give)|some (?:more|about|jokes)|more|another ten"
                r"|another (?:one|joke)|the next|jokes)|hope (?:these|this) (?:brings?|helps?|jokes?|makes?)"
                r"|hope you enjoy(?:ed)? (?:these|this) jokes?)\b",
                r"^\W*(?:hope (?:that|this) helps|feedback is welcome|author unknown|thanks for reading)\b"
                r"|^\W*sorry\b.{0,60}\blet me try\b",
                r"\bjokes? (?:no\. ?)?\d+ (?:is|was|works)\b|\bnumber \d+ is my favou?rite\b|\[laughs?\]|\bgoes here\]"
                r"|\b(?:pause|wait) (?:here )?for (?:the )?laugh|\bif you want part\b|\bjokes below\b"
                r"|\bthe joke is a play on words\b|\bdouble meaning of\b",
                r"\b(?:jokes?|puns?|humou?r)\b.{0,80}\b(?:sure to be|works? best|great example|insensitive|be sensitive"
                r"|suitable for|your audience|your next|feel free|in alphabetical order)\b|\bperfect for sharing\b"
                r"|\bclassic that never fails to get\b|\bfor your next \w+ post\b|\bto brighten up your day\b",
            ),
        ),
        (
            "code",
            (
                r"^\s*(?:def \w+\(|import \w+$|from \w+ import|class \w+[:(]|#include|select .* from |const \w+ ="
                r"|let \w+ =|var \w+ =|function \w*\(|public static|for \w+ in .*:\n|git (?:commit|push|pull|clone) "
                r"|<\w+[^>]*>.*</|\{\s*\"\w+\"\s*:|print\()",
            ),
        ),
        (
            "an unfinished line",
            (
                r"(?:\S+\s+){3}(?-i:an?|the|my|your|our|their|his|and|or|whose|every|into|[Bb]ecause|but|than|if|he"
                r"|(?:and|but|because)\s+I)\W*$(?<![.!?…\"')\]”])",
                r"(?:[.!?]\s+(?:(?:and|so|then)\s+)?(?:he|she|they|i|an?|the|my|his|her)\b|^(?:an?|two|three)\b)"
                r"[^.!?\n\"“]{0,80}\b(?-i:says|said|asks|asked|replies|replied|answers|answered|whispers|shouts)[,:]?\s*$",
                r"[.!?]\s+(?:(?:and|so|then)\s+)?(?:he|she|it|they|i|(?:an?|the|my|his|her) \w+)"
                r" (?:told|tells|asks|asked|turns to|turned to) (?:me|him|her|them|us)[,:]?\s*$",
                r"\btold (?:me|him|her|them|us|you) that\s*$",
                r"^[^\"“]*\b(?:and|then) (?:then )?(?:he|she|they|i|the \w+)"
                r" (?-i:says|said|asks|asked|replies|replied)[,:]?\s*$",
                rf"^\W*why (?:did|didn't|was|couldn't) {_ONES} [\w' -]{{1,40}}$",
            ),
        ),
        (
            "an unanswered riddle",
            (
                rf"^\W*(?:why (?:did|didn't|was|wasn't|were|weren't|couldn't) {_ONES}\b"
                r"|what (?:do|would) (?:you|they|we) (?:call|get)\b|what(?:'s| is) the difference between\b"
                r"|(?:have|did) you heard? (?:about|of) the\b"
                r"|how many\b[^?.!\n]+\btakes? to (?:change|replace|screw in) a light ?bulb"
                rf"|what did {_ONES} [\w' -]+ say to\b)[^?.!\n]{{0,140}}\?\W*$",
            ),
        ),
        (
            "a recipe",
            (
                r"^(?!.*\b(?:i|i'm|me|my|you|your|he|she|his|her|who|why)\b)"
                rf"(?=(?:.*\b{_COOKED}\b){{2}})\W*(?:\d\W+)?{_COOK}\b",
            ),
        ),
        ("a link", (r"^\W*(?:see also:?\s*)?(?:https?://|www\.)\S+(?:\s+\w+){0,4}\W*$",)),
    )
    for pattern in patterns
)
"""Forms of lines that occur between the jokes of a list. Of 61,468 jokes, captions and headlines 42 match; of the
families' 65 lines labelled dirt 54, most of which were known when the forms were written (models/training/LOG.md). A
list that a model wrote may break off in its last line (10 of those 61,468 end so) or leave a riddle without its answer
(3; of the families' 467 torsos 23)."""


def form_of(text: str) -> str:
    """Return the form of a text that can't be a joke ("a refusal", "a preamble", "a heading", "a remark", "code", "an
    unfinished line", "an unanswered riddle", "a recipe", "a link"); empty for any other text."""
    plain = text.replace("’", "'").replace("‘", "'")
    if not plain.strip() or len(plain) > _MOST_OF_FORM:
        return ""
    return next(
        (
            reason
            for reason, pattern in _FORMS
            if (reason != "a heading" or len(plain) <= _MOST_OF_HEADING) and pattern.search(plain)
        ),
        "",
    )
