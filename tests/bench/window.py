"""From the window's start to the first verdict of an example: python -m tests.bench.window [--model PATH|NAME].

Each run (--runs N) is a process of its own; the first has a fresh profile, in which the model is probed, the others go
on with it. A run is: imports, the window, the model, a click on an example and one on Rate, until the verdict is drawn.
Offscreen, so painting is included, the screen's own part isn't. Prints wall-clock and processor seconds; on a busy
machine only the latter are meaningful.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_CHILD = "--child"
_PATIENCE = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(_CHILD, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.model)
        return
    from .common import processor

    print(f"machine: {processor()}")
    command = [sys.executable, "-m", "tests.bench.window", _CHILD]
    command += ["--model", options.model] if options.model else []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1 + options.runs):
            begun = time.time()
            environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has compiled bytecode
            environment |= {"WINDOW_BEGUN": repr(begun), "WINDOW_PROFILE": folder}
            out = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            row = json.loads(out.splitlines()[-1])
            told = ", ".join(f"{name} {value:.2f} s" for name, value in row.items())
            print(f"run {number}: {told}" if number else f"fresh profile: {told}", flush=True)
            rows += [row] if number else []
    for name in ("verdict", "processor"):
        print(f"median {name}: {statistics.median(row[name] for row in rows):.2f} s")


def child(model: str | None) -> None:
    """One start; prints the time of each step since the process was started, as JSON."""
    begun = float(os.environ["WINDOW_BEGUN"])
    gc.disable()  # as in the command
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from jokejudge_gui.core.config import Settings
    from jokejudge_gui.core.paths import Profile
    from jokejudge_gui.library.embedded import ensure_embedded
    from jokejudge_gui.rubric.xml_parser import parse_first_examples
    from jokejudge_gui.session.session import Session
    from jokejudge_gui.ui.judge_worker import Collector
    from jokejudge_gui.ui.look import theme
    from jokejudge_gui.ui.main_window import MainWindow

    def wait(done: object) -> None:
        end = time.monotonic() + _PATIENCE
        while not done():  # type: ignore[operator]
            if time.monotonic() > end:
                raise SystemExit("the window didn't get there in time")
            QTest.qWait(5)
            time.sleep(0.005)  # qWait holds the interpreter lock; the judge needs it too

    seconds = {"imports": time.time() - begun}
    application = QApplication([])
    Collector(application)
    theme.install(application, "light", 1.0)
    examples = parse_first_examples()
    settings = Settings(model=model or str(ensure_embedded(Profile.default())), theme="light")
    window = MainWindow(Session(Profile.at(Path(os.environ["WINDOW_PROFILE"])), settings), examples, load=True)
    window.resize(1360, 860)
    window.show()
    application.processEvents()
    seconds["window"] = time.time() - begun
    tab = window.by_kind["rate"]
    tab.set_texts(examples[0])
    tab.run()
    wait(lambda: tab.result is not None and not tab.live)
    window.grab()
    seconds["verdict"] = time.time() - begun
    usage = os.times()
    seconds["processor"] = usage.user + usage.system
    window.close()
    wait(window.is_closed)
    print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main()
