"""Files that are no model are refused before llama.cpp reads them."""

import struct

import pytest

from lucca_core.errors import ConfigError
from lucca_llm.local.gguf_file import check_gguf


def header(magic=b'GGUF', version=3, tensors=2, keys=1):
    return struct.pack('<4sIQQ', magic, version, tensors, keys)


@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        (b'', 'is no model in GGUF'),
        (b'GGUF', 'is no model in GGUF'),
        (b'PK\x03\x04' + bytes(40), 'is no model in GGUF'),
        (header(version=99), r'GGUF of version 99; versions \(2, 3\) are known'),
        (header(tensors=0), 'without tensors'),
    ],
)
def test_what_is_no_model_is_named_with_the_reason(tmp_path, content, reason):
    file = tmp_path / 'a.gguf'
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=reason) as caught:
        check_gguf(file)
    assert str(file) in str(caught.value)


def test_a_model_passes(tmp_path):
    file = tmp_path / 'a.gguf'
    file.write_bytes(header() + bytes(100))
    check_gguf(file)


@pytest.mark.parametrize('kind', ['missing', 'folder'])
def test_what_cannot_be_read_is_named(tmp_path, kind):
    file = tmp_path / 'a.gguf'
    if kind == 'folder':
        file.mkdir()
    with pytest.raises(ConfigError, match='cannot be read as a model'):
        check_gguf(file)
