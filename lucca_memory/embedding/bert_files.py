"""The weights of BERT and of MPNet, its relative, from a folder in Hugging Face's layout.

The layout is `config.json`, `vocab.txt` and `model.safetensors`. The weights stay in the file and are mapped into
memory: loading takes no time, and all nodes of a machine share one copy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lucca_core.errors import ModelUnusable
from lucca_core.json_text import parse_json
from lucca_core.regular_file import check_regular, read_regular_text
from lucca_memory.embedding.wordpiece import BERT_MARKS, Marks, WordPiece

Floats = NDArray[np.float32]
Scaling = tuple[Floats, Floats]
"""Weight and bias of a layer norm."""
Linear = tuple[Floats, Floats]
"""A matrix (in, out), and the bias."""

WEIGHTS_FILE = 'model.safetensors'


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer."""

    query: Linear
    key: Linear
    value: Linear
    mix: Linear
    mix_norm: Scaling
    widen: Linear
    narrow: Linear
    narrow_norm: Scaling


@dataclass(frozen=True, slots=True)
class BertNetwork:
    """A sentence encoder: its tokenizer, and its weights.

    `nearness` (buckets, heads) is added to the attention between two tokens according to their distance; None in BERT.
    `second_text` (d,) is added to the tokens of the second of two texts; None in MPNet.
    """

    tokenizer: WordPiece
    words: Floats
    positions: Floats
    norm: Scaling
    layers: tuple[Layer, ...]
    nearness: Floats | None
    second_text: Floats | None
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Family:
    """How models of one type name their parts, and what sets them apart."""

    attention: Mapping[str, str]
    marks: Marks
    max_tokens: int
    """The longest text, in tokens, that the sentence encoder of this type was trained on."""
    first_position: int = 0
    sentence_kinds: str = ''
    nearness: str = ''


_FAMILIES = {
    'bert': _Family(
        attention={
            'query': 'attention.self.query',
            'key': 'attention.self.key',
            'value': 'attention.self.value',
            'mix': 'attention.output.dense',
            'norm': 'attention.output.LayerNorm',
        },
        marks=BERT_MARKS,
        max_tokens=256,
        sentence_kinds='embeddings.token_type_embeddings.weight',
    ),
    'mpnet': _Family(
        attention={
            'query': 'attention.attn.q',
            'key': 'attention.attn.k',
            'value': 'attention.attn.v',
            'mix': 'attention.attn.o',
            'norm': 'attention.LayerNorm',
        },
        marks=Marks('<s>', '</s>', '[UNK]', between=2),
        max_tokens=384,
        # The first two positions are those of padding.
        first_position=2,
        nearness='encoder.relative_attention_bias.weight',
    ),
}


def read_network(folder: Path) -> BertNetwork:
    """Reads a sentence encoder; texts longer than those it was trained on are cut.

    Raises:
        ModelUnusable: the folder holds no such model, or one with unsupported parts.
    """
    try:
        settings = parse_json(read_regular_text(folder / 'config.json'))
        family = _FAMILIES.get(settings['model_type'])
        if family is None or settings['hidden_act'] != 'gelu':
            raise ModelUnusable(
                f'{folder} holds a {settings["model_type"]} model; only BERT and MPNet models with gelu can be read'
            )
        tensor = _read_safetensors(folder / WEIGHTS_FILE).__getitem__
        positions = tensor('embeddings.position_embeddings.weight')[family.first_position :]
        second_text = None
        if family.sentence_kinds:
            kinds = tensor(family.sentence_kinds)
            # Most texts are first sentences, so their token type is added in advance.
            positions, second_text = positions + kinds[0], kinds[1] - kinds[0]
        return BertNetwork(
            tokenizer=WordPiece.load(folder / 'vocab.txt', family.max_tokens, family.marks),
            words=tensor('embeddings.word_embeddings.weight'),
            positions=positions,
            norm=_pair(tensor, 'embeddings.LayerNorm'),
            layers=tuple(_layer(tensor, family, number) for number in range(int(settings['num_hidden_layers']))),
            nearness=tensor(family.nearness) if family.nearness else None,
            second_text=second_text,
            heads=int(settings['num_attention_heads']),
            epsilon=float(settings['layer_norm_eps']),
        )
    except (OSError, ValueError, LookupError) as error:
        raise ModelUnusable(f'{folder} contains no BERT sentence encoder: {error!r}') from error


def _layer(tensor: Callable[[str], Floats], family: _Family, number: int) -> Layer:
    root = f'encoder.layer.{number}'

    def linear(name: str) -> Linear:
        weight, bias = _pair(tensor, f'{root}.{name}')
        return weight.T, bias

    return Layer(
        query=linear(family.attention['query']),
        key=linear(family.attention['key']),
        value=linear(family.attention['value']),
        mix=linear(family.attention['mix']),
        mix_norm=_pair(tensor, f'{root}.{family.attention["norm"]}'),
        widen=linear('intermediate.dense'),
        narrow=linear('output.dense'),
        narrow_norm=_pair(tensor, f'{root}.output.LayerNorm'),
    )


def _pair(tensor: Callable[[str], Floats], name: str) -> tuple[Floats, Floats]:
    return tensor(f'{name}.weight'), tensor(f'{name}.bias')


def _read_safetensors(file: Path) -> Mapping[str, Floats]:
    """The float32 tensors of a safetensors file: 8 bytes length, that much JSON, then the numbers.

    Raises:
        OSError, ValueError, KeyError: it is not such a file.
    """
    check_regular(file)
    data = np.memmap(file, np.uint8, 'r')
    length = int(data[:8].view('<u8')[0])
    header = parse_json(data[8 : 8 + length].tobytes())
    body = data[8 + length :]
    tensors = {}
    for name, tensor in header.items():
        if name == '__metadata__' or tensor['dtype'] != 'F32':
            continue
        begin, end = tensor['data_offsets']
        numbers = np.asarray(body[begin:end]).view('<f4').reshape(tensor['shape'])
        # A file may place the numbers anywhere, but misaligned ones are slow to compute with.
        tensors[name] = np.require(numbers, requirements='A')
    return tensors
