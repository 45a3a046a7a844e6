"""What a text shows beside its states: how surprising its words were to the model, and how usual its phrases are.

How expected a word was is hardly to be had from the states behind it, and phrases of other jokes not at all; factors,
faults and kinds all gain by them (models/training/LOG.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .editor_words import ENDS_SENTENCE, Span
from .phrases import MEASURES as PHRASES
from .phrases import phrases

SURPRISE = 24
TURNING = 13
TOKENS = 12
USUAL = TOKENS + PHRASES
TRAITS = SURPRISE + TURNING + USUAL
_FAR = 40
_SURE = 8.0
"""How strongly the turn's scores are told apart where its surprise is weighed by them."""
_LITTLE, _MUCH = 1.0, 8.0
"""Nats from which a word counts as foreseen, and as hardly foreseen."""
Vector = npt.NDArray[np.float64]


def traits(text: str, words: tuple[Span, ...], said: Vector, where: Vector, turn: Vector, usual: Vector) -> Vector:
    """(TRAITS,). ``said`` (words, 4): ``editor_turn.word_said``; ``where``: ``editor_words.places``; ``turn`` (words,):
    scores of the turn; ``usual`` (USUAL,)."""
    if not words:
        return np.concatenate([np.zeros(SURPRISE + TURNING), usual])
    surprise = -said[:, 0]
    return np.concatenate([_surprise(text, words, surprise, where), _turning(words, said, surprise, turn), usual])


def usual(text: str, logprobs: npt.NDArray[np.floating]) -> Vector:
    """(USUAL,): how surprising a text's tokens were, marks at its end included, from their ``logprobs`` (tokens,) by
    ``Engine.scan``; and how usual its phrases are."""
    surprise = np.clip(-logprobs[1:].astype(np.float64), 0.0, 25.0) if len(logprobs) > 1 else np.zeros(1)
    count = len(surprise)
    found = [
        surprise.mean(),
        surprise.max(),
        np.sort(surprise)[-3:].mean(),
        surprise[-1],
        surprise[-2:].mean(),
        surprise[-6:].mean(),
        surprise[: max(1, count // 2)].mean(),
        surprise[count // 2 :].mean(),
        surprise.std(),
        (surprise < 0.5).mean(),
        np.median(surprise),
        np.diff(surprise).std() if count > 2 else 0.0,
    ]
    return np.concatenate([found, phrases().measures(text)])


def _surprise(text: str, words: tuple[Span, ...], surprise: Vector, where: Vector) -> Vector:
    """(SURPRISE,): of all words, of the halves, the last ones, the last sentence, and of words said again."""
    count = len(surprise)
    half, mean, greatest = count // 2, float(surprise.mean()), int(surprise.argmax())
    closed = np.flatnonzero(where[:-1, ENDS_SENTENCE] > 0)
    last = surprise[closed[-1] + 1 :] if len(closed) else surprise
    again = _again(text, words, surprise)
    before = surprise[-10:-3] if count > 5 else surprise
    steps = np.diff(surprise)
    return np.array(
        [
            mean,
            surprise.sum() / 50.0,
            surprise.max(),
            np.sort(surprise)[-3:].mean(),
            surprise[-1],
            surprise[-2:].mean(),
            surprise[-6:].mean(),
            surprise[:half].mean() if half else mean,
            surprise[half:].mean(),
            surprise.std(),
            np.median(surprise),
            (surprise < _LITTLE).mean(),
            (surprise > _MUCH).mean(),
            greatest / count,
            min(_FAR, count - 1 - greatest),
            surprise[-1] - mean,
            last.mean(),
            last.max(),
            last.mean() - mean,
            again.mean() if len(again) else 0.0,
            len(again),
            before.mean(),
            steps.std() if len(steps) > 1 else 0.0,
            np.log1p(count),
        ]
    )


def _again(text: str, words: tuple[Span, ...], surprise: Vector) -> Vector:
    """How surprising the words are that the text had before."""
    seen: set[str] = set()
    found = []
    for (start, end), value in zip(words, surprise, strict=True):
        word = text[start:end].lower()
        if word in seen and len(word) > 3:
            found.append(float(value))
        seen.add(word)
    return np.array(found)


def _turning(words: tuple[Span, ...], said: Vector, surprise: Vector, turn: Vector) -> Vector:
    """(TURNING,): how surprising the turn is, what follows it, how sure it is; and how many pieces words fall into."""
    count = len(surprise)
    share = np.exp((turn - turn.max()) * _SURE)
    share /= share.sum()
    place = int(turn.argmax())
    behind = count - 1 - place
    ordered = np.sort(turn)
    pieces = said[:, 3]
    letters = np.array([end - start for start, end in words], dtype=np.float64)
    return np.array(
        [
            share @ surprise,
            share @ surprise - surprise.mean(),
            surprise[place],
            surprise[max(0, place - 1) : place + 2].sum(),
            surprise[place + 1 :].mean() if behind else 0.0,
            min(behind, 60),
            behind / count,
            ordered[-1],
            ordered[-1] - ordered[-2] if count > 1 else 0.0,
            (pieces / letters).mean() * 5.0,
            (pieces >= 3).sum(),
            (pieces >= 3).mean(),
            (pieces / letters).max(),
        ]
    )
