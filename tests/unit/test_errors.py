"""An error is an object of its class in the program, and data on the way; nothing of it is lost between the two."""

from __future__ import annotations

import pytest

from jokejudge_gui.core import errors
from jokejudge_gui.core.errors import (
    CriteriaError,
    EngineError,
    EngineSetupError,
    ErrorInfo,
    HistoryError,
    InputError,
    JokeJudgeError,
    ModelError,
    OutputError,
    SettingsError,
    UsageError,
)


@pytest.mark.parametrize(
    "kind", [JokeJudgeError, InputError, UsageError, ModelError, EngineError, EngineSetupError, OutputError]
)
def test_an_error_comes_back_from_data_as_its_own_class(kind: type[JokeJudgeError]) -> None:
    back = errors.restore(
        ErrorInfo.model_validate_json(errors.info(kind("E_X", "It broke.", "Mend it.")).model_dump_json())
    )
    assert type(back) is kind
    assert (back.code, back.sentence, back.hint) == ("E_X", "It broke.", "Mend it.")
    assert back.exit_status == kind.exit_status


@pytest.mark.parametrize(
    "kind", [SettingsError, OutputError, EngineSetupError, ModelError, HistoryError, CriteriaError]
)
def test_what_every_row_would_meet_ends_the_run(kind: type[JokeJudgeError]) -> None:
    assert errors.info(kind("E_X", "It broke.")).ends_the_run
