"""Features of this processor that decide how llama.cpp is compiled."""

import functools
import platform
from collections.abc import Iterable
from pathlib import Path

_SIMPLE = {
    'avx': 'GGML_AVX',
    'avx2': 'GGML_AVX2',
    'fma': 'GGML_FMA',
    'f16c': 'GGML_F16C',
    'bmi2': 'GGML_BMI2',
    'avx_vnni': 'GGML_AVX_VNNI',
}
_AVX512 = frozenset({'avx512f', 'avx512cd', 'avx512bw', 'avx512dq', 'avx512vl'})
_BEYOND_AVX512 = {
    'avx512vbmi': 'GGML_AVX512_VBMI',
    'avx512_vnni': 'GGML_AVX512_VNNI',
    'avx512_bf16': 'GGML_AVX512_BF16',
}


def llama_options(features: Iterable[str]) -> dict[str, bool]:
    """The build options of llama.cpp for a processor with these features, as Linux names them.

    AMX is never used: with it, llama.cpp crashes on weights in Q4_1, the format of SmolLM2.
    """
    known = set(features)
    wide = known >= _AVX512
    options = {option: feature in known for feature, option in _SIMPLE.items()}
    options['GGML_AVX512'] = wide
    options |= {option: wide and feature in known for feature, option in _BEYOND_AVX512.items()}
    return options


@functools.cache
def processor_options() -> dict[str, bool]:
    """The options for this processor; none on processors other than x86, where llama.cpp's default runs everywhere."""
    if platform.machine() not in ('x86_64', 'AMD64'):
        return {}
    for line in Path('/proc/cpuinfo').read_text(encoding='ascii', errors='replace').splitlines():
        name, _, value = line.partition(':')
        if name.strip() == 'flags':
            return llama_options(value.split())
    return llama_options(())
