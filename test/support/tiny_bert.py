"""BERT and MPNet with random weights, in a folder as the trained ones are."""

import json
import math

import numpy as np

WIDTH, HEADS, INNER, LAYERS, POSITIONS, EPSILON = 8, 2, 16, 2, 200, 1e-5
WORDS = ['a', 'cup', 'red', '##s', 'on']
MARKS = {'bert': ['[PAD]', '[UNK]', '[CLS]', '[SEP]'], 'mpnet': ['<s>', '<pad>', '</s>', '[UNK]']}
ATTENTION = {
    'bert': ('attention.self.query', 'attention.self.key', 'attention.self.value', 'attention.output.dense'),
    'mpnet': ('attention.attn.q', 'attention.attn.k', 'attention.attn.v', 'attention.attn.o'),
}
NORM = {'bert': 'attention.output.LayerNorm', 'mpnet': 'attention.LayerNorm'}


def random_weights(family):
    random = np.random.default_rng(5)

    def numbers(*shape):
        return random.normal(0, 0.5, shape).astype('<f4')

    weights = {
        'embeddings.word_embeddings.weight': numbers(len(MARKS[family] + WORDS), WIDTH),
        'embeddings.position_embeddings.weight': numbers(POSITIONS, WIDTH),
    }
    if family == 'bert':
        weights['embeddings.token_type_embeddings.weight'] = numbers(2, WIDTH)
    else:
        weights['encoder.relative_attention_bias.weight'] = numbers(32, HEADS)
    sizes = {'embeddings.LayerNorm': (WIDTH,)}
    for number in range(LAYERS):
        root = f'encoder.layer.{number}.'
        sizes |= {root + name: (WIDTH, WIDTH) for name in ATTENTION[family]}
        sizes |= {root + NORM[family]: (WIDTH,), root + 'output.LayerNorm': (WIDTH,)}
        sizes |= {root + 'intermediate.dense': (INNER, WIDTH), root + 'output.dense': (WIDTH, INNER)}
    for name, size in sizes.items():
        weights |= {f'{name}.weight': numbers(*size), f'{name}.bias': numbers(size[0])}
    return weights


def write_model(folder, family, weights, pad=0):
    """A folder in Hugging Face's layout; `pad` bytes before the numbers put them at an odd address."""
    settings = {
        'model_type': family,
        'hidden_act': 'gelu',
        'num_attention_heads': HEADS,
        'num_hidden_layers': LAYERS,
        'layer_norm_eps': EPSILON,
    }
    (folder / 'config.json').write_text(json.dumps(settings))
    (folder / 'vocab.txt').write_text('\n'.join(MARKS[family] + WORDS))
    header, body = {}, b'\0' * pad
    for name, numbers in weights.items():
        end = len(body) + numbers.nbytes
        header[name] = {'dtype': 'F32', 'shape': numbers.shape, 'data_offsets': [len(body), end]}
        body += numbers.tobytes()
    told = json.dumps(header).encode()
    told += b' ' * (-len(told) % 8)
    (folder / 'model.safetensors').write_bytes(len(told).to_bytes(8, 'little') + told + body)


def plain_states(family, weights, ids, second_from=None):
    """The last states of tokens, number by number as the papers and MPNet's published code define them.

    A second text begins at the token `second_from`.
    """
    kinds = weights.get('embeddings.token_type_embeddings.weight', np.zeros((2, WIDTH)))

    def linear(name, state):
        return weights[f'{name}.weight'].astype(float) @ state + weights[f'{name}.bias']

    def normed(name, state):
        spread = math.sqrt(state.var() + EPSILON)
        return (state - state.mean()) / spread * weights[f'{name}.weight'] + weights[f'{name}.bias']

    def nearness(there, here, head):
        if family == 'bert':
            return 0.0
        behind, distance = there > here, abs(there - here)
        far = 8 + int(math.log(max(distance, 1) / 8) / math.log(128 / 8) * 8)
        bucket = (16 if behind else 0) + (distance if distance < 8 else min(far, 15))
        return weights['encoder.relative_attention_bias.weight'][bucket, head]

    first = 2 if family == 'mpnet' else 0
    states = [
        weights['embeddings.word_embeddings.weight'][token].astype(float)
        + weights['embeddings.position_embeddings.weight'][place + first]
        + kinds[int(second_from is not None and place >= second_from)]
        for place, token in enumerate(ids)
    ]
    states = [normed('embeddings.LayerNorm', state) for state in states]
    for number in range(LAYERS):
        root = f'encoder.layer.{number}.'
        query, key, value, mix = (root + name for name in ATTENTION[family])
        width = WIDTH // HEADS
        after = []
        for here, state in enumerate(states):
            seen = []
            for head in range(HEADS):
                part = slice(head * width, (head + 1) * width)
                scores = np.array(
                    [
                        linear(query, state)[part] @ linear(key, other)[part] / math.sqrt(width)
                        + nearness(there, here, head)
                        for there, other in enumerate(states)
                    ]
                )
                shares = np.exp(scores) / np.exp(scores).sum()
                seen.append(
                    sum(share * linear(value, other)[part] for share, other in zip(shares, states, strict=True))
                )
            after.append(normed(root + NORM[family], state + linear(mix, np.concatenate(seen))))
        inner = [linear(root + 'intermediate.dense', state) for state in after]
        inner = [np.array([x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in row]) for row in inner]
        narrow = [linear(root + 'output.dense', row) for row in inner]
        states = [normed(root + 'output.LayerNorm', state + row) for state, row in zip(after, narrow, strict=True)]
    return states
