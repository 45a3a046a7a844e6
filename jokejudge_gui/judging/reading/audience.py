"""The audience head: what people would vote, read off a model's own hidden states by a few linear maps.

One map for each kind of text that people voted on (one-liners, edited headlines, …), and a gate that says which kind a
text is. A text is scored alone, so a duel's difference has no first and no second place.
"""

from __future__ import annotations

import copy
import lzma
import math
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.base import CancelToken, Engine, FloatArray
from ...errors import ModelError
from ...files import parse_json
from ...texts import clean_text
from ...verdicts import Audience
from .across import ACROSS, AcrossMap, alike, check_across
from .joint import JOINT, JointMap, check_joint
from .wording import WORD, grams, weigh

FORMAT = 1
LEAST_SHARE = 1e-6
"""Keeps the product of two texts' kinds above zero when they have none in common."""
Vector = npt.NDArray[np.float64]

_MOST_BYTES = 20 * 10**6
_MOST_KINDS = 32
_MOST_STATES = 65536
_MOST_BUCKETS = 1 << 18
_LENGTHS = 3
_MOST_PULL = 10.0
_MOST_LENGTH = 1e6
_QUANTILES = 101
_MOST_PARTS = 64
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[fu][1248])', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,80})\), \} *\n"
)
"""What NumPy writes before an array of plain numbers. NumPy's own reader would evaluate whatever stands there."""
# What reading a damaged or hostile archive may raise; RuntimeError: encrypted, an unknown compression, or nested too
# deeply; AttributeError and the like: something of another type or shape than is looked for.
DAMAGE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


@dataclass(frozen=True, eq=False)
class Features:
    """What a head read in one text. ``scores[k]``: log-odds scale of kind k; ``kinds[k]``: how much the text is of kind
    k, each 0…1, summing to 1; ``joke``: log-odds that it is meant as a joke, None where the head can't tell;
    ``across``: on the one scale for all kinds, None where the head has none or didn't hear the editor's heads."""

    scores: tuple[float, ...]
    kinds: tuple[float, ...]
    joke: float | None = None
    across: float | None = None


class AudienceHead:
    """A head for one model. ``agreement``: share of held-out pairs on which it agrees with most people;
    ``one_person``: share on which one of the voters agrees with most of the others; 0 where single votes aren't
    known; ``kind_agreement``: the first by kind, with the lower end of its interval, where the file says so."""

    def __init__(self, meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        self.model_sha256: str = meta["model_sha256"]
        self.version: str = meta["version"]
        self.kinds: tuple[str, ...] = tuple(meta["kinds"])
        self.agreement: float = meta["agreement"]
        self.one_person: float = meta["one_person"]
        self.kind_agreement: dict[str, tuple[float, float]] = {
            kind: (share, low) for kind, (share, low) in meta.get("kind_agreement", {}).items()
        }
        lengths = meta.get("length", {})
        self._lengths = tuple(tuple(lengths.get(kind, (0.0, 1.0))) for kind in self.kinds)
        self._centre: Vector = arrays["centre"].astype(np.float64)
        self._scale: Vector = arrays["scale"].astype(np.float64)
        self._weights: Vector = arrays["weights"].astype(np.float64)
        self._bias: Vector = arrays["bias"].astype(np.float64)
        self._gate: Vector = arrays["gate"].astype(np.float64)
        self._gate_bias: Vector = arrays["gate_bias"].astype(np.float64)
        self._grams = arrays["grams"]
        self._rarity = arrays["rarity"]
        self._quantiles: Vector = arrays["quantiles"].astype(np.float64)
        self._joke: Vector | None = arrays["joke"].astype(np.float64) if "joke" in arrays else None
        self._joint = JointMap.of(meta, arrays)
        across = AcrossMap.of(meta, arrays)
        # Fitted with other editor's heads than the joint map, it can't be used: nothing is found by both.
        self._across = across if across is None or self._joint is None or across.editor == self._joint.editor else None
        self._other: AudienceHead | None = None  # whose map of "joke or not" goes before this one's

    @property
    def embedding_size(self) -> int:
        """How many numbers a state has of the model that it was made for."""
        return (len(self._centre) - _LENGTHS) // 4

    @classmethod
    def load(cls, path: Path) -> AudienceHead:
        """Read a head's file (NumPy's npz, no pickles). Raises ``ModelError`` ``E_HEAD_DAMAGED``."""
        try:
            return cls(*_read_head(path))
        except DAMAGE as error:
            raise ModelError(
                "E_HEAD_DAMAGED",
                f"The audience head {path.name} is damaged ({error}).",
                "Delete it, or install the program again; verdicts come without the audience until then.",
            ) from error

    def with_joke_of(self, other: AudienceHead) -> AudienceHead:
        """This head; whether a text is meant as a joke is said by ``other``, a head of the same model, if it can tell.
        What people find funny is learned anew from other votes, what a joke looks like isn't."""
        if other._joke is None or len(other._centre) != len(self._centre):
            return self
        both = copy.copy(self)
        both._other = other
        return both

    def read(self, engine: Engine, text: str, cancel: CancelToken | None = None) -> Features:
        """Read ``text`` with the model that this head was fitted on: one ``embed`` call. Raises what ``embed`` and
        ``clean_text`` raise, and ``ModelError`` ``E_HEAD_MODEL`` when the model's states have another size."""
        text = clean_text(text)
        return self.heard(engine.embed([text], cancel)[0], text)

    @property
    def joined(self) -> str | None:
        """The mark of the editor's heads whose findings this head can hear as well; None if it can't."""
        by = self._joint or self._across
        return None if by is None else by.editor

    def heard(self, states: FloatArray, text: str, found: Vector | None = None) -> Features:
        """Features from the final hidden states (tokens, size) of a cleaned text, and from what the editor's heads
        ``found`` in it (``EditorHeads.found``), if it is of those heads with the mark ``joined``. Raises ``ModelError``
        ``E_HEAD_MODEL``."""
        values = pool(states, text)
        if len(values) != len(self._centre):
            raise ModelError(
                "E_HEAD_MODEL",
                "The audience head wasn't made for this model.",
                "Delete the head, or choose the model that it was made for.",
            )
        return self.features_of(values, text, found)

    def features_of(self, values: Vector, text: str, found: Vector | None = None) -> Features:
        """Features from what ``pool`` gave of a text; ``found``: see ``heard``."""
        return self.features(values, grams(text, len(self._rarity)), found)

    def features(self, values: Vector, counted: dict[int, float], found: Vector | None = None) -> Features:
        """Features from what ``pool`` and ``grams`` gave; ``found``: see ``heard``."""
        standard = self._standardise(values)
        scores = self._weights @ standard + self._bias
        if counted:
            places, weights = weigh(counted, self._rarity)
            scores = scores + self._grams[:, places].astype(np.float64) @ weights
        if self._joint is not None and found is not None:
            scores[self._joint.place] = self._joint.score(standard, found)
        across = self._across.score(found) if self._across is not None and found is not None else None
        logits = self._gate @ standard + self._gate_bias
        shares = np.exp(logits - logits.max())
        joke = self.joke_odds(values)
        return Features(tuple(map(float, scores)), tuple(map(float, shares / shares.sum())), joke, across)

    def standardised(self, values: Vector) -> Vector:
        """What ``pool`` gave of a text, as the maps take it."""
        return self._standardise(values)

    def _standardise(self, values: Vector) -> Vector:
        found: Vector = np.clip((values - self._centre) / self._scale, -8.0, 8.0)
        return found

    def joke_odds(self, values: Vector) -> float | None:
        """Log-odds that a text is meant as a joke, from what ``pool`` gave of it; None where the head can't tell."""
        by = self._other or self
        return None if by._joke is None else float(by._joke[:-1] @ by._standardise(values) + by._joke[-1])

    def score(self, features: Features) -> float:
        """How funny people would find it; log-odds scale, 0 about the middle of the jokes that they voted on."""
        return math.fsum(share * score for share, score in zip(features.kinds, features.scores, strict=True))

    def audience(self, features: Features) -> Audience:
        """The score, and its percentile 0…100 among jokes that people voted on."""
        score = self.score(features)
        percentile = float(np.interp(score, self._quantiles, np.linspace(0.0, 100.0, _QUANTILES)))
        return Audience(percentile=percentile, score=score)

    def score_at(self, percentile: float) -> float:
        """The score that stands at a percentile 0…100."""
        return float(np.interp(percentile, np.linspace(0.0, 100.0, _QUANTILES), self._quantiles))

    def difference(self, a: Features, b: Features, length: float | None = None) -> float:
        """Log-odds that people find a the funnier; swapping a and b negates it to the last bit. ``length``: characters
        of a less those of b; where it is given, what length adds to this head's answers for their kind is taken out
        (SCIENCE, Length in every voice)."""
        # Two texts that are compared are mostly of one kind, so each kind counts by the product of the shares. Products
        # don't know their order, the difference of two scores only turns its sign, and fsum is exact before it rounds.
        both = [kind_a * kind_b + LEAST_SHARE for kind_a, kind_b in zip(a.kinds, b.kinds, strict=True)]
        pulls = [0.0 if length is None else gamma * math.tanh(length / sd) for gamma, sd in self._lengths]
        gaps = [score_a - score_b - pull for score_a, score_b, pull in zip(a.scores, b.scores, pulls, strict=True)]
        total = math.fsum(both)
        if self._across is None or a.across is None or b.across is None:
            # + 0.0 makes −0.0 plain.
            return math.fsum(share * gap for share, gap in zip(both, gaps, strict=True)) / total + 0.0
        # Maps of different kinds have no common scale: the less alike the kinds, the more the one scale for all counts.
        beyond = a.across - b.across - self._across.pull(length)
        mixed = [(1.0 - part) * gap + part * beyond for part, gap in zip(self._across.shares, gaps, strict=True)]
        within = math.fsum(share * gap for share, gap in zip(both, mixed, strict=True)) / total
        apart = (1.0 - alike(a.kinds, b.kinds)) ** 2
        return (1.0 - apart) * within + apart * beyond + 0.0


def head_for(sha256: str, *folders: Path) -> AudienceHead | None:
    """The head for the model with this hash, from the first folder that holds one (``<16 digits>.npz``); None if none
    does. Raises ``ModelError`` ``E_HEAD_DAMAGED``."""
    for folder in folders:
        path = folder / f"{sha256[:16]}.npz"
        if path.is_file():
            head = AudienceHead.load(path)
            if head.model_sha256 == sha256:
                return head
    return None


def pool(states: FloatArray, text: str) -> Vector:
    """Final hidden states (tokens, size) as one vector of 4·size + 3: the means of the first half, of the second half
    and of the last four tokens, the last token, and three measures of length."""
    half = len(states) // 2
    parts = (states[: max(1, half)], states[half:], states[-4:], states[-1:])
    lengths = np.log1p([len(text), len(WORD.findall(text)), text.count("\n")])
    return np.concatenate([*(part.mean(axis=0, dtype=np.float64) for part in parts), lengths])


_ARRAYS = ("centre", "scale", "weights", "bias", "gate", "gate_bias", "grams", "rarity", "quantiles")
_STATES = ("centre", "scale")
_MOST_STATE, _LEAST_SCALE = 1e6, 1e-9
_MOST = 1e3
"""A weight of standardised features; those that ship are under 10."""
_JOKE = "joke"
"""Weights of "joke or not" and their constant; a head that was fitted on ratings alone has none."""


def _read_head(path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    meta, arrays = read_archive(path, _MOST_BYTES)
    beside = (name for name in (_JOKE, *JOINT, *ACROSS) if name in arrays)
    if set(arrays) != {*_ARRAYS, *beside}:
        raise ValueError("its parts aren't those of a head")
    _check_meta(meta)
    _check_arrays(meta, arrays)
    return meta, arrays


def read_archive(path: Path, most: int) -> tuple[Any, dict[str, npt.NDArray[Any]]]:
    """The arrays in a file of heads (NumPy's npz) of at most ``most`` bytes, and its ``meta``, whatever that is; None
    where it has none. Every file of heads is read by this. Raises one of ``DAMAGE``."""
    if path.stat().st_size > most:
        raise ValueError("it is too large")
    left = 4 * most
    arrays: dict[str, npt.NDArray[Any]] = {}
    with zipfile.ZipFile(path) as archive:
        files = archive.namelist()
        names = [name.removesuffix(".npy") for name in files]
        if len(files) > _MOST_PARTS or len({*names}) < len(files) or not all(name.endswith(".npy") for name in files):
            raise ValueError("its parts aren't those of a head")
        for name, file in zip(names, files, strict=True):
            with archive.open(file) as stream:
                raw = stream.read(left + 1)
            left -= len(raw)
            if left < 0:
                raise ValueError("it unpacks to too much")
            arrays[name] = read_array(name, raw)
    meta = arrays.pop("meta", None)
    return None if meta is None else parse_json(meta.tobytes()), arrays


def read_array(name: str, raw: bytes) -> npt.NDArray[Any]:
    """One array of plain numbers; its size is checked against the bytes before anything is allocated."""
    if not raw.startswith(b"\x93NUMPY\x01\x00"):
        raise ValueError(f"{name} is of an unknown version")
    begins = 10 + int.from_bytes(raw[8:10], "little")
    said = _HEADER.fullmatch(raw, 10, begins)
    if said is None or said[2] == b"True":
        raise ValueError(f"{name} holds something else than plain numbers")
    dtype = np.dtype(said[1].decode("ascii"))
    shape = tuple(int(size) for size in said[3].replace(b" ", b"").split(b",") if size)
    rest = raw[begins:]
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"{name} is cut off")
    array = np.frombuffer(rest, dtype=dtype).reshape(shape) if rest else np.zeros(shape, dtype)
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} holds infinite numbers")
    return array


def _check_meta(meta: Any) -> None:
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise ValueError("it is of an unknown version")
    kinds = meta["kinds"]
    if not isinstance(kinds, list) or not 1 <= len(kinds) <= _MOST_KINDS or not all(isinstance(k, str) for k in kinds):
        raise ValueError("its kinds of text can't be read")
    if not isinstance(meta["version"], str) or not re.fullmatch(r"[0-9a-f]{64}", str(meta["model_sha256"])):
        raise ValueError("it doesn't say which model it is for")
    for name in ("agreement", "one_person"):
        if not isinstance(meta[name], float) or not 0.0 <= meta[name] <= 1.0:
            raise ValueError(f"its {name} is no share")

    for kind, (share, low) in meta.get("kind_agreement", {}).items():
        if kind not in kinds or not 0.0 <= low <= share <= 1.0:
            raise ValueError("its agreement by kind can't be right")
    for kind, (gamma, sd) in meta.get("length", {}).items():
        if kind not in kinds or not -_MOST_PULL <= gamma <= _MOST_PULL or not 1.0 <= sd <= _MOST_LENGTH:
            raise ValueError("what it says of length can't be right")


def _check_arrays(meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
    kinds = len(meta["kinds"])
    size = arrays["centre"].size
    buckets = arrays["rarity"].size
    if not _LENGTHS < size <= _MOST_STATES or buckets > _MOST_BUCKETS or buckets % 2:
        raise ValueError("its size can't be right")
    expected = {
        "centre": (size,),
        "scale": (size,),
        "weights": (kinds, size),
        "bias": (kinds,),
        "gate": (kinds, size),
        "gate_bias": (kinds,),
        "grams": (kinds, buckets),
        "rarity": (buckets,),
        "quantiles": (_QUANTILES,),
        **({_JOKE: (size + 1,)} if _JOKE in arrays else {}),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind != "f":
            raise ValueError(f"{name} has the wrong shape")
    check_joint(meta, arrays, size)
    check_across(meta, arrays)
    if any(np.abs(arrays[name]).max(initial=0.0) > _MOST for name in expected if name not in _STATES):
        raise ValueError("its weights can't be right")
    if max(np.abs(arrays[name]).max() for name in _STATES) > _MOST_STATE or not (arrays["scale"] >= _LEAST_SCALE).all():
        raise ValueError("its scales can't be right")
    if (np.diff(arrays["quantiles"]) < 0).any():
        raise ValueError("its scales can't be right")
