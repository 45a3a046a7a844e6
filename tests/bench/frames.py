"""The longest blocks of the window's thread while verdicts are made and a list is ranked:
python -m tests.bench.frames [--model PATH|NAME] [--jokes N].

A timer of the window fires every 5 ms; prints its greatest delay, the number of delays over 50 ms (a person waits so
long for a key or a picture at that moment), and the greatest processor time of the window's thread between two beats,
which other programs don't lengthen. Offscreen, so painting is included, the screen's own part isn't.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.embedded import ensure_embedded
from jokejudge_gui.rubric.xml_parser import parse_first_examples
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.contest.table import Column
from jokejudge_gui.ui.judge_worker import Collector
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow

from .common import processor

BEAT = 0.005
LONG = 0.050


class Heart(QTimer):
    """A timer in the window's thread that keeps the gaps between two timeouts and the processor time in them, in
    seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self.work: list[float] = []
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self.setTimerType(Qt.TimerType.PreciseTimer)
        self.timeout.connect(self.beat)
        self.start(int(BEAT * 1000))

    def beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.gaps.append(now - self._last)
        self.work.append(worked - self._worked)
        self._last, self._worked = now, worked

    def told(self, what: str) -> None:
        """Print the gaps since the last call."""
        late = [gap for gap in self.gaps if gap > LONG]
        longest = max(self.gaps, default=0.0)
        work = 1000 * max(self.work, default=0.0)
        lasted = f"{what:36}{sum(self.gaps):8.1f} s {1000 * longest:8.0f} ms"
        print(f"{lasted} {len(late):6} {work:9.0f} ms", flush=True)
        self.gaps, self.work = [], []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--jokes", type=int, default=1000, help="how long the list is that is ranked; 0: none")
    options = parser.parse_args()
    application = QApplication([])
    Collector(application)
    theme.install(application, "light", 1.0)
    examples = parse_first_examples()
    print(f"machine: {processor()}; model: {options.model or 'embedded'}")
    print(f"{'':36}{'lasted':>10} {'longest':>11} {'> 50 ms':>6} {'processor':>12}")
    heart = Heart()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(model=options.model or str(ensure_embedded(Profile.default())), theme="light")
        session = Session(Profile.at(Path(folder)), settings)
        _ = session.store
        heart.beat()
        heart.told("history opened")
        window = MainWindow(session, examples)
        gc.freeze()  # as in app.py
        window.models.changed.connect(lambda *_: gc.freeze(), Qt.ConnectionType.SingleShotConnection)
        window.resize(1360, 860)
        window.show()
        application.processEvents()
        heart.beat()
        heart.told("window built and painted")
        window.start()
        wait(lambda: window.models.state != "loading")
        heart.told("model loaded")

        for number, joke in enumerate(examples[:3], start=1):
            window.verdicts.ask("rate", {"text": joke})
            wait(lambda: not window.by_kind["rate"].live)
            heart.told(f"rating {number}")
        for number, (a, b) in enumerate(itertools.pairwise(examples[:4]), start=1):
            window.verdicts.ask("duel", {"text_a": a, "text_b": b})
            wait(lambda: not window.by_kind["duel"].live)
            heart.told(f"duel {number}")
        for row in window.pane.model.rows():
            window.open_verdict(row.id)
            pause(100)
        heart.told("six verdicts opened from the history")
        if options.jokes:
            rank(window, heart, examples, options.jokes)
        window.close()
        wait(window.is_closed)


def rank(window: MainWindow, heart: Heart, examples: Sequence[str], count: int) -> None:
    """Put a list in, read, sort, cut, mark and open it again."""
    tab = window.by_kind["contest"]
    assert isinstance(tab, ContestTab)
    jokes = [f"{' '.join(examples[n % len(examples)].split())} ({n})" for n in range(count)]
    window.show_tab("contest")
    tab.list_page.editor.insertPlainText("\n".join(jokes))
    pause(500)
    heart.told(f"list of {count:,} put in and read")
    window.run_current()
    wait(lambda: not tab.live)
    heart.told("read")
    desk = tab.desk
    desk.show_part("all")
    pause(100)
    heart.told("all shown")
    for column in (Column.JOKE, Column.MARK, Column.PLACE):
        desk.table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
        pause(50)
    heart.told("sorted three times")
    for keep in range(0, count, max(1, count // 40)):
        desk.strip.cut.setValue(keep)
        pause(20)
    heart.told("cut moved 40 times")
    for _ in range(40):
        desk.mark("keep")
        pause(20)
    pause(1500)
    heart.told("40 kept and written")
    window.open_verdict(tab.state.id or "")
    pause(500)
    heart.told("opened from the history")


def wait(done: Callable[[], bool]) -> None:
    """Run the window's own loop until ``done``: QTest's blocks the engine's thread."""
    while not done():
        pause(20)


def pause(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    main()
