"""Files of heads damaged in every way of the attack, and the handling of each by verdicts:
``python -m tests.bench.damaged_heads`` tries them all and prints the program faults, if any.
"""

from __future__ import annotations

import io
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Event, Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.heads.drafts import EVEN, SHAPE, WORD_BUCKETS, DraftHeads
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session
from tests import head_builder
from tests.editor_engine import EditorEngine
from tests.editor_fitted import fit, meta_of, npy, packed
from tests.editor_fitted import parts as parts_of
from tests.fake_engine import FakeEngine
from tests.known_calibration import known

JOKE, EDITED = "A horse walks into a bar and orders a long face.", "A horse walks into a bar and orders the long face."
NAME = f"{head_builder.SHA256[:16]}.npz"
Parts = dict[str, bytes]
_DEEP = 60_000
_VALUES: tuple[Any, ...] = (None, True, -1, 1e308, "", "x", [], [[]], {}, {"a": None}, [None], ["\x1b[2J"])
_DTYPES = ("<i8", "|b1", "<c16", "<U3", "<f4", "<f2", ">f8", "<u4")
_HEADERS = (
    "{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * _DEEP,
    "[" * _DEEP,
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
    "{'descr': '<f4', 'fortran_order': 3, 'shape': None, }",
    "{'descr': '<f4'}",
    "'\\d'",
    "0",
)


def _headed(header: str, data: bytes) -> bytes:
    text = header.encode("latin-1")[:65_000] + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + data[:0] + text + data[128:]


def _meta(value: Any) -> bytes:
    return packed(value)["meta.npy"]


def _written(parts: Parts, kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return stream.getvalue()


def damages(sound: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each kind of damage, and a file of heads with it."""
    parts = parts_of(sound)
    meta = meta_of(parts)

    def other(name: str, data: bytes) -> bytes:
        return _written({**parts, name: data})

    for name, data in parts.items():
        yield f"no {name}", _written({each: kept for each, kept in parts.items() if each != name})
        yield f"{name} empty", other(name, b"")
        yield f"{name} cut", other(name, data[: len(data) // 2])
        for at, header in enumerate(_HEADERS):
            yield f"{name} header {at}", other(name, _headed(header, data))
        values = np.load(io.BytesIO(data))
        if name == "meta.npy":
            continue
        flat = values.ravel()
        shapes = (flat[:0], flat[:1], flat[:1].reshape(()), flat[:-1], values[None], np.repeat(values, 2, 0), values.T)
        for at, shaped in enumerate(shapes):
            yield f"{name} shape {at}", other(name, npy(shaped))
        for dtype in _DTYPES:
            with np.errstate(all="ignore"):
                yield f"{name} as {dtype}", other(name, npy(np.zeros(values.shape, dtype)))
        for number in (np.nan, np.inf, 1e30, -1e30, 0.0, 1e-30):
            with np.errstate(all="ignore"):
                yield f"{name} of {number}", other(name, npy(np.full(values.shape, number).astype(values.dtype)))
        yield f"{name} pickled", other(name, npy(np.array([{"a": 1}], dtype=object)))
    for key in meta:
        yield f"meta without {key}", other("meta.npy", _meta({each: meta[each] for each in meta if each != key}))
        for value in _VALUES:
            yield f"meta {key} {value!r}", other("meta.npy", _meta({**meta, key: value}))
        for value in _VALUES if isinstance(meta[key], dict) else ():
            for inner in meta[key]:
                changed = {**meta, key: {**meta[key], inner: value}}
                yield f"meta {key}.{inner} {value!r}", other("meta.npy", _meta(changed))
    for value in (*_VALUES, 5, [meta]):
        yield f"meta is {value!r}", other("meta.npy", _meta(value))
    deep = np.frombuffer(b"[" * _DEEP, np.uint8)
    yield "meta nested", other("meta.npy", npy(deep))
    yield "a part of another name", _written({**parts, "../evil.npy": parts["meta.npy"]})
    yield "a part that is none", _written({**parts, "evil.txt": b""})
    yield "another compression", _written(parts, zipfile.ZIP_LZMA)
    yield "a bomb", _written({**parts, "meta.npy": npy(np.zeros(90_000_000, np.uint8))}, zipfile.ZIP_DEFLATED)
    whole = sound.read_bytes()
    for tenth in range(10):
        yield f"cut at {tenth}", whole[: len(whole) * tenth // 10]
        flipped = bytearray(whole)
        flipped[-1 - tenth * 7] ^= 0xFF
        yield f"turned round at -{tenth * 7}", bytes(flipped)


def audience_heads(folder: Path) -> Path:
    """A sound file with every kind of map."""
    said = {"joint": {"kind": "one", "editor": "e"}, "length": {"one": [0.1, 40.0]}}
    more = {"kind_agreement": {"one": [0.7, 0.6]}}
    arrays = head_builder.odds_parts() | {"meta": head_builder.meta(**said, **more)}
    return head_builder.save(folder, arrays | {"joke": np.zeros(head_builder.SIZE + 1, np.float32)})


def draft_heads(folder: Path) -> Path:
    """A sound file."""
    dice, size = np.random.default_rng(5), 5 * 8 + 3
    shapes: dict[str, tuple[int, ...]] = {
        "weights": (size,), "words": (WORD_BUCKETS,), "rows": (5, SHAPE), "alpha": (5,), "even_centre": (EVEN,),
        "rows_even": (3, EVEN), "fault_weights": (2, size), "fault_words": (2, WORD_BUCKETS), "fault_alpha": (2, 3),
        "fault_bias": (2,),
    }  # fmt: skip
    ones = {"scale": np.ones(size), "shape_scale": np.ones(SHAPE), "even_scale": np.ones(EVEN)}
    meta = {
        "format": 1, "version": "1", "model_sha256": head_builder.SHA256, "faults": {"tail": 0.0, "plain": 0.0},
        "agreement": 0.8, "agreement_rewritten": 0.7, "gain": 1.0, "fault_gain": 1.0, "length_gamma": 0.1,
        "length_sd": 40.0,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / NAME).open("wb") as stream:
        DraftHeads.write(stream, meta, {**ones, **{name: dice.normal(size=shape) for name, shape in shapes.items()}})
    return folder / NAME


def tried(folder: Path, part: str, data: bytes, engine: Callable[[], FakeEngine] = FakeEngine) -> str:
    """Return the handling of this file among a user's heads by verdicts (``part``: the folder's name): "used", or
    "refused" if verdicts go without it, with its name in a warning. Anything else is raised."""
    profile = Profile.at(folder)
    path = folder / part / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    fake = engine()
    if not profile.models.exists():
        files = MeasuredFiles(Path("nowhere"), profile.models)
        files.save_calibration(known(MainJudge(fake, files)))
    warned: set[bool] = set()
    with closing(Session(profile, Settings(), loader=lambda _file, _settings, _cancel: fake)) as session:
        for events in (session.rate(JOKE, force=True, record=False), session.duel(JOKE, EDITED, record=False)):
            warned.add(_warned(events, path.name))
    if len(warned) > 1:
        raise AssertionError("a rating and a duel differ in what they say of the file")
    if warned == {True}:
        return "refused"
    return "used"


def _warned(events: Iterator[Event], name: str) -> bool:
    *_, last = events
    if not isinstance(last, Finished) or last.result is None:
        raise AssertionError(f"no verdict: {last}")
    return any(name in warning for warning in last.result.warnings)


def run(
    folder: Path, *, every: int = 1, parts: tuple[str, ...] = ("heads", "drafts", "editor")
) -> tuple[int, list[str]]:
    """Try every ``every``-th damage; return the number of tries, and a line for each program fault."""
    count, faults = 0, []
    for part in parts:
        engine: Callable[[], FakeEngine] = FakeEngine
        if part == "editor":
            engine = EditorEngine
            fit(EditorEngine(), folder / "fitted")
            (sound,) = (folder / "fitted" / "editor").glob("*.npz")
            (folder / "profile" / part).mkdir(parents=True)
            card = sound.with_suffix(".json").read_bytes()
            (folder / "profile" / part / NAME).with_suffix(".json").write_bytes(card)
        else:
            sound = {"heads": audience_heads, "drafts": draft_heads}[part](folder / "sound" / part)
        if tried(folder / "profile", part, sound.read_bytes(), engine) != "used":
            faults.append(f"{part}: the sound file isn't used")
        for name, data in islice(damages(sound), None, None, every):
            count += 1
            try:
                tried(folder / "profile", part, data, engine)
            except BaseException as error:  # noqa: BLE001  (any other exception is a fault of the program)
                where = traceback.extract_tb(error.__traceback__)[-1]
                faults.append(f"{part}: {name}: {type(error).__name__} {error} ({where.name})"[:300])
        (folder / "profile" / part / NAME).unlink()
    return count, faults


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        tried_count, found_faults = run(Path(made))
    print(f"{tried_count:,} damaged files of heads, {len(found_faults)} program faults")
    print("\n".join(found_faults))
