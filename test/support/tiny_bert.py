"""BERT and MPNet with random weights, in a folder as the trained ones are."""

import json

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
