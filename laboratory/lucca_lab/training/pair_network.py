"""BERT or MPNet in torch with LoRA on all matrices of its layers, and a head that scores a pair of texts.

Needs torch and numpy, not lucca itself. LoRA is Hu et al. 2021. The adapter is merged into the weights once a step, so
that tokens pass through one matrix each, as they do in lucca.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pair_data import NO_TEXT, PairStep, TokenTable  # type: ignore[import-not-found]  # its environment has no lucca
from torch import Tensor
from torch.nn import functional

PARTS = ('query', 'key', 'value', 'mix', 'widen', 'narrow')
"""The matrices of a layer that are adapted."""
_NAMES = {
    'bert': {
        'query': 'attention.self.query',
        'key': 'attention.self.key',
        'value': 'attention.self.value',
        'mix': 'attention.output.dense',
        'mix_norm': 'attention.output.LayerNorm',
    },
    'mpnet': {
        'query': 'attention.attn.q',
        'key': 'attention.attn.k',
        'value': 'attention.attn.v',
        'mix': 'attention.attn.o',
        'mix_norm': 'attention.LayerNorm',
    },
}
_ALL_NAMES = {'widen': 'intermediate.dense', 'narrow': 'output.dense', 'narrow_norm': 'output.LayerNorm'}
MARKS = {'bert': ('[CLS]', '[SEP]', 1), 'mpnet': ('<s>', '</s>', 2)}
"""How an item begins and ends, and how many ends stand between two texts."""
_EXACT_DISTANCE, _FURTHEST = 8, 128
PACKED = 'weights.npz'


@dataclass(frozen=True)
class Base:
    """The weights that are adapted, by their names in the file; `sha256` is that of `model.safetensors`."""

    kind: str
    settings: dict[str, Any]
    tensors: dict[str, NDArray[np.float32]]
    sha256: str
    begin: int
    end: int
    between: int
    """How many ends stand between two texts."""


def read_base(folder: Path) -> Base:
    """Reads weights as they are published (`model.safetensors`), or as `pack_base` wrote them."""
    settings = json.loads((folder / 'config.json').read_text())
    kind = settings['model_type']
    words = (folder / 'vocab.txt').read_text('utf-8').split('\n')
    marks = words.index(MARKS[kind][0]), words.index(MARKS[kind][1]), MARKS[kind][2]
    if (folder / PACKED).exists():
        with np.load(folder / PACKED) as packed:
            tensors = {name: packed[name].astype(np.float32) for name in packed.files if '|' not in name}
            for name in packed.files:
                if name.endswith('|eighth'):
                    plain = name.removesuffix('|eighth')
                    tensors[plain] = unpacked(packed[name], packed[f'{plain}|scale'])
            return Base(kind, settings, tensors, str(packed['|sha256']), *marks)
    data = (folder / 'model.safetensors').read_bytes()
    length = int.from_bytes(data[:8], 'little')
    tensors = {}
    for name, told in json.loads(data[8 : 8 + length]).items():
        if name != '__metadata__' and told['dtype'] == 'F32':
            begin, end = told['data_offsets']
            tensors[name] = np.frombuffer(data[8 + length + begin : 8 + length + end], '<f4').reshape(told['shape'])
    return Base(kind, settings, tensors, hashlib.sha256(data).hexdigest(), *marks)


def unpacked(numbers: NDArray[np.int8], scale: NDArray[np.float16]) -> NDArray[np.float32]:
    """Numbers (rows, columns) of 8 bits times the scales (rows, blocks) of their blocks."""
    blocks = numbers.reshape(*scale.shape, -1).astype(np.float32)
    return np.asarray((blocks * scale.astype(np.float32)[..., None]).reshape(numbers.shape))


class PairNetwork(torch.nn.Module):  # type: ignore[misc]  # its environment has torch
    """Scores of pairs. Only the adapter and the head are learned."""

    def __init__(self, base: Base, options: Any, table: TokenTable) -> None:
        super().__init__()
        self.form, self.pool, self.dropout, self.longest = options.form, options.pool, options.dropout, options.longest
        self.scale = options.alpha / options.rank
        self.type = torch.bfloat16 if options.bfloat16 else torch.float32
        self.plainly = options.attention == 'plain'
        self.device = options.device
        tensors = {name: torch.tensor(numbers, device=self.device) for name, numbers in base.tensors.items()}
        self.heads = int(base.settings['num_attention_heads'])
        self.epsilon = float(base.settings['layer_norm_eps'])
        self.words = tensors['embeddings.word_embeddings.weight'].to(self.type)
        positions = tensors['embeddings.position_embeddings.weight']
        self.second: Tensor | None = None
        self.nearness: Tensor | None = None
        if base.kind == 'mpnet':
            positions = positions[2:]
            self.nearness = tensors['encoder.relative_attention_bias.weight']
        else:
            kinds = tensors['embeddings.token_type_embeddings.weight']
            positions = positions + kinds[0]
            self.second = (kinds[1] - kinds[0]).to(self.type)
        self.positions = positions.to(self.type)
        self.norm = self._norm(tensors, 'embeddings.LayerNorm')
        names = _NAMES[base.kind] | _ALL_NAMES
        self.layers = []
        for number in range(int(base.settings['num_hidden_layers'])):
            root = f'encoder.layer.{number}'
            layer = {part: tensors[f'{root}.{names[part]}.weight'] for part in PARTS}
            layer |= {f'{part}_bias': tensors[f'{root}.{names[part]}.bias'].to(self.type) for part in PARTS}
            layer |= {norm: self._norm(tensors, f'{root}.{names[norm]}') for norm in ('mix_norm', 'narrow_norm')}
            self.layers.append(layer)
        self.learned = torch.nn.ParameterDict(self._adapter(options.rank))
        self._place(base, table)

    def _norm(self, tensors: dict[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
        return tensors[f'{name}.weight'].to(self.type), tensors[f'{name}.bias'].to(self.type)

    def _adapter(self, rank: int) -> dict[str, Tensor]:
        """The adapter as it is at first, which changes nothing; names have `/` for `.`, as torch wants."""
        fresh = {}
        for number, layer in enumerate(self.layers):
            for part in PARTS:
                wide, narrow = layer[part].shape
                down = torch.randn(rank, narrow, device=self.device) / math.sqrt(narrow)
                fresh[f'layer/{number}/{part}/down'] = torch.nn.Parameter(down)
                fresh[f'layer/{number}/{part}/up'] = torch.nn.Parameter(torch.zeros(wide, rank, device=self.device))
        size = self.words.shape[1]
        weight = torch.zeros(size, device=self.device) if self.form == 'cross' else torch.full((1,), 10.0)
        bias = torch.zeros(1) if self.form == 'cross' else torch.full((1,), -5.0)
        fresh['head/weight'] = torch.nn.Parameter(weight.to(self.device))
        fresh['head/bias'] = torch.nn.Parameter(bias.to(self.device))
        return fresh

    def _place(self, base: Base, table: TokenTable) -> None:
        """Puts the texts where the network is."""
        self.begin, self.end, self.between = base.begin, base.end, base.between
        self.tokens = torch.tensor(table.tokens, device=self.device)
        self.starts = torch.tensor(table.starts, device=self.device)
        self.lengths = torch.tensor(table.lengths, device=self.device)

    def adapter(self) -> dict[str, NDArray[np.float16]]:
        """What was learned, by name: `layer.N.PART.down` (rank, in), `.up` (out, rank), `head.weight`, `head.bias`."""
        return {
            name.replace('/', '.'): weights.detach().cpu().numpy().astype(np.float16)
            for name, weights in self.learned.items()
        }

    def merged(self) -> list[dict[str, Any]]:
        """The layers with the adapter in their matrices, and query, key and value in one."""
        layers = []
        for number, layer in enumerate(self.layers):
            parts = {}
            for part in PARTS:
                root = f'layer/{number}/{part}/'
                change = self.learned[root + 'up'] @ self.learned[root + 'down']
                parts[part] = (layer[part] + self.scale * change).to(self.type)
            first = torch.cat([parts['query'], parts['key'], parts['value']])
            first_bias = torch.cat([layer['query_bias'], layer['key_bias'], layer['value_bias']])
            layers.append(layer | parts | {'first': first, 'first_bias': first_bias})
        return layers

    def assembled(self, first: Tensor, second: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens of items (b, length), which of them belong to a second text, and which are no padding."""
        alone = (second == NO_TEXT)[:, None]
        left, right = self.lengths[first][:, None], self.lengths[second][:, None].masked_fill(alone, 0)
        gap = torch.where(alone, 0, self.between)
        room = self.longest - 2 - gap
        left = torch.minimum(left, torch.maximum(room - right, room // 2).where(~alone, room))
        right = torch.minimum(right, room - left)
        place = torch.arange(length, device=self.device)[None]
        in_left = (place > 0) & (place <= left)
        behind = place - left - 1 - gap
        in_right = (behind >= 0) & (behind < right)
        whole = left + right + gap + 2
        last = len(self.tokens) - 1
        ids = torch.full_like(in_left, 0, dtype=torch.int64) + self.end
        ids = torch.where(in_left, self.tokens[(self.starts[first][:, None] + place - 1).clamp(0, last)], ids)
        ids = torch.where(in_right, self.tokens[(self.starts[second][:, None] + behind).clamp(0, last)], ids)
        ids = torch.where(place == 0, self.begin, ids)
        return ids, (behind >= 0) & ~alone, place < whole

    def pooled(self, layers: list[dict[str, Any]], first: Tensor, second: Tensor, length: int) -> Tensor:
        """What an item amounts to, (b, d): the mean of its tokens' last states, or the first of them."""
        ids, is_second, seen = self.assembled(first, second, length)
        states = self.words[ids] + self.positions[:length]
        if self.second is not None:
            states = states + is_second[..., None] * self.second
        states = self._dropped(self._normed(states, self.norm))
        bias = torch.zeros(seen.shape, dtype=self.type, device=self.device).masked_fill_(~seen, -math.inf)
        bias = bias[:, None, None]
        if self.nearness is not None:
            bias = bias + self.nearness[_buckets(length).to(self.device)].permute(2, 0, 1)[None].to(self.type)
        bias = bias.expand(len(ids), self.heads, length, length)
        for layer in layers:
            states = self._through(states, layer, bias)
        if self.pool == 'first':
            return states[:, 0].float()
        weights = seen.float() / seen.sum(1, keepdim=True)
        return torch.einsum('bn,bnd->bd', weights, states.float())

    def _through(self, states: Tensor, layer: dict[str, Any], bias: Tensor) -> Tensor:
        count, length, size = states.shape
        mixed = functional.linear(states, layer['first'], layer['first_bias'])
        query, key, value = mixed.view(count, length, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4)
        drop = self.dropout if self.training else 0.0
        if self.plainly:
            shares = torch.softmax(query @ key.transpose(2, 3) * query.shape[-1] ** -0.5 + bias, dim=-1)
            seen = functional.dropout(shares, drop) @ value
        else:
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=drop)
        seen = seen.transpose(1, 2).reshape(states.shape)
        seen = self._dropped(functional.linear(seen, layer['mix'], layer['mix_bias']))
        states = self._normed(states + seen, layer['mix_norm'])
        inner = functional.gelu(functional.linear(states, layer['widen'], layer['widen_bias']))
        inner = self._dropped(functional.linear(inner, layer['narrow'], layer['narrow_bias']))
        return self._normed(states + inner, layer['narrow_norm'])

    def _normed(self, states: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        return functional.layer_norm(states, states.shape[-1:], *norm, self.epsilon)

    def _dropped(self, states: Tensor) -> Tensor:
        return functional.dropout(states, self.dropout, self.training) if self.dropout else states

    def scores(self, layers: list[dict[str, Any]], step: PairStep) -> Tensor:
        """The scores of a step's pairs, (pairs,): log odds."""

        def moved(numbers: NDArray[np.int64]) -> Tensor:
            return torch.from_numpy(numbers).to(self.device, non_blocking=True)

        first, second = moved(step.first), moved(step.second)
        items = [moved(chunk.items) for chunk in step.chunks]
        found = torch.cat(
            [
                self.pooled(layers, first[own], second[own], chunk.length)
                for own, chunk in zip(items, step.chunks, strict=True)
            ]
        )
        order = torch.cat(items)
        found = torch.empty_like(found).index_copy(0, order, found)
        weight, bias = self.learned['head/weight'], self.learned['head/bias']
        if self.form == 'cross':
            return found @ weight + bias
        found = functional.normalize(found, dim=1)
        return (found[moved(step.left_item)] * found[moved(step.right_item)]).sum(1) * weight + bias


def _buckets(length: int) -> Tensor:
    """As in `lucca_memory.embedding.bert_encoder`."""
    ahead = np.arange(length)[None, :] - np.arange(length)[:, None]
    distance = np.abs(ahead)
    share = np.log(np.maximum(distance, 1) / _EXACT_DISTANCE) / np.log(_FURTHEST / _EXACT_DISTANCE)
    far = np.minimum(_EXACT_DISTANCE + (share * _EXACT_DISTANCE).astype(np.int64), 2 * _EXACT_DISTANCE - 1)
    near_or_far = np.where(distance < _EXACT_DISTANCE, distance, far)
    return torch.from_numpy(near_or_far + np.where(ahead > 0, 2 * _EXACT_DISTANCE, 0))


def loss_of(scores: Tensor, step: PairStep, device: str, binary_share: float) -> Tensor:
    """The mean over groups, by weight, of softmax and binary cross-entropy.

    In the softmax, those of a group that are share the right answer; it leaves out groups in which all or none are.
    """
    group = torch.from_numpy(step.group).to(device)
    right_is = torch.from_numpy(step.right_is).to(device)
    weight = torch.from_numpy(step.weight).to(device)

    def summed(values: Tensor) -> Tensor:
        return torch.zeros_like(weight).index_add(0, group, values)

    count, positive = summed(torch.ones_like(right_is)), summed(right_is)
    binary = summed(functional.binary_cross_entropy_with_logits(scores, right_is, reduction='none')) / count
    highest = torch.full_like(weight, -math.inf).scatter_reduce(0, group, scores.detach(), 'amax')
    total = torch.log(summed(torch.exp(scores - highest[group]))) + highest
    own = summed(scores * right_is) / positive.clamp(min=1)
    ranked = ((positive > 0) & (positive < count)).float()
    return (weight * (ranked * (total - own) + binary_share * binary)).sum() / weight.sum()
