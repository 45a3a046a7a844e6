"""llama.cpp's C interface: the functions, structures and constants that the engine uses, as of llama.cpp 0.5 (b11063).

They are declared here because llama-cpp-python, which has all of them, compiles llama.cpp when it is installed. Its
library is taken where it is there, compiled for this processor; else the prebuilt one of xllamacpp, whose structures
are the same."""

from __future__ import annotations

import ctypes
import platform
import sys
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int8, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from ..core.errors import EngineSetupError
from ..core.lazily import np, npt
from ..core.paths import how_to_compile, how_to_mend

VERSION = "0.3.36"
"""The version of llama-cpp-python with these structures."""
LLAMA_VOCAB_TYPE_BPE, LLAMA_POOLING_TYPE_NONE, LLAMA_FLASH_ATTN_TYPE_ENABLED = 2, 0, 1
_PLACES = ("llama_cpp/lib/libllama", "xllamacpp/xllamacpp.abi3", "xllamacpp/xllamacpp")
_X86_FLAGS = frozenset({"avx2", "fma", "f16c", "bmi2"})
"""CPU features that the prebuilt library was compiled for on x86-64, as in packaging/machine.py."""

llama_token = c_int32
llama_log_callback = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
llama_progress_callback = ctypes.CFUNCTYPE(c_bool, c_float, c_void_p)
ggml_abort_callback = ctypes.CFUNCTYPE(c_bool, c_void_p)


class llama_model_params(ctypes.Structure):
    _fields_ = (
        *(("devices", c_void_p), ("tensor_buft_overrides", c_void_p), ("n_gpu_layers", c_int32)),
        *((name, c_int32) for name in ("split_mode", "load_mode", "lazy_mode", "main_gpu")),
        *(("tensor_split", c_void_p), ("progress_callback", llama_progress_callback)),
        *(("progress_callback_user_data", c_void_p), ("kv_overrides", c_void_p)),
        *((name, c_bool) for name in ("vocab_only", "check_tensors", "use_extra_bufts", "no_host", "no_alloc")),
        ("load_mtp", c_bool),
    )


class llama_context_params(ctypes.Structure):
    _fields_ = (
        *((name, c_uint32) for name in ("n_ctx", "n_batch", "n_ubatch", "n_seq_max", "n_rs_seq", "n_outputs_max")),
        *(("n_outputs_max_per_seq", c_uint32), ("n_threads", c_int32), ("n_threads_batch", c_int32)),
        *((name, c_int32) for name in ("ctx_type", "rope_scaling_type", "pooling_type", "attention_type")),
        *(("flash_attn_type", c_int32), ("rope_freq_base", c_float), ("rope_freq_scale", c_float)),
        *((f"yarn_{name}", c_float) for name in ("ext_factor", "attn_factor", "beta_fast", "beta_slow")),
        *(("yarn_orig_ctx", c_uint32), ("defrag_thold", c_float), ("cb_eval", c_void_p)),
        *(("cb_eval_user_data", c_void_p), ("type_k", c_int32), ("type_v", c_int32)),
        *(("abort_callback", c_void_p), ("abort_callback_data", c_void_p)),
        *((name, c_bool) for name in ("embeddings", "offload_kqv", "no_perf", "op_offload", "swa_full", "kv_unified")),
        *(("samplers", c_void_p), ("n_samplers", c_size_t), ("ctx_other", c_void_p)),
    )


class llama_sampler_chain_params(ctypes.Structure):
    _fields_ = (("no_perf", c_bool),)


class llama_batch(ctypes.Structure):
    _fields_ = (
        *(("n_tokens", c_int32), ("token", POINTER(c_int32)), ("embd", POINTER(c_float)), ("pos", POINTER(c_int32))),
        *(("n_seq_id", POINTER(c_int32)), ("seq_id", POINTER(POINTER(c_int32))), ("logits", POINTER(c_int8))),
    )


class _ggml_type_traits(ctypes.Structure):
    _fields_ = (
        *(("type_name", c_char_p), ("blck_size", c_int64), ("blck_size_interleave", c_int64)),
        *(("type_size", c_size_t), ("is_quantized", c_bool)),
        ("to_float", ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_int64)),
    )


_P, _I, _S = c_void_p, c_int32, c_char_p
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "ggml_get_type_traits": (POINTER(_ggml_type_traits), _I),
    "ggml_quantize_chunk": (c_size_t, _I, _P, _P, c_int64, c_int64, c_int64, _P),
    "llama_adapter_lora_init": (_P, _P, _S),
    "llama_set_adapters_lora": (_I, _P, POINTER(_P), c_size_t, POINTER(c_float)),
    "llama_backend_init": (None,),
    "llama_context_default_params": (llama_context_params,),
    "llama_decode": (_I, _P, llama_batch),
    "llama_free llama_model_free llama_sampler_free": (None, _P),
    "llama_get_embeddings_ith llama_get_logits_ith": (POINTER(c_float), _P, _I),
    "llama_get_memory llama_model_get_vocab": (_P, _P),
    "llama_init_from_model": (_P, _P, llama_context_params),
    "llama_log_set": (None, llama_log_callback, _P),
    "llama_memory_clear llama_set_embeddings": (None, _P, c_bool),
    "llama_memory_seq_cp": (None, _P, _I, _I, _I, _I),
    "llama_memory_seq_rm": (c_bool, _P, _I, _I, _I),
    "llama_model_chat_template": (_S, _P, _S),
    "llama_model_default_params": (llama_model_params,),
    "llama_model_has_decoder llama_model_has_encoder llama_model_is_hybrid "
    "llama_model_is_recurrent llama_vocab_get_add_bos": (c_bool, _P),
    "llama_model_load_from_file": (_P, _S, llama_model_params),
    "llama_model_n_ctx_train llama_model_n_embd llama_model_n_swa llama_vocab_bos "
    "llama_vocab_eos llama_vocab_n_tokens llama_vocab_type": (_I, _P),
    "llama_n_batch llama_n_ctx": (c_uint32, _P),
    "llama_print_system_info": (_S,),
    "llama_sampler_chain_add": (None, _P, _P),
    "llama_sampler_chain_default_params": (llama_sampler_chain_params,),
    "llama_sampler_chain_init": (_P, llama_sampler_chain_params),
    "llama_sampler_init_dist": (_P, c_uint32),
    "llama_sampler_init_grammar": (_P, _P, _S, _S),
    "llama_sampler_init_greedy": (_P,),
    "llama_sampler_init_penalties": (_P, _I, _I, c_float, c_float, c_float),
    "llama_sampler_init_temp": (_P, c_float),
    "llama_sampler_sample": (_I, _P, _P, _I),
    "llama_set_abort_callback": (None, _P, ggml_abort_callback, _P),
    "llama_set_n_threads": (None, _P, _I, _I),
    "llama_state_seq_get_data llama_state_seq_set_data": (c_size_t, _P, POINTER(c_uint8), c_size_t, _I),
    "llama_state_seq_get_size": (c_size_t, _P, _I),
    "llama_supports_gpu_offload": (c_bool,),
    "llama_token_to_piece": (_I, _P, _I, _S, _I, _I, c_bool),
    "llama_tokenize": (_I, _P, _S, _I, POINTER(c_int32), _I, c_bool, c_bool),
    "llama_vocab_get_text": (_S, _P, _I),
    "llama_vocab_is_eog": (c_bool, _P, _I),
}
"""The types of functions' results and arguments, by the names of the functions that share them."""
_FUNCTIONS = {name: types for names, types in _SIGNATURES.items() for name in names.split()}


def find_library() -> Path | None:
    """Return the library's file without loading it; None if there is none."""
    files = (Path(folder, place + end) for place in _PLACES for folder in sys.path for end in (".so", ".dylib"))
    return next((file for file in files if file.is_file()), None)


def is_prebuilt() -> bool:
    """Whether the library is the prebuilt one, which an older set-up linked under the other's name."""
    library = find_library()
    return library is not None and library.resolve().name.startswith("xllamacpp")


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Raise ``EngineSetupError`` ``E_ENGINE_PROCESSOR`` if the library is the prebuilt one and the processor lacks
    features that it was compiled for: the process would end with an illegal instruction, as in a package moved to an
    older machine."""
    if platform.machine() != "x86_64" or not is_prebuilt():
        return
    try:
        lines = cpuinfo.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    missing = [] if flags is None else sorted(_X86_FLAGS.difference(flags))
    if missing:
        sentence = f"This processor has no {', '.join(missing).upper()}, which the llama.cpp in this program needs."
        raise EngineSetupError("E_ENGINE_PROCESSOR", sentence, how_to_compile())


@cache
def _loaded() -> ctypes.CDLL:
    library = find_library()
    if library is None:
        raise ImportError("there is no library of llama.cpp", name="llama_cpp")
    check_processor()
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise ImportError(str(error), name="llama_cpp") from error


def floats(rows: npt.NDArray[np.uint8], kind: int) -> npt.NDArray[np.float32]:
    """Return a tensor's rows of bytes as numbers; ``kind``: the number of its quantisation, one of ``TENSOR_TYPES``.
    Raises ``ValueError`` for one that llama.cpp doesn't read any more."""
    if kind == 0:
        return rows.view(np.float32)
    traits = sys.modules[__name__].ggml_get_type_traits(kind).contents
    if not traits.to_float:
        raise ValueError("an old quantisation")
    plain = np.empty((len(rows), rows.shape[1] // traits.type_size * traits.blck_size), np.float32)
    traits.to_float(np.ascontiguousarray(rows).ctypes.data, plain.ctypes.data, plain.size)
    return plain


def in_q8_0(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Return rows of numbers in Q8_0."""
    count, width = rows.shape
    quantised = np.empty((count, width // 32 * 34), np.uint8)
    data = np.ascontiguousarray(rows).ctypes.data, quantised.ctypes.data
    sys.modules[__name__].ggml_quantize_chunk(8, *data, 0, count, width, None)
    return quantised


def __getattr__(name: str) -> Any:
    """Return a function, bound when it is first asked for; the library is loaded with the first one. Raises
    ``ImportError`` if there is none or it can't be loaded."""
    if name not in _FUNCTIONS:
        raise AttributeError(name)
    try:
        function = getattr(_loaded(), name)
    except AttributeError as error:
        raise EngineSetupError(
            "E_ENGINE_LACKS", f"This build of llama.cpp can't do that: it has no {name}.", how_to_mend()
        ) from error
    function.restype, *function.argtypes = _FUNCTIONS[name]
    globals()[name] = function
    return function
