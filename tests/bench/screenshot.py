"""Makes the README's picture with the program and its embedded model: python -m tests.bench.screenshot OUT.png."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.embedded import ensure_embedded
from jokejudge_gui.rubric.xml_parser import parse_first_examples
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow

PATIENCE = 200.0


def main(target: Path) -> None:
    application = QApplication([])
    theme.install(application, "light", 1.0, reduced_motion=True)
    examples = parse_first_examples()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(model=str(ensure_embedded(Profile.default())), theme="light", reduced_motion=True)
        window = MainWindow(Session(Profile.at(Path(folder)), settings), examples)
        window.resize(1360, 860)
        window.show()
        window.start()
        wait(lambda: window.models.state != "loading")
        window.runs.ask("duel", {"text_a": examples[0], "text_b": examples[1]})
        wait(lambda: not window.by_kind["duel"].live)
        for joke in (examples[3], examples[2], examples[1], examples[0]):
            window.by_kind["rate"].joke.set_text(joke)
            window.runs.ask("rate", {"text": joke})
            wait(lambda: not window.by_kind["rate"].live)
        QTest.qWait(500)
        window.grab().save(str(target))
        window.by_kind["duel"].set_texts(examples[0], examples[1])
        window.open_verdict(window.pane.model.rows()[-1].id)
        QTest.qWait(300)
        window.grab().save(str(target.with_name(f"{target.stem}-duel.png")))
        window.close()
        wait(window.is_closed)


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise SystemExit("the window didn't get there in time")
        QTest.qWait(20)
        time.sleep(0.05)  # qWait holds the interpreter; the judge needs it too


if __name__ == "__main__":
    main(Path(sys.argv[1]))
