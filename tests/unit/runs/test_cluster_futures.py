"""What a batch over a cluster makes of its rows: the cluster is a stand-in, whose futures go as each test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")  # cluster_worker needs it

from jokejudge_gui.batch.cluster import cluster_batch
from jokejudge_gui.batch.cluster_worker import RowResult
from jokejudge_gui.batch.lines import Row, RowsFile, Tally
from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Cancelled, Event, Failed, Finished, RowBegun

MADE = {"model": "m"}
ROWS = tuple(Row(line=2 + n, id=f"r{n}", texts=(f"Joke {n}.",)) for n in range(3))
State = tuple[str, Any]


class KilledWorker(Exception):
    """Called as Dask's."""


class Future:
    """Goes through ``states``, pairs of a status and what it gives; comes back once in each of them, if it is waited
    for."""

    def __init__(self, states: list[State]) -> None:
        self._states = states
        self._last = states[0]

    def add_done_callback(self, call: Callable[[Future], None]) -> None:
        self._last = self._states.pop(0) if self._states else self._last
        call(self)

    @property
    def status(self) -> str:
        return self._last[0]

    def result(self, timeout: float) -> RowResult:
        assert timeout > 0
        given = self._last[1]
        if isinstance(given, Exception):
            if self._states:  # it was lost meanwhile
                self._last = self._states.pop(0)
            raise given
        assert isinstance(given, RowResult)
        return given

    def exception(self) -> Any:
        return self._last[1]

    def release(self) -> None:
        pass


@dataclass
class StandIn:
    """Both the cluster and its client."""

    futures: dict[str, list[State]]
    status: str = "running"
    address: str = "tcp://node1:8786"

    @property
    def client(self) -> StandIn:
        return self

    def workers(self) -> int:
        return 1

    def submit(self, _task: object, _kind: str, row: Row, *_options: object, pure: bool) -> Future:
        assert row.id is not None
        assert not pure
        return Future(self.futures.get(row.id, [finished(row.id)]))


def finished(id: str, **made: str) -> State:
    return "finished", RowResult({"id": id, "error": None}, MADE | made)


Run = Callable[..., Event]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def run(out: Path) -> Iterator[Run]:
    """The last event of a run over ``ROWS``, of which those named go another way than at once to their line."""
    file = RowsFile(out, "rate")

    def call(**futures: list[State]) -> Event:
        *begun, last = cluster_batch(StandIn(futures), "rate", ROWS, file, Tally(len(ROWS)))  # type: ignore[arg-type]
        assert all(isinstance(event, RowBegun) for event in begun)
        return last

    yield call
    file.close()


def codes(out: Path) -> dict[str, str | None]:
    """The rows that have a line, and what went wrong with each."""
    told = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    return {line["id"]: line["error"] and line["error"]["code"] for line in told}


@pytest.mark.parametrize(
    "way",
    [
        [("lost", None)],
        [("pending", None), ("lost", None)],
        [("finished", OSError("its worker has gone")), ("pending", None)],
        [("finished", TimeoutError())],
    ],
    ids=["lost", "lost twice", "lost while it is fetched", "fetched too long"],
)
def test_a_row_whose_worker_ended_before_its_line_was_fetched_is_waited_for_again(
    run: Run, out: Path, way: list[State]
) -> None:
    assert isinstance(run(r1=[*way, finished("r1")]), Finished)
    assert codes(out) == {"r0": None, "r1": None, "r2": None}


def test_a_row_that_ended_one_worker_after_another_is_an_error_line(run: Run, out: Path) -> None:
    assert isinstance(run(r0=[("error", KilledWorker())]), Finished)
    assert codes(out) == {"r0": "E_CLUSTER_WORKER", "r1": None, "r2": None}


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (("error", ImportError()), "E_CLUSTER_FAULT"),
        (("cancelled", None), "E_CLUSTER_GONE"),
        (finished("r1", model="another"), "E_CLUSTER_MIXED"),
        (("finished", RowResult(None, MADE, ErrorInfo(code="E_FULL", sentence="No.", hint="Make room."))), "E_FULL"),
    ],
    ids=["a worker's fault", "no scheduler", "another model", "what ends the run"],
)
def test_what_no_other_row_would_survive_ends_the_run_with_the_lines_before(
    run: Run, out: Path, state: State, code: str
) -> None:
    last = run(r1=[state])
    assert isinstance(last, Failed)
    assert last.error.code == code
    assert codes(out) == {"r0": None}


def test_a_worker_that_was_stopped_stops_the_run(run: Run, out: Path) -> None:
    assert isinstance(run(r1=[("finished", RowResult(None, MADE))]), Cancelled)
    assert codes(out) == {"r0": None}


def test_a_fault_of_the_program_that_dask_hands_on_is_not_taken_for_a_lost_row(run: Run) -> None:
    with pytest.raises(ValueError, match="not a line"):
        run(r1=[("finished", ValueError("not a line"))])
