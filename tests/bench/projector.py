"""llama.cpp's projector for pictures (mtmd) on this machine: python -m tests.bench.projector [--model PATH|NAME].

No trained projector is available here, so one of random weights is made that fits the model: it tests the passing of
pictures to a model, not the model's understanding of them. Prints whether the bindings' structs and known defaults are
the library's, the cost of a picture, whether its positions can be forked and read again to the last bit, and the
outcome with unsound projectors. Each case is a process of its own.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine import prebuilt
from jokejudge_gui.engine.binding import build_id
from jokejudge_gui.library.finder import resolve_model

KNOWN = {
    "print_timings": True, "n_threads": 4, "media_marker": b"<__media__>", "flash_attn_type": -1, "warmup": True,
    "image_min_tokens": -1, "image_max_tokens": -1, "batch_max_tokens": 1024,
}  # fmt: skip
"""Defaults in llama.cpp's header for llama-cpp-python 0.3.36: another layout would show other numbers."""
SIDE, PATCH, WIDTH, INNER, LAYERS, HEADS = 56, 14, 64, 128, 2, 4
SEQUENCES = 3
JOKE = "<__media__> A bank is a place that lends you an umbrella in fair weather."
UNSOUND = {
    "of another width": {"out": 512},
    "cut off": {"bytes": 900_000},
    "a patch of no pixels": {"patch": 0},
    "no attention heads": {"heads": 0},
    "more positions than it has": {"side": 1400},
}


def write_projector(path: Path, *, out: int, heads: int = HEADS, side: int = SIDE, patch: int = PATCH) -> None:
    """Write a LLaVA projector of random weights for a model whose states have ``out`` numbers, with ``heads``, ``side``
    and ``patch`` in its header."""
    import gguf

    draw = np.random.default_rng(29)
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "mlp")
    sizes = {
        "embedding_length": WIDTH, "feed_forward_length": INNER, "block_count": LAYERS, "projection_dim": out,
        "image_size": side, "patch_size": patch, "attention.head_count": heads,
    }  # fmt: skip
    for name, size in sizes.items():
        writer.add_uint32(f"clip.vision.{name}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)

    def add(name: str, *shape: int) -> None:
        values = draw.standard_normal(shape) / np.sqrt(shape[-1] if len(shape) > 1 else 2500)
        writer.add_tensor(name, values.astype(np.float32))

    def linear(name: str, rows: int, columns: int) -> None:
        add(f"{name}.weight", rows, columns)
        add(f"{name}.bias", rows)

    add("v.patch_embd.weight", WIDTH, 3, PATCH, PATCH)
    add("v.class_embd", WIDTH)
    add("v.position_embd.weight", (SIDE // PATCH) ** 2 + 1, WIDTH)
    for norm in ["v.pre_ln", *(f"v.blk.{layer}.{name}" for layer in range(LAYERS) for name in ("ln1", "ln2"))]:
        writer.add_tensor(f"{norm}.weight", np.ones(WIDTH, np.float32))
        add(f"{norm}.bias", WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            linear(f"v.blk.{layer}.{name}", WIDTH, WIDTH)
        linear(f"v.blk.{layer}.ffn_up", INNER, WIDTH)
        linear(f"v.blk.{layer}.ffn_down", WIDTH, INNER)
    linear("mm.0", out, WIDTH)
    linear("mm.2", out, out)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Seeing:
    """A model with a projector, by the bindings' low level. Raises ``ValueError`` where llama.cpp refuses it."""

    def __init__(self, model: Path, projector: Path) -> None:
        import llama_cpp
        from llama_cpp import mtmd_cpp

        self.llama, self.mtmd = llama_cpp, mtmd_cpp
        llama_cpp.llama_backend_init()
        how = llama_cpp.llama_model_default_params()
        how.n_gpu_layers = 0
        self.model = llama_cpp.llama_model_load_from_file(str(model).encode(), how)
        size = llama_cpp.llama_context_default_params()
        size.n_ctx, size.n_seq_max, size.n_threads, size.n_threads_batch = 1024, SEQUENCES, 1, 1
        self.context = llama_cpp.llama_init_from_model(self.model, size)
        self.memory = llama_cpp.llama_get_memory(self.context)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        params = mtmd_cpp.mtmd_context_params_default()
        params.use_gpu, params.print_timings, params.warmup, params.n_threads = False, False, False, 1
        self.eye: Any = mtmd_cpp.mtmd_init_from_file(str(projector).encode(), self.model, params)
        if not self.eye:
            raise ValueError("llama.cpp refuses it")

    def see(self, picture: np.ndarray[Any, Any]) -> int:
        """Put a picture (RGB) at the beginning of sequence 0: encode it, decode its positions; return their number."""
        pixels = np.ascontiguousarray(picture, dtype=np.uint8)
        data = (ctypes.c_uint8 * pixels.size).from_buffer(pixels)
        bitmap = self.mtmd.mtmd_bitmap_init(pixels.shape[1], pixels.shape[0], data)
        part = self.mtmd.mtmd_input_part(bitmap=bitmap)  # without text: a joke that contains the marker is only text
        parts = (ctypes.POINTER(self.mtmd.mtmd_input_part) * 1)(ctypes.pointer(part))
        chunks = self.mtmd.mtmd_input_chunks_init()
        past = self.llama.llama_pos(0)
        try:
            if self.mtmd.mtmd_tokenize_from_parts(self.eye, chunks, parts, 1, False) != 0:
                raise ValueError("the picture can't be cut into tokens")
            for index in range(self.mtmd.mtmd_input_chunks_size(chunks)):
                chunk = self.mtmd.mtmd_input_chunks_get(chunks, index)
                if self.mtmd.mtmd_input_chunk_get_type(chunk) != self.mtmd.MTMD_INPUT_CHUNK_TYPE_IMAGE:
                    continue
                if self.mtmd.mtmd_encode_chunk(self.eye, chunk) != 0:
                    raise ValueError("the picture can't be encoded")
                states = self.mtmd.mtmd_get_output_embd(self.eye)
                after = self.mtmd.mtmd_helper_post_decode_callback(0)
                place = (past.value, 0, 512, ctypes.byref(past), after, None)
                if self.mtmd.mtmd_helper_decode_image_chunk(self.eye, self.context, chunk, states, *place) != 0:
                    raise ValueError("the picture can't be decoded")
        finally:
            self.mtmd.mtmd_input_chunks_free(chunks)
            self.mtmd.mtmd_bitmap_free(bitmap)
        return int(past.value)

    def logits(self, picture: np.ndarray[Any, Any] | None, text: str) -> list[np.ndarray[Any, Any]]:
        """Logits after ``text`` following the picture, in sequence 0 and in each that is forked from it."""
        llama = self.llama
        llama.llama_memory_clear(self.memory, True)
        begin = 0 if picture is None else self.see(picture)
        for sequence in range(1, SEQUENCES):
            llama.llama_memory_seq_cp(self.memory, 0, sequence, -1, -1)
        room, data = (llama.llama_token * 256)(), text.encode()
        count = llama.llama_tokenize(self.vocabulary, data, len(data), room, 256, False, False)
        found = []
        for sequence in range(SEQUENCES):
            batch = llama.llama_batch_init(count, 0, 1)
            batch.n_tokens = count
            for at in range(count):
                batch.token[at], batch.pos[at], batch.n_seq_id[at] = room[at], begin + at, 1
                batch.seq_id[at][0], batch.logits[at] = sequence, at == count - 1
            status = llama.llama_decode(self.context, batch)
            llama.llama_batch_free(batch)
            if status != 0:
                raise ValueError("the text can't be decoded")
            row = llama.llama_get_logits_ith(self.context, count - 1)
            found.append(np.ctypeslib.as_array(row, (llama.llama_vocab_n_tokens(self.vocabulary),)).copy())
        return found


def picture(seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 256, (240, 320, 3), dtype=np.uint8)


def look(model: Path, projector: Path) -> None:
    """A child's work: read a text after no picture, one, the same again, and another; print the differences."""
    seeing = Seeing(model, projector)
    began = time.process_time()
    positions = seeing.see(picture(1))
    spent = time.process_time() - began
    blind, one, again, other = (seeing.logits(each, JOKE) for each in (None, picture(1), picture(1), picture(2)))
    forked = all(np.array_equal(each[0], copy) for each in (blind, one, other) for copy in each[1:])
    print(f"a picture of 320 × 240 pixels: {positions} positions, {spent:.2f} s of processor")
    print(f"forked sequences: {'equal to the last bit' if forked else 'DIFFER'}")
    print(f"the same picture again: {'equal to the last bit' if np.array_equal(one[0], again[0]) else 'DIFFERS'}")
    apart = [float(np.abs(one[0] - each[0]).max()) for each in (blind, other)]
    print(f"log-odds of the next token: up to {apart[0]:.2f} from no picture, {apart[1]:.2f} from another one")


def ended(status: int) -> str:
    """The end of a child, in words."""
    return "done" if status == 0 else signal.Signals(-status).name if status < 0 else "refused by llama.cpp"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.projector", description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--look", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.look:
        try:
            look(*options.look)
        except ValueError as error:
            sys.exit(str(error))
        return
    from llama_cpp import mtmd_cpp

    model = resolve_model(options.model, Profile.default()).path
    print(f"{build_id()}; mtmd functions that the library lacks: ", end="")
    print(", ".join(sorted(name for name in prebuilt.lacking if name.startswith("mtmd"))) or "none")
    params = mtmd_cpp.mtmd_context_params_default()
    wrong = [f"{name} {getattr(params, name)}" for name, value in KNOWN.items() if getattr(params, name) != value]
    size = ctypes.sizeof(mtmd_cpp.mtmd_context_params)
    print(f"mtmd_context_params: {size} bytes here; known defaults: {', '.join(wrong) or 'all as they should be'}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mmproj.gguf"
        width = width_of(model)
        for name, how in {"sound": {}, **UNSOUND}.items():
            keep = {key: value for key, value in how.items() if key != "bytes"}
            write_projector(path, **{"out": width, **keep})
            if "bytes" in how:
                path.write_bytes(path.read_bytes()[: how["bytes"]])
            command = [sys.executable, "-m", "tests.bench.projector", "--look", str(model), str(path)]
            quiet = {**os.environ, "GGML_NO_BACKTRACE": "1"}
            done = subprocess.run(command, capture_output=True, text=True, env=quiet, check=False)
            print(f"{name} ({path.stat().st_size / 1e6:.1f} MB): {ended(done.returncode)}")
            print("".join(f"  {line}\n" for line in done.stdout.splitlines()), end="", flush=True)


def width_of(model: Path) -> int:
    """The size of a model's states, by its header."""
    import gguf

    fields = gguf.GGUFReader(model).fields
    [name] = [name for name in fields if name.endswith(".embedding_length")]
    return int(fields[name].parts[-1][0])


if __name__ == "__main__":
    main()
