"""The audience head: exact symmetry, bounded percentiles, and files that can't be trusted."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import Cancelled, InputError, ModelError
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.audience import AudienceHead, Features, grams, pool, weigh
from tests.fake_engine import FakeEngine
from tests.head_builder import BUCKETS, FOUND, KINDS, SHA256, SIZE, Arrays, joint_parts, meta, parts, save

finite = st.floats(-50, 50)
features = st.builds(
    lambda scores, shares: Features(tuple(scores), tuple(share / sum(shares) for share in shares)),
    st.lists(finite, min_size=KINDS, max_size=KINDS),
    st.lists(st.floats(0.01, 1), min_size=KINDS, max_size=KINDS),
)


@pytest.fixture
def head(tmp_path: Path) -> AudienceHead:
    return AudienceHead.load(save(tmp_path, parts()))


@given(a=features, b=features)
def test_swapping_two_texts_negates_the_difference_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, a: Features, b: Features
) -> None:
    head = AudienceHead.load(save(tmp_path_factory.mktemp("head"), parts()))
    assert head.difference(a, b) == -head.difference(b, a)
    assert head.difference(a, a) == 0.0
    assert math.copysign(1, head.difference(a, a)) == 1.0


def test_two_real_texts_differ_and_mirror(head: AudienceHead) -> None:
    engine = FakeEngine()
    a, b = head.read(engine, "A duck walks in."), head.read(engine, "The bill, please, said the pelican.")
    assert head.difference(a, b) == -head.difference(b, a) != 0.0


def test_the_same_text_is_read_the_same_whatever_blanks_surround_it(head: AudienceHead) -> None:
    engine = FakeEngine()
    a, b = head.read(engine, "A duck walks in."), head.read(engine, "  A duck walks in.\r\n")
    assert (a.scores, a.kinds) == (b.scores, b.kinds)
    assert head.difference(a, b) == 0.0
    assert head.score(a) == head.score(b)


def test_kinds_share_a_text_among_them(head: AudienceHead) -> None:
    read = head.read(FakeEngine(), "A duck walks in.")
    assert len(read.scores) == len(read.kinds) == KINDS
    assert sum(read.kinds) == pytest.approx(1.0)
    assert min(read.scores) <= head.score(read) <= max(read.scores)


@given(scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_percentiles_rise_with_the_score_and_stay_in_0_to_100(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    head = AudienceHead.load(save(tmp_path_factory.mktemp("head"), parts()))
    found = [head.audience(Features((score,) * KINDS, (1.0, 0.0, 0.0))) for score in sorted(scores)]
    percentiles = [audience.percentile for audience in found]
    assert percentiles == sorted(percentiles)
    assert all(0.0 <= percentile <= 100.0 for percentile in percentiles)


def test_the_middle_quantile_is_the_fiftieth_percentile(head: AudienceHead) -> None:
    assert head.audience(Features((0.0,) * KINDS, (0.0, 1.0, 0.0))).percentile == pytest.approx(50.0)


def test_figures_and_model_can_be_read(head: AudienceHead) -> None:
    assert (head.model_sha256, head.version, head.agreement, head.one_person) == (SHA256, "1", 0.7, 0.66)


def test_word_groups_count_towards_the_score(tmp_path: Path) -> None:
    arrays = parts() | {"weights": np.zeros((KINDS, SIZE), np.float32)}
    head = AudienceHead.load(save(tmp_path, arrays))
    engine = FakeEngine()
    assert head.score(head.read(engine, "A duck walks in.")) != head.score(head.read(engine, "Nobody laughed at it."))


def test_a_model_with_states_of_another_size_is_refused(tmp_path: Path) -> None:
    arrays = parts()
    for name in ("centre", "scale"):
        arrays[name] = arrays[name][:-4]
    for name in ("weights", "gate"):
        arrays[name] = arrays[name][:, :-4]
    head = AudienceHead.load(save(tmp_path, arrays))
    with pytest.raises(ModelError) as raised:
        head.read(FakeEngine(), "A duck walks in.")
    assert raised.value.code == "E_HEAD_MODEL"


def test_an_empty_text_is_refused_and_a_stop_is_obeyed(head: AudienceHead) -> None:
    with pytest.raises(InputError):
        head.read(FakeEngine(), "   ")
    stop = CancelToken()
    stop.cancel()
    with pytest.raises(Cancelled):
        head.read(FakeEngine(), "A duck walks in.", stop)


@pytest.mark.parametrize("tokens", [1, 2, 3, 4, 5, 40])
def test_texts_of_any_length_pool_to_the_same_size(tokens: int) -> None:
    states = np.arange(tokens * 8, dtype=np.float32).reshape(tokens, 8)
    values = pool(states, "word " * tokens)
    assert values.shape == (SIZE,)
    assert np.isfinite(values).all()
    assert (values[24:32] == states[-1]).all()


@given(text=st.text(max_size=200))
def test_word_groups_of_any_text_lie_in_their_buckets(text: str) -> None:
    counted = grams(text, BUCKETS)
    assert all(0 <= place < BUCKETS and value >= 1.0 for place, value in counted.items())
    if counted:
        places, values = weigh(counted, np.ones(BUCKETS))
        assert list(places) == sorted(counted)
        assert np.isfinite(values).all()


def pickled(arrays: Arrays) -> Arrays:
    return arrays | {"bias": np.array([print, print, print], dtype=object)}


BROKEN: dict[str, Callable[[Arrays], Arrays]] = {
    "a pickle": pickled,
    "a part missing": lambda arrays: {name: array for name, array in arrays.items() if name != "gate"},
    "a part too many": lambda arrays: arrays | {"extra": np.zeros(1)},
    "another version": lambda arrays: arrays | {"meta": meta(format=99)},
    "no JSON": lambda arrays: arrays | {"meta": np.frombuffer(b"{", np.uint8)},
    "no object": lambda arrays: arrays | {"meta": np.frombuffer(b"[]", np.uint8)},
    "a hash that is none": lambda arrays: arrays | {"meta": meta(model_sha256="../../etc/passwd")},
    "agreement over one": lambda arrays: arrays | {"meta": meta(agreement=7.0)},
    "agreement a word": lambda arrays: arrays | {"meta": meta(agreement="high")},
    "no kinds": lambda arrays: arrays | {"meta": meta(kinds=[])},
    "kinds that don't fit": lambda arrays: arrays | {"meta": meta(kinds=["one"])},
    "wrong shape": lambda arrays: arrays | {"weights": np.zeros((KINDS, SIZE + 1), np.float32)},
    "whole numbers": lambda arrays: arrays | {"weights": np.zeros((KINDS, SIZE), np.uint8)},
    "not a number": lambda arrays: arrays | {"centre": np.full(SIZE, np.nan, np.float32)},
    "infinite": lambda arrays: arrays | {"grams": np.full((KINDS, BUCKETS), np.inf, np.float16)},
    "no scale": lambda arrays: arrays | {"scale": np.zeros(SIZE, np.float32)},
    "falling quantiles": lambda arrays: arrays | {"quantiles": np.linspace(2, -2, 101)},
    "columns first": lambda arrays: arrays | {"weights": np.asfortranarray(arrays["weights"])},
    "complex numbers": lambda arrays: arrays | {"bias": np.zeros(KINDS, np.complex64)},
}


@pytest.mark.parametrize("harm", BROKEN.values(), ids=BROKEN)
def test_a_head_that_cannot_be_right_is_refused_in_a_sentence(tmp_path: Path, harm: Callable[[Arrays], Arrays]) -> None:
    path = save(tmp_path, harm(parts()))
    with pytest.raises(ModelError) as raised:
        AudienceHead.load(path)
    assert raised.value.code == "E_FILE_DAMAGED"
    assert raised.value.sentence.endswith(".")
    assert raised.value.hint


def test_a_head_hears_what_the_editor_found_for_one_kind_of_text(tmp_path: Path) -> None:
    head = AudienceHead.load(save(tmp_path, joint_parts()))
    assert head.joined == "0123abcd"
    states = FakeEngine().embed(["A duck walks in."])[0]
    alone = head.of_states(states, "A duck walks in.")
    both = head.of_states(states, "A duck walks in.", np.array([1.0, 1.0, 7.0]))
    assert both.scores[0] == pytest.approx(3.5)
    assert both.scores[1:] == alone.scores[1:]
    assert (both.kinds, both.joke) == (alone.kinds, alone.joke)


def test_what_the_editor_found_is_kept_within_bounds(tmp_path: Path) -> None:
    head = AudienceHead.load(save(tmp_path, joint_parts()))
    states = FakeEngine().embed(["A duck walks in."])[0]
    assert head.of_states(states, "A duck walks in.", np.array([1e9, 0.0, 0.0])).scores[0] == pytest.approx(8.5)


@pytest.mark.parametrize(
    "harm",
    [
        {"joint_weights": np.zeros(SIZE, np.float32)},
        {"joint_weights": np.full(SIZE + FOUND + 1, 1e9, np.float32)},
        {"joint_scale": np.zeros(FOUND, np.float32)},
        {"joint_centre": np.zeros((FOUND, 2), np.float32)},
        {"meta": meta(joint={"kind": "none such", "editor": "0"})},
        {"meta": meta(joint={"kind": "one", "editor": 5})},
        {"meta": meta()},
    ],
)
def test_a_damaged_joint_map_is_refused(tmp_path: Path, harm: Arrays) -> None:
    with pytest.raises(ModelError, match="damaged"):
        AudienceHead.load(save(tmp_path, joint_parts() | harm))


@pytest.mark.parametrize("keep", [0, 1, 100, 1000])
def test_a_head_cut_off_is_refused(tmp_path: Path, keep: int) -> None:
    path = save(tmp_path, parts())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError, match="damaged"):
        AudienceHead.load(path)


def test_a_head_with_one_byte_changed_is_refused_or_still_sound(tmp_path: Path) -> None:
    path = save(tmp_path, parts())
    whole = path.read_bytes()
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        head = loaded_or_refused(path)
        assert head is None or math.isfinite(head.score(head.read(FakeEngine(), "A duck walks in.")))


def loaded_or_refused(path: Path) -> AudienceHead | None:
    """The head, or None if it is refused as damaged; any other error is a failure."""
    try:
        return AudienceHead.load(path)
    except ModelError as error:
        if error.code != "E_FILE_DAMAGED":
            raise
        return None


def rezip(path: Path, name: str, content: bytes) -> None:
    """Replace one member, as someone would who wants to do harm."""
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in (members | {name: content}).items():
            archive.writestr(member, data)


def test_a_header_that_claims_a_giant_array_is_refused_before_any_memory_is_taken(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 1 << 20)})
    path = save(tmp_path, parts())
    rezip(path, "centre.npy", stream.getvalue())
    with pytest.raises(ModelError, match="cut off"):
        AudienceHead.load(path)


def test_a_member_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, parts())
    rezip(path, "centre.npy", bytes(90_000_000))
    with pytest.raises(ModelError, match="unpacks to too much"):
        AudienceHead.load(path)


def test_a_giant_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "giant.npz"
    with path.open("wb") as stream:
        stream.truncate(30_000_000)
    with pytest.raises(ModelError, match="too large"):
        AudienceHead.load(path)


def test_a_missing_head_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        AudienceHead.load(tmp_path / "none.npz")


def test_the_head_of_a_model_is_found_in_the_first_folder_that_has_it(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    for folder, version in ((own, "own"), (shipped, "shipped")):
        folder.mkdir()
        save(folder, parts() | {"meta": meta(version=version)})
    found = AudienceHead.find(SHA256, own, shipped)
    assert found is not None
    assert found.version == "own"
    assert AudienceHead.find(SHA256, tmp_path / "none", shipped) is not None
    assert AudienceHead.find("0" * 64, own, shipped) is None
    assert AudienceHead.find(SHA256[:16] + "0" * 48, own, shipped) is None


def test_a_head_may_know_jokes_from_plain_texts(tmp_path: Path) -> None:
    plain = AudienceHead.load(save(tmp_path / "plain", parts()))
    joke = np.append(np.zeros(SIZE), 1.5).astype(np.float32)
    knowing = AudienceHead.load(save(tmp_path / "knowing", parts() | {"joke": joke}))
    text = "A duck walks in."
    assert plain.read(FakeEngine(), text).joke is None
    assert knowing.read(FakeEngine(), text).joke == 1.5
    assert knowing.read(FakeEngine(), text).scores == plain.read(FakeEngine(), text).scores


@pytest.mark.parametrize("joke", [np.zeros(SIZE), np.zeros((SIZE + 1, 1)), np.full(SIZE + 1, np.nan)])
def test_a_map_of_the_wrong_kind_is_refused(tmp_path: Path, joke: np.ndarray) -> None:
    with pytest.raises(ModelError) as caught:
        AudienceHead.load(save(tmp_path, parts() | {"joke": joke}))
    assert caught.value.code == "E_FILE_DAMAGED"
