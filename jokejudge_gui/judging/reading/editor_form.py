"""What the letters of a text show without a model: its length, its marks, its forms, the fields its words come from.

Plain measures beside the hidden states: a question and its answer, a list, a dialogue are seen more surely in the
letters than in the states of a small model.
"""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import numpy.typing as npt

from .wording import WORD

Vector = npt.NDArray[np.float64]

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*(?:\s+|$)|\n+")
_NAME_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_MARKS = "?!\",:;-(*.'"
_PLAIN = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "—": "-", "–": "-"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    "the a an and or but if of to in on at for with from by as is are was were be been being am do does did "
    "have has had will would can could should may might must not no so than then that this these those it its "
    "he she they them his her their we us our you your i me my mine who what which when where why how there "
    "here all any some more most up out about into over after just only very too also don't didn't isn't can't "
    "won't it's i'm you're he's she's that's what's because"
)
"""Words that carry little by themselves."""

_FIELDS = tuple(
    _words(words)
    for words in (
        "i i'm i've i'd i'll me my mine myself",
        "we us our ours we're we've",
        "you your you're yours yourself you'll you've",
        "he him his he's himself",
        "she her hers she's herself",
        "they them their they're theirs",
        "mother mom mum father dad son daughter kid kids child children baby brother sister grandma grandpa "
        "grandmother grandfather uncle aunt parents family mother-in-law",
        "wife husband wives husbands married marriage marry wedding divorce divorced bride groom girlfriend "
        "boyfriend ex spouse honeymoon anniversary dating date",
        "doctor doctors dr nurse patient hospital dentist surgeon psychiatrist therapist surgery medicine pill "
        "pills disease sick cancer diagnosis pharmacist",
        "lawyer lawyers judge court jail prison police cop cops crime criminal law attorney arrested thief jury "
        "sheriff sentence",
        "god jesus priest pope church rabbi nun heaven hell bible pray prayer religion catholic jewish christian "
        "muslim monk pastor saint angel devil buddhist atheist",
        "money bank rich poor dollar dollars pay paid cash tax taxes buy bought price sell salary economy broke "
        "debt bill cost cheap stock stocks investment loan accountant",
        "work job boss office employee fired hired career interview company meeting manager worker resume "
        "colleague coworker salary quit hr business",
        "eat ate food eating cook chef restaurant waiter bread cheese meat egg eggs coffee tea soup pizza cake "
        "fruit banana apple orange chicken fish potato drink beer wine milk dinner lunch breakfast vegetarian "
        "vegan kitchen baker chocolate sandwich burger tomato hungry",
        "dog dogs cat cats cow cows horse duck ducks chicken bird birds fish bear bears pig pigs elephant lion "
        "mouse mice sheep frog snake monkey rabbit fly bee bees ant spider goat penguin parrot wolf fox owl whale "
        "shark crab snail turtle animal animals zoo kangaroo giraffe dinosaur moose squirrel octopus",
        "computer computers phone app google facebook internet software programmer programmers code coding email "
        "wifi wi-fi password robot ai data server windows microsoft apple iphone twitter online website printer "
        "battery algorithm java python developer bug android tech ipad download keyboard tv electric machine "
        "screen siri alexa selfie update texting",
        "science scientist scientists physics physicist chemistry chemist atom atoms element elements math "
        "mathematician biology gravity energy proton neutron electron helium oxygen dna quantum lab einstein "
        "mathematicians number numbers experiment planet moon space engineer engineers statistician",
        "president trump obama politician politicians government election vote congress senate democrats "
        "republicans democrat republican bush clinton politics minister party political russia nation war "
        "campaign white house putin",
        "football baseball golf soccer team ball game players player coach tennis basketball hockey sport sports "
        "olympics boxing boxer runner race gym swimming marathon athlete fan score goal",
        "music song songs band guitar piano drummer sing singer singing violin musician musicians orchestra jazz "
        "drum drums conductor opera beethoven bach rock concert trumpet viola bass note notes",
        "school teacher student students class professor college university exam homework test grade kindergarten "
        "learn teacher's lesson education",
        "bar bartender pub barman",
        "dead die died death kill killed murder suicide funeral grave corpse dying buried killing cancer blood "
        "coffin widow hanged bomb terrorist rape shot cemetery ashes",
        "sex sexy naked penis vagina breasts boobs virgin condom porn dick balls fuck fucking gay lesbian bed bra "
        "panties orgasm prostitute nude horny ass tits hooker blowjob masturbate viagra",
        "fuck fucking shit damn hell ass bitch bastard crap dick",
        "old older age young aging birthday retirement grey elderly years senior wrinkles teenager",
        "travel plane airport pilot flight train bus car driving drive driver taxi hotel vacation trip tourist "
        "passenger boat ship cruise luggage holiday passport",
        "american americans english irish irishman scottish french german italian polish russian chinese japanese "
        "mexican indian canadian england france germany texas british scotsman englishman jew australia paris "
        "london italy china dutch greek swedish",
        "movie film actor hollywood celebrity star kanye kardashian beyonce bieber oprah chuck norris stewart "
        "schwarzenegger disney oscar batman superman",
        "book books read author writer shakespeare novel poem poet poetry library librarian story reading "
        "literature hamlet kafka wrote writing write",
        "history ancient roman rome caesar napoleon king queen war lincoln century columbus egypt pharaoh emperor "
        "knight medieval washington",
        "ghost ghosts vampire vampires zombie zombies wizard witch dragon alien aliens werewolf mermaid unicorn "
        "genie skeleton monster fairy magic santa elf dracula frankenstein",
        "grammar comma apostrophe word words verb noun spelling sentence punctuation letter letters alphabet "
        "english language vowel pronoun adjective oxford tense spell",
        "blonde blondes stupid idiot dumb fool redneck moron iq smart",
        "realized think thought wonder guess feel believe know knew hate love always never every everyone nobody "
        "people whenever sometimes",
        "says said asked asks replied replies answers answered tells told yells shouts exclaims responded",
        "like as than",
        "not no never nothing don't can't isn't won't didn't wasn't doesn't nobody none neither without",
        "but however although though instead except unless until",
        "turns actually apparently literally really finally anymore still even",
        "joke jokes punchline pun puns funny humor laugh comedian comedy",
        "because meaning since literally pun intended get means haha lol obviously course ha explained therefore "
        "namely",
        "really very just actually basically quite literally totally simply so well kind sort somewhat certainly "
        "definitely rather",
        "thing things stuff something someone somebody somewhere person people good bad nice some",
        "one two three four five six seven eight nine ten hundred thousand million first second third",
    )
)

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | (re.MULTILINE if pattern.startswith("(^|") else re.DOTALL))
    for pattern in (
        r"^(q[:.]|question)",
        r"^(what|what's)\b",
        r"^why\b",
        r"^how\b",
        r"^(who|where|when|which|did|do|does|have|is|are|if|can)\b",
        r"^(a|an|two|three|there|the)\b",
        r"^(i|my|i'm|i've)\b",
        r"^(when|if|whenever)\b",
        r"\?\s*[\"”]?\s+\S",
        r"\?\s*$",
        r"\bq:.{1,400}\ba:",
        r"^knock,? knock",
        r"how many .{1,60}\b(does it take|to change|light ?bulb|screw)",
        r"light ?bulb",
        r"(walk|goes|went|come|came|get|stagger|limp)\w* (in|into|up to)\b.{0,30}\b(bar|pub)\b",
        r"what do you (call|get)",
        r"what('s| is| did) .{0,40}difference",
        r"what did .{0,60} say",
        r"^why did .{0,40}(cross|road)",
        r"^(did you hear|have you heard)",
        r"\bi('m| am| was| used to)\b",
        r"yo'? m[oa]m",
        r"^(so|guy|man|woman|girl|boy|kid|little)\b",
        r"[\"“][^\"”]{2,}[\"”]",
        r"(^|\n)\s*-",
        r"(^|\n)[ \t]*[A-Za-z .']{1,25}:",
        r"^[a-z' -]{2,30}(:|, n\.| \(n| —| – | - )",
        r"\b(first|1[.)]).{1,400}\b(second|2[.)])",
        r"\b\w{1,40}, \w{1,40}[\w ]{0,60},? (and|or) \w",
        r"^(roses are red|there once was|there was an? (old|young))",
        r"[.!?]\s*[\"”']?\s*(because|so|but)\b",
        r"\bso (i|he|she|they|we)\b",
        r"\bbecause\b",
        r"['\"][^'\"\s]{2,20}['\"]\s*[.!?]?\s*$",
        r"\([^)]{1,200}\)\s*$",
        r"\b(get it|lol|haha|lmao|pun intended)\b",
        r"!\s*$",
        r"\.\.\.|…",
        r"\b(said|asked|replied) tom\b",
        r",[\"”] (said|tom|he|she)\b.{0,60}ly\.?$",
        r"\bold \w+ never die",
        r"^(breaking|report|study|area man|local)\b",
        r"\b(says|announces|reports|admits|unveils|vows|accuses)\b",
        r"\bthe (other|last|next) (day|night|week)\b",
        r"\bmore like\b",
        r"\b(is|are) like\b|\blike an?\b",
        r"\b(light|same|only) (as|thing)\b",
        r"^\W*\w+\W+\w+\W*$",
        r"#\w",
        r"@\w",
        r"\b\w+-\w+\b",
        r"\n[^\n]*\n",
        r"[a-z]\s*$",
        r"[ \t]{2,}",
        r"\b[a-z]+'s\b",
        r"\bi'?m not (a|an|saying)\b",
        r"\b(hey|hi|hello|dear)\b",
        r"\b(if|when) .{3,60}, (then )?",
        r"\b(never|always)\b.{1,200}\b(always|again|ever|never)\b",
        r"\b(alzheimer|amnesia|orphan|9/11|nazi|hitler|holocaust)\w*",
    )
)

SURE_FORMS = {
    "knock_knock": re.compile(r"^\W*knock\W+knock\b.{0,40}who(['’]?s| is) there", re.IGNORECASE | re.DOTALL),
    "lightbulb": re.compile(r"\bhow many\b.{1,80}\blight ?bulbs?\b", re.IGNORECASE | re.DOTALL),
    "bar_joke": re.compile(
        r"\b(walk|come|came|go|goes|went|stagger|limp)\w* (in)?to (a|the|this) (\w+ )?(bar|pub)\b", re.IGNORECASE
    ),
    "question_answer": re.compile(
        r"^\W*(q\W+)?(what|why|how|who|where|when|which)\b[^?]{3,200}\?\s+\W{0,6}(a\W{1,3})?\w", re.I
    ),
    "swifty": re.compile(
        r"[,.!?…]\W{0,4}\b(said|asked|cried|shouted|replied|yelled|whispered|muttered|snapped|admitted|exclaimed) tom\b"
        r"|^(?!\W*(when|if|after|as|because|once|while|before|since|although|then)\b).*"
        r"[,!?]\W{0,4}\btom (said|[a-z]{3,12}ed)\b[^.!?,]{0,30}[.!]?$",
        re.IGNORECASE,
    ),
    "frame": re.compile(
        r"^\W*old\b[^.!?]{1,40}\bnever (really |quite )?die\b"
        r"|^\W*(she|he) was only (a|an|the)\b[^.!?]{1,40}\b(daughter|son)\b"
        r"|\bi like my \w+ (like|the way|the same as|as) i like my\b|\byou (might|may) be a \w+ if\b"
        r"|\bin soviet russia\b|^\W*roses are red\b",
        re.IGNORECASE,
    ),
    "yo_mama": re.compile(
        r"\byo (mamm?as?|momm?as?)\b|^[\W\d]*(your|ur) (mamm?as?|momm?as?)\b"
        r"|\b(yo|your|ur) (mom|mum|mother)('?s| is| was)? so (fat|old|dumb|stupid|ugly|poor|lazy|slow|hairy)\b",
        re.IGNORECASE,
    ),
}
"""Kinds that are forms: where the letters show one, its probability is at least the share in which that was right."""


def form(text: str) -> Vector:
    """The measures of ``text``, as many for every text, each finite."""
    words = [word.lower().replace("’", "'") for word in WORD.findall(text)]
    count = max(1, len(words))
    found = [math.log1p(len(text)), math.log1p(len(words)), math.log1p(text.count("\n"))]
    lengths = [len(WORD.findall(part)) for part in _SENTENCE_END.split(text) if part and WORD.search(part)] or [0]
    last, many = lengths[-1], len(lengths)
    found += [math.log1p(many), sum(lengths) / many / 10, math.log1p(last), math.log1p(max(lengths)), last / count]
    found += [float(many == 1), lengths[0] / count]
    plain = text.translate(_PLAIN)
    found += [math.log1p(plain.count(mark)) for mark in _MARKS]
    found += _letters(text, count)
    found += _vocabulary(words, count)
    for field in _FIELDS:
        within = sum(word in field for word in words)
        found += [float(within > 0), within / count]
    found += [float(bool(pattern.search(text))) for pattern in _PATTERNS]
    return np.array(found, dtype=np.float64)


def _letters(text: str, count: int) -> list[float]:
    letters = [character for character in text if character.isalpha()]
    capitals = sum(character.isupper() for character in letters) / max(1, len(letters))
    shouted = sum(word.isupper() and len(word) > 1 for word in WORD.findall(text)) / count
    names = len(_NAME_INSIDE.findall(text))
    return [
        capitals,
        float(capitals > 0.6),
        shouted,
        math.log1p(sum(character.isdigit() for character in text)),
        math.log1p(names),
        names / count,
        float(text[-1:] in tuple(".!?\"”')")),
        float(text[:1].isupper()),
        float(bool(re.search(r"\bi\b", text))),
        float(bool(re.search(r"(^|[.!?] )[a-z]", text))),
    ]


def _vocabulary(words: list[str], count: int) -> list[float]:
    content = [word for word in words if word not in STOP_WORDS and len(word) > 2]
    alike = sum(first[0] == second[0] for first, second in itertools.pairwise(content))
    return [
        sum(map(len, words)) / count,
        len(set(words)) / count,
        sum(word in STOP_WORDS for word in words) / count,
        float(len(words[-1])) if words else 0.0,
        float(max(map(len, words), default=0)),
        float(bool(words) and words[-1] in words[:-1]),
        sum(len(word) >= 8 for word in words) / count,
        alike / max(1, len(content) - 1),
        len({word[-3:] for word in content}) / max(1, len(content)),
    ]
