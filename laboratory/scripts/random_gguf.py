"""Writes a tiny language model with random weights for a real llama.cpp server.

It has one layer and 260 tokens of one byte each, and its answers are printable noise. Needs the packages gguf and
numpy: `python laboratory/scripts/random_gguf.py FILE [--seed N]`.
"""

import argparse
from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, HIDDEN, CONTEXT = 64, 4, 128, 65536
FAINT = np.float32(0.05)
SPECIAL = ('<|begin|>', '<|end|>', '<|im_start|>', '<|im_end|>')
BEGIN, END_OF_MESSAGE = 256, 259
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    '<|im_start|>assistant\n'
)


def byte_tokens() -> list[str]:
    """The 256 bytes as GPT-2's vocabulary writes them: printable ones unchanged, the others from U+0100 on."""
    kept = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in kept else next(others)) for byte in range(256)]


def write_model(file: Path, seed: int) -> None:
    """Writes a llama model whose next token depends on hardly anything."""
    chance = np.random.default_rng(seed)

    def weights(*shape: int) -> np.ndarray:
        return chance.normal(scale=0.3, size=shape).astype(np.float32)

    tokens = [*byte_tokens(), *SPECIAL]
    writer = gguf.GGUFWriter(str(file), 'llama')
    writer.add_name('noise')
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model('gpt2')
    writer.add_tokenizer_pre('default')
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL] * len(SPECIAL))
    writer.add_token_merges([f'{tokens[32]} {tokens[32]}'])  # llama.cpp refuses a vocabulary without merges
    writer.add_bos_token_id(BEGIN)
    writer.add_eos_token_id(END_OF_MESSAGE)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)

    # One channel of the residual stream is the same for all tokens; through it the output gets a bias.
    # The other channels say so little that even a cold sampler draws all printable characters.
    embedding, output = weights(len(tokens), WIDTH), weights(len(tokens), WIDTH) * FAINT
    embedding[:, 0] = 8.0
    output[:, 0] = 0.0
    printable = np.zeros(len(tokens), dtype=bool)
    printable[32:127] = True
    output[~printable, 0] = -50.0
    output[END_OF_MESSAGE, 0] = 0.04  # answers end after about twenty characters, well before the limit
    one = np.ones(WIDTH, dtype=np.float32)
    for name, value in {
        'token_embd.weight': embedding,
        'output_norm.weight': one,
        'output.weight': output,
        'blk.0.attn_norm.weight': one,
        'blk.0.ffn_norm.weight': one,
        **{f'blk.0.attn_{part}.weight': weights(WIDTH, WIDTH) for part in ('q', 'k', 'v', 'output')},
        'blk.0.ffn_gate.weight': weights(HIDDEN, WIDTH),
        'blk.0.ffn_up.weight': weights(HIDDEN, WIDTH),
        'blk.0.ffn_down.weight': weights(WIDTH, HIDDEN),
    }.items():
        writer.add_tensor(name, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('file', type=Path)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    write_model(arguments.file, arguments.seed)
