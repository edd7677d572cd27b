"""Writes an adapter that peft saved as GGUF for llama.cpp, with the file that says where it comes from.

`python -m lucca_lab.training.write_adapter FOLDER NAME --data data.json`; needs torch's safetensors and gguf.
"""

import argparse
import hashlib
import importlib.metadata
import json
import platform
import re
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFWriter
from numpy.typing import NDArray
from safetensors.numpy import load_file

HEADS = {'attn_q': 9, 'attn_k': 3}
"""Numbers of heads in SmolLM2, by matrix. llama.cpp keeps the rows of these matrices in another order."""
PARTS = {
    'self_attn.q_proj': 'attn_q',
    'self_attn.k_proj': 'attn_k',
    'self_attn.v_proj': 'attn_v',
    'self_attn.o_proj': 'attn_output',
    'mlp.gate_proj': 'ffn_gate',
    'mlp.up_proj': 'ffn_up',
    'mlp.down_proj': 'ffn_down',
}
PACKAGES = ('torch', 'transformers', 'peft', 'gguf')
_NAME = re.compile(r'.*\.layers\.(\d+)\.(\w+\.\w+)\.lora_([AB])\.weight')


def in_rows_of_llama_cpp(rows: NDArray[Any], heads: int) -> NDArray[Any]:
    """The rows of a query or key matrix in llama.cpp's order, in which the halves of each head are interleaved."""
    count, *rest = rows.shape
    return rows.reshape(heads, 2, count // heads // 2, *rest).swapaxes(1, 2).reshape(rows.shape)


def tensors(folder: Path) -> dict[str, NDArray[np.float16]]:
    """The matrices of an adapter, by llama.cpp's names.

    Raises:
        ValueError: a matrix does not belong to a LoRA adapter.
    """
    found = {}
    for name, matrix in load_file(folder / 'adapter_model.safetensors').items():
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError(f'{name} is no matrix of a LoRA adapter')
        layer, part, which = match.groups()
        gguf_part = PARTS[part]
        if which == 'B' and gguf_part in HEADS:
            matrix = in_rows_of_llama_cpp(matrix, HEADS[gguf_part])
        found[f'blk.{layer}.{gguf_part}.weight.lora_{which.lower()}'] = matrix.astype(np.float16)
    return found


def main() -> None:
    """Writes NAME.gguf and NAME.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path)
    parser.add_argument('name', type=Path, help='without an ending')
    parser.add_argument('--data', type=Path, nargs='*', default=[], help='what make_data printed of each file')
    parser.add_argument('--after', type=Path, help='JSON file of the adapter from which the training started')
    parser.add_argument('--model-sha256', required=True)
    options = parser.parse_args()
    config = json.loads((options.folder / 'adapter_config.json').read_text())
    file = options.name.with_suffix('.gguf')
    writer = GGUFWriter(file, 'llama')
    writer.add_string('general.type', 'adapter')
    writer.add_string('adapter.type', 'lora')
    writer.add_float32('adapter.lora.alpha', float(config['lora_alpha']))
    for name, matrix in sorted(tensors(options.folder).items()):
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    told = {
        'model': 'smollm2',
        'model_sha256': options.model_sha256,
        'sha256': hashlib.sha256(file.read_bytes()).hexdigest(),
        'bytes': file.stat().st_size,
        'licence': 'Apache-2.0',
        'made_with': {
            'python': platform.python_version(),
            **{package: importlib.metadata.version(package) for package in PACKAGES},
        },
        'data': [json.loads(data.read_text()) for data in options.data],
        'training': json.loads((options.folder / 'training.json').read_text()),
    }
    if options.after is not None:
        earlier = json.loads(options.after.read_text())
        told['data'] = [*earlier['data'], *told['data']]
        told['earlier_training'] = [*earlier.get('earlier_training', []), earlier['training']]
    options.name.with_suffix('.json').write_text(json.dumps(told, indent=2) + '\n')


if __name__ == '__main__':
    main()
