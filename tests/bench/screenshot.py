"""Pictures of the window: python -m tests.bench.screenshot OUT.png makes the README's with the embedded model;
python -m tests.bench.screenshot FOLDER [WORD…] one of every state in whose name all words stand, in light and dark and
at four sizes (``rate_no_turn_small_dark``), with an engine in name only."""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.embedded import ensure_embedded
from jokejudge_gui.rubric.xml_parser import parse_first_examples
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow

PATIENCE = 200.0
SHOWN = "The baker quit his job because he didn't knead the money."


def main(target: Path) -> None:
    application = QApplication([])
    theme.install(application, "light", 1.0)
    examples = parse_first_examples()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(model=str(ensure_embedded(Profile.default())), theme="light")
        window = MainWindow(Session(Profile.at(Path(folder)), settings), examples)
        window.resize(1360, 860)
        window.show()
        window.start()
        wait(lambda: window.models.state != "loading")
        window.verdicts.ask("duel", {"text_a": examples[0], "text_b": examples[1]})
        wait(lambda: not window.by_kind["duel"].live)
        for joke in (*examples[3:0:-1], SHOWN):
            window.by_kind["rate"].joke.set_text(joke)
            window.verdicts.ask("rate", {"text": joke})
            wait(lambda: not window.by_kind["rate"].live)
        QTest.qWait(500)
        window.grab().save(str(target))
        window.by_kind["duel"].set_texts(examples[0], examples[1])
        window.open_verdict(window.pane.model.rows()[-1].id)
        QTest.qWait(300)
        window.grab().save(str(target.with_name(f"{target.stem}-duel.png")))
        window.close()
        wait(window.is_closed)


def states(folder: Path, words: list[str]) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))
    import shots

    QApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    for size, mode in itertools.product(shots.SIZES, ("light", "dark")):
        wanted = [name for name in shots.STATES if all(word in f"{name}_{size}_{mode}" for word in words)]
        shared = [name for name in wanted if not name.startswith(shots.ALONE)]
        for together in (shared, *([name] for name in wanted if name not in shared)):
            if together:
                with tempfile.TemporaryDirectory() as place:
                    window = shots.open_window(Profile.at(Path(place)), together[0], size, mode)
                    for name in together:
                        picture(window, shots.put_in(window, name)).save(str(folder / f"{name}_{size}_{mode}.png"))
                    shots.close_dialogs()
                    window.close()
                    wait(window.is_closed)


def picture(window: QWidget, shown: QWidget) -> QPixmap:
    """The shown widget, with the menu over it."""
    QTest.qWait(150)
    found = shown.grab()
    menu = QApplication.activePopupWidget()
    if menu is not None:
        painter = QPainter(found)
        painter.drawPixmap(window.mapFromGlobal(menu.pos()), menu.grab())
        painter.end()
    return found


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > end:
            raise SystemExit("the window didn't get there in time")
        QTest.qWait(20)
        time.sleep(0.05)  # qWait holds the interpreter lock; the judge needs it too


if __name__ == "__main__":
    target = Path(sys.argv[1])
    main(target) if target.suffix else states(target, sys.argv[2:])
