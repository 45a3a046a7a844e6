#!/usr/bin/env bash
# Make the locks anew, after a change of pyproject.toml's dependencies or of the lines below. Locks hold hashes and no
# addresses. One of prebuilt.lock and compiled.lock has llama.cpp; their structures are those of engine/llama_cpp.py.
set -euo pipefail
cd "$(dirname "$0")"

compile() {
    ../.venv/bin/uv pip compile "$@" --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
        --no-annotate
}

compile ../pyproject.toml --extra window --group ../pyproject.toml:dev --no-emit-package xllamacpp "$@" -o requirements.lock
printf 'llama-cpp-python==0.3.36\n' | compile - --no-deps -o compiled.lock
printf 'scikit-build-core[pyproject]\ncmake\nninja\n' | compile - -o build.lock
printf 'cryptography>=42\ndistributed>=2026.1\n' | compile - -c requirements.lock -o cluster.lock
printf 'mcp>=1.20\n' | compile - -c requirements.lock -o agents.lock
headless=$(mktemp)
printf "opencv-python ; sys_platform == 'never'\n" >"$headless" # the headless one takes its place
printf 'rapidocr==3.10.0\nonnxruntime>=1.20\nopencv-python-headless>=4.10\n' |
    compile - --overrides "$headless" -c requirements.lock -o pictures.lock
printf 'xllamacpp==2026.9.11063\n' | compile - --no-deps -o prebuilt.lock
printf 'pyinstaller>=6.11\nclick-man\n' | compile - -o bundle.lock
