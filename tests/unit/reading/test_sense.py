"""The heads for sense: what they say of texts and pairs, what a verdict makes of it, and files that they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.core.errors import InputError, ModelError
from jokejudge_gui.heads.audience import AudienceHead, Features, KindAgreement, KindAgreements
from jokejudge_gui.heads.drafts import SHAPE, WORD_BUCKETS, differences, reading
from jokejudge_gui.heads.sense import PAIR, SCORES, SenseHeads
from jokejudge_gui.heads.sense_features import BLOCKS, EDITS, MEASURES, edit_of, end_alone, end_of, ends_sentence
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.rating_judge import RatingJudge
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.judge.rating.words import NO_TURN
from jokejudge_gui.judge.reader import Predictions, Reader
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from tests.fake_engine import FakeEngine

SHA = "ab" * 32
SIZE = FakeEngine().info.embedding_size
BEST = "My wife asked me to stop singing Wonderwall. I said maybe."
TORSO = "My wife asked me to stop singing Wonderwall."
AXES, TEXTS = 3, 4


def parts(joke: float = 3.0, **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Heads that give every text these log-odds of a joke, and prefer the longer of two."""
    random = np.random.default_rng(1)
    weights = np.zeros((len(EDITS), PAIR))
    weights[:, 6] = 1.5
    said = np.zeros((2, len(SCORES) + 2))
    said[0, -1], said[1, -1] = joke, 2.0
    meta = {
        "format": 2,
        "version": "test",
        "model_sha256": SHA,
        "no_turn": 0.1,
        "sure": 0.6,
        "agreement": dict.fromkeys(EDITS, 0.8),
    }
    arrays: dict[str, Any] = {
        "usual": np.zeros(SIZE),
        "centre": np.zeros(BLOCKS * SIZE),
        "scale": np.ones(BLOCKS * SIZE),
        "axes": random.normal(size=(BLOCKS * SIZE, AXES)),
        "measures_centre": np.zeros(MEASURES),
        "measures_scale": np.ones(MEASURES),
        "support": random.normal(size=(TEXTS, BLOCKS * AXES + MEASURES)),
        "reach": np.ones(BLOCKS + 1),
        "alpha": random.normal(size=(TEXTS, len(SCORES))),
        "mean": np.zeros(len(SCORES)),
        "said": said,
        "pair_scale": np.ones(PAIR),
        "pair_weights": weights,
        "near_scale": np.ones(5 * SIZE + 3),
        "near_weights": np.zeros((len(EDITS), 5 * SIZE + 3)),
        "near_words": np.zeros((len(EDITS), WORD_BUCKETS)),
        "near_shape_scale": np.ones(SHAPE),
        "near_rows": random.normal(size=(TEXTS, SHAPE)),
        "near_alpha": np.zeros((len(EDITS), TEXTS)),
    }
    return (
        {**meta, **{k: v for k, v in changes.items() if k in meta}},
        {**arrays, **{k: v for k, v in changes.items() if k in arrays}},
    )


BEFORE = PAIR - 12
"""Number of features of a pair of heads that were fitted before tails were learned."""


def heads_in(folder: Path, joke: float = 3.0, **changes: Any) -> SenseHeads:
    with (folder / f"{SHA[:16]}.npz").open("wb") as stream:
        SenseHeads.write(stream, *parts(joke, **changes))
    found = SenseHeads.find(SHA, folder)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("edit", "a", "b"),
    [
        ("cut", BEST, TORSO),
        ("added", TORSO, "My new wife asked me to please stop singing Wonderwall."),
        ("word", BEST, "My wife asked me to stop singing Yesterday. I said maybe."),
        ("end", BEST, "My wife asked me to stop singing Wonderwall. So I learned another song for her birthday."),
        ("moved", "I said maybe when my wife asked.", "When my wife asked I said maybe."),
        ("different", BEST, "The museum is closed on Mondays."),
    ],
)
def test_the_kind_of_edit_is_told_by_the_words_alone(edit: str, a: str, b: str) -> None:
    assert edit_of(a, b) == edit_of(b, a) == edit


def test_heads_that_were_fitted_before_tails_were_learned_say_what_they_said(tmp_path: Path) -> None:
    _, arrays = parts()
    weights = np.random.default_rng(5).normal(size=(len(EDITS), PAIR)) / 9.0
    weights[:, BEFORE:] = 0.0
    (tmp_path / "old").mkdir()
    old = heads_in(tmp_path / "old", pair_weights=weights[:, :BEFORE], pair_scale=arrays["pair_scale"][:BEFORE])
    new = heads_in(tmp_path, pair_weights=weights)
    engine = FakeEngine()
    a, b = BEST, TORSO
    read = [new.read(text, engine.scan(text), engine.scan(end_alone(text))) for text in (a, b)]
    change = differences(*(reading(text, engine.scan(text)) for text in (a, b)))
    found = [heads.compare(*read, 0.0, lambda _a, _b: change).log_odds_a for heads in (old, new)]
    assert found[0] == found[1] != 0.0


WIDTH, HIDDEN = 2, 5


def networks(**changes: Any) -> dict[str, Any]:
    """Two networks of random numbers."""
    random = np.random.default_rng(3)
    shapes = {
        "net_project": (2, BLOCKS, SIZE, WIDTH),
        "net_first": (2, BLOCKS * WIDTH + MEASURES + 1, HIDDEN),
        "net_first_bias": (2, HIDDEN),
        "net_second": (2, HIDDEN, HIDDEN),
        "net_second_bias": (2, HIDDEN),
        "net_out": (2, HIDDEN, len(SCORES)),
        "net_out_bias": (len(SCORES),),
    }
    return {name: random.normal(size=shape) / 9.0 for name, shape in shapes.items()} | changes


def with_networks(folder: Path, **changes: Any) -> SenseHeads:
    meta, arrays = parts()
    with (folder / f"{SHA[:16]}.npz").open("wb") as stream:
        SenseHeads.write(stream, meta, arrays | networks(**changes))
    return SenseHeads.load(folder / f"{SHA[:16]}.npz")


def test_the_outputs_of_all_networks_are_added_to_the_kernels(tmp_path: Path) -> None:
    engine = FakeEngine()
    scan, alone = engine.scan(BEST), engine.scan(end_alone(BEST))

    def scores(heads: SenseHeads, intent: float = 0.0) -> Any:
        return heads.read(BEST, scan, alone, intent).scores

    kernel = scores(heads_in(tmp_path))
    both, silent = scores(with_networks(tmp_path)), networks()
    silent["net_out"][1] = 0.0
    first = scores(with_networks(tmp_path, **silent))
    silent["net_out"][0], silent["net_out_bias"] = 0.0, np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(scores(with_networks(tmp_path, **silent)) - kernel, [1.0, -2.0, 0.5], atol=1e-6)
    assert np.abs(first - kernel).min() > 1e-4
    assert np.abs(both - first).min() > 1e-4
    heads = with_networks(tmp_path)
    assert np.abs(scores(heads, 3.0) - scores(heads, -3.0)).max() > 1e-4  # they hear whether it is meant as a joke
    np.testing.assert_array_equal(scores(heads, 6.0), scores(heads, 60.0))


@pytest.mark.parametrize(
    "changes",
    [
        {"net_first": np.zeros((2, 3, HIDDEN))},
        {"net_second": np.zeros((2, HIDDEN, HIDDEN + 1))},
        {"net_out": np.full((2, HIDDEN, len(SCORES)), np.inf)},
        {"net_project": np.zeros((99, BLOCKS, SIZE, WIDTH))},
        {"net_project": np.zeros((2, BLOCKS, SIZE + 1, WIDTH))},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_networks_that_cannot_be_right_are_not_written(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        with_networks(tmp_path, **changes)


@pytest.mark.parametrize(
    ("text", "words", "ends"),
    [
        ("I was late. Then it rained.", 3, True),
        ("I was late, then it rained.", 3, False),
        ("“I was late.” Then it rained.", 3, True),
        ("I was late\nThen it rained", 3, True),
        ("I was late!", 3, True),
        ("", 0, True),
    ],
)
def test_a_beginning_ends_a_sentence_where_the_text_ends_one(text: str, words: int, ends: bool) -> None:
    assert ends_sentence(text, words) is ends


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (BEST, "I said maybe."),
        ("I have a cat, a dog and a mortgage", "a dog and a mortgage"),
        ("Boo", "Boo"),
        ("one two three four five six seven eight nine ten", "seven eight nine ten"),
    ],
)
def test_the_end_is_the_last_clause(text: str, end: str) -> None:
    assert text[end_of(text) :] == end
    assert end_alone(text).endswith(end)


def test_a_text_is_said_to_be_a_joke_or_not_and_nothing_else_in_the_reading_changes(tmp_path: Path) -> None:
    plain = Reader(FakeEngine()).read(BEST)
    for joke, said in ((3.0, "joke"), (0.0, "unsure"), (-4.0, "no turn")):
        heard = Reader(FakeEngine(), sense=heads_in(tmp_path, joke)).read(BEST)
        assert heard.sense is not None
        assert heard.sense.sense.said == said
        assert len(pickle.dumps(heard)) < 10_000  # 2,000 of them are remembered
        assert (heard.features, heard.editor, heard.joke) == (plain.features, plain.editor, plain.joke)


def test_long_texts_and_other_languages_are_left_alone(tmp_path: Path) -> None:
    reader = Reader(FakeEngine(), sense=heads_in(tmp_path))
    assert reader.read("word " * 130).sense is None
    assert reader.read("Der Zug nach Hamburg fährt heute von Gleis sieben ab und hat Verspätung.").sense is None


def test_a_text_without_its_punchline_never_wins_and_a_swapped_pair_is_the_mirror_image(tmp_path: Path) -> None:
    reader = Reader(FakeEngine(), sense=heads_in(tmp_path))
    found, swapped = reader.compare_drafts(BEST, TORSO), reader.compare_drafts(TORSO, BEST)
    assert found is not None
    assert swapped is not None
    assert found.p_a > 0.5
    assert found.log_odds_a == -swapped.log_odds_a
    assert found.p_a == 1.0 - swapped.p_a
    assert reader.compare_drafts(BEST, BEST) is None
    assert reader.compare_drafts(BEST, "The museum is closed on Mondays.") is None


def test_a_line_that_is_no_joke_by_its_form_is_said_to_be_none(tmp_path: Path) -> None:
    heard = Reader(FakeEngine(), sense=heads_in(tmp_path, 5.0)).read("Sure! Here are ten jokes about cats:")
    assert heard.sense is not None
    assert heard.sense.sense.said == "no turn"
    assert heard.sense.short > 0


HEADLINES = "Mayor opens new library in old factory", "Mayor opens new hamster in old factory"


@pytest.mark.parametrize(
    ("gates", "other", "people"),
    [
        ((0.9, 0.8), HEADLINES[1], 61),
        ((0.9, 0.3), HEADLINES[1], None),
        ((0.9, 0.9), "Storm leaves thousands without power on Friday", None),
    ],
)
def test_two_edits_of_a_headline_are_left_to_peoples_votes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gates: tuple[float, float], other: str, people: int | None
) -> None:
    head = AudienceHead.find(EMBEDDED_SHA256, paths.models_dir() / "heads")
    assert head is not None
    agreements = KindAgreements({"headlines": KindAgreement("headlines", 0.605 + 0.005)})
    reader = Reader(FakeEngine(), head, agreements=agreements, sense=heads_in(tmp_path, 0.0))
    place = head.kinds.index("headlines")
    texts = (HEADLINES[0], other)
    sensed = Reader(FakeEngine(), sense=heads_in(tmp_path, 0.0))
    heard = {
        text: Predictions(
            text,
            Features(
                tuple(float(n == place) * at for n in range(len(head.kinds))),
                tuple(gate if n == place else (1 - gate) / (len(head.kinds) - 1) for n in range(len(head.kinds))),
            ),
            None,
            sense=sensed.read(text).sense,
        )
        for at, (text, gate) in enumerate(zip(texts, gates, strict=True))
    }
    monkeypatch.setattr(reader, "read", lambda text, cancel=None, *, context="": heard[text])
    assert reader.people(*heard.values()) == reader.people(*reversed(heard.values())) == people
    if people is not None:
        assert reader.compare_drafts(*texts) is None
        difference = reader.difference(*heard.values())
        assert difference == head.difference(*(each.features for each in heard.values() if each.features)) != 0


@pytest.mark.parametrize(
    "changes",
    [
        {"reach": np.zeros(2)},
        {"alpha": np.full((TEXTS, len(SCORES)), np.nan)},
        {"pair_weights": np.zeros((2, PAIR))},
        {"no_turn": 1.5},
        {"agreement": {}},
        {"model_sha256": "short"},
        {"format": 99},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_heads_that_cannot_be_right_are_not_written(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        heads_in(tmp_path, **changes)


@pytest.mark.parametrize("damage", ["cut", "text", "flipped", "empty"])
def test_a_damaged_file_is_an_error_that_says_what_to_do(tmp_path: Path, damage: str) -> None:
    heads_in(tmp_path)
    path = tmp_path / f"{SHA[:16]}.npz"
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        for place in range(200, len(data), 97):
            data[place] ^= 0xFF
    path.write_bytes({"cut": data[: len(data) // 2], "text": b"no heads", "empty": b""}.get(damage, bytes(data)))
    with pytest.raises(ModelError) as caught:
        SenseHeads.load(path)
    assert caught.value.code == "E_FILE_DAMAGED"
    assert caught.value.hint


def rated(folder: Path, joke: float, *, forced: bool = False, turn: tuple[int, int] | None = None) -> RatingResult:
    """What the plan's rating says of ``BEST`` with heads that give it these log-odds of a joke."""
    files = MeasuredFiles(folder / "shipped", folder / "own")
    judge = RatingJudge(MainJudge(FakeEngine(), files, Reader(FakeEngine(), sense=heads_in(folder, joke))), "read")
    draft = RATING.empty(RatingRequest(text=BEST, forced=forced, turn=turn), "1")
    for _ in judge.rate(draft):
        pass
    return draft.freeze()


def test_where_nothing_turns_the_verdict_says_so_and_claims_no_more(tmp_path: Path) -> None:
    result = rated(tmp_path, -4.0)
    assert result.sense is not None
    assert result.sense.said == "no turn"
    assert result.explanation == NO_TURN
    assert (result.audience, result.factors, result.note, result.categories) == (None, (), None, ())
    assert RATING.glance(result).headline == NO_TURN


def test_a_joke_and_a_text_that_is_rated_anyway_are_rated_as_ever(tmp_path: Path) -> None:
    for result in (rated(tmp_path, 3.0), rated(tmp_path, -4.0, forced=True)):
        assert result.sense is not None
        assert result.explanation != NO_TURN


def test_a_turn_that_the_user_chose_is_kept_and_read_on_but_gets_no_estimate_where_none_is_heard(
    tmp_path: Path,
) -> None:
    words = slice(2, 9)
    result = rated(tmp_path, -4.0, turn=(words.start, words.stop))
    assert result.turn is not None
    assert (result.turn.start, result.turn.end, result.turn.text) == (2, 9, BEST[words])
    assert result.asked_turn == (2, 9)
    assert result.audience is None
    assert result.explanation != NO_TURN
    assert RATING.request_of(result).turn == (2, 9)


@pytest.mark.parametrize("turn", [(5, 5), (9, 2), (9000, 9009), (-5, -2)])
def test_a_turn_outside_the_text_is_refused(turn: tuple[int, int]) -> None:
    with pytest.raises(InputError) as caught:
        RatingRequest(text=BEST, turn=turn)
    assert caught.value.code == "E_INPUT_TURN"


def test_a_text_is_of_no_learned_kind_only_where_that_is_likelier_than_all_of_them() -> None:
    agreements = KindAgreements(strangers=frozenset({"other"}))
    assert agreements.taken_for({"one-liners": 0.3, "posts": 0.25, "other": 0.45}) == "one-liners"
    assert agreements.taken_for({"one-liners": 0.3, "posts": 0.15, "other": 0.55}) == "other"
    assert agreements.taken_for({"one-liners": 0.4, "posts": 0.6}) == "posts"
