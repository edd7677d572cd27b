"""How llama.cpp is compiled for a processor."""

import pytest

from lucca_core.processor import llama_options, processor_options

WIDE = {'avx', 'avx2', 'fma', 'f16c', 'bmi2', 'avx512f', 'avx512cd', 'avx512bw', 'avx512dq', 'avx512vl'}


def used(features):
    return {name for name, on in llama_options(features).items() if on}


def test_a_processor_gets_only_what_it_has():
    assert used([]) == set()
    assert used(['avx', 'fma', 'sse4_2']) == {'GGML_AVX', 'GGML_FMA'}


@pytest.mark.parametrize('part', ['avx512f', 'avx512cd', 'avx512bw', 'avx512dq', 'avx512vl'])
def test_half_of_avx512_is_none(part):
    assert 'GGML_AVX512' in used(WIDE)
    found = used({*WIDE, 'avx512_vnni'} - {part})
    assert not {name for name in found if '512' in name}


def test_amx_is_never_used():
    assert not {name for name in used({*WIDE, 'amx_int8', 'amx_tile', 'amx_bf16'}) if 'AMX' in name}


def test_every_option_is_set_or_unset_on_this_processor():
    assert processor_options() in ({}, {**llama_options([]), **processor_options()})
