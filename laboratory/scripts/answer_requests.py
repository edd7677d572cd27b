"""Answers recorded requests on a GPU: `python answer_requests.py --model FILE.gguf --requests FILE --out FILE`.

`lucca eval answers --requests FILE` writes the requests. The output is a recording, for `--model replay:FILE`. Needs
torch, transformers and gguf, not lucca itself. The weights are those that lucca runs, read from its GGUF file. Answers
are greedy, so the requests must have temperature 0. Requests that the output already answers are left out.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

BATCH_TOKENS = 60_000
MOST_IN_BATCH = 128


def batches(prompts: Sequence[tuple[dict[str, Any], str, int]]) -> Iterator[Sequence[tuple[dict[str, Any], str, int]]]:
    """Requests of like length together: (line, prompt, tokens), longest first."""
    batch: list[tuple[dict[str, Any], str, int]] = []
    for item in sorted(prompts, key=lambda prompt: -prompt[2]):
        longest = batch[0][2] if batch else item[2]
        if batch and (len(batch) == MOST_IN_BATCH or longest * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', type=Path, required=True, help='weights (.gguf)')
    parser.add_argument('--requests', type=Path, required=True, help='file of requests (.jsonl)')
    parser.add_argument('--out', type=Path, required=True, help='recording (.jsonl); an existing one is continued')
    parser.add_argument('--device', default='cuda')
    parser.add_argument('--limit', type=int, default=None, help='number of requests to answer')
    options = parser.parse_args()
    kind = torch.bfloat16 if options.device == 'cuda' else torch.float32
    place = {'pretrained_model_name_or_path': str(options.model.parent), 'gguf_file': options.model.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    tokenizer.padding_side = 'left'
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(**place, dtype=kind).to(options.device).eval()
    done = {json.loads(line)['key'] for line in options.out.open(encoding='utf-8')} if options.out.exists() else set()
    asked = [json.loads(line) for line in options.requests.open(encoding='utf-8')]
    prompts = []
    for line in asked[: options.limit]:
        if line['key'] in done:
            continue
        if line['request']['options']['temperature'] != 0.0:
            parser.error(f'answers are greedy, so the temperature of each request must be 0: {line["key"]}')
        messages = [{'role': said['role'], 'content': said['content']} for said in line['request']['messages']]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        prompts.append((line, text, len(tokenizer(text, add_special_tokens=False)['input_ids'])))
    with options.out.open('a', encoding='utf-8') as stream:
        for batch in batches(prompts):
            for line, answer in zip(batch, answered(model, tokenizer, batch, options.device), strict=True):
                row = {**line[0], 'model': f'transformers:{options.model.stem}', 'reply': answer}
                stream.write(json.dumps(row, ensure_ascii=False) + '\n')
            stream.flush()


def answered(
    model: Any, tokenizer: Any, batch: Sequence[tuple[dict[str, Any], str, int]], device: str
) -> list[dict[str, Any]]:
    """A reply for each request of a batch; each has its share of the batch's time."""
    start = time.monotonic()
    coded = tokenizer([text for _, text, _ in batch], return_tensors='pt', padding=True, add_special_tokens=False)
    coded = coded.to(device)
    most = max(line['request']['options']['max_tokens'] for line, _, _ in batch)
    ends = {tokenizer.eos_token_id, *tokenizer.convert_tokens_to_ids(['<|im_end|>', '<|endoftext|>'])} - {None}
    with torch.inference_mode():
        made = model.generate(
            input_ids=coded['input_ids'],
            attention_mask=coded['attention_mask'],
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=sorted(ends),
            pad_token_id=tokenizer.pad_token_id,
        )
    replies = []
    for (line, _, tokens), whole in zip(batch, made[:, coded['input_ids'].shape[1] :].tolist(), strict=True):
        row = whole[: line['request']['options']['max_tokens']]
        end = next((place for place, token in enumerate(row) if token in ends), len(row))
        replies.append(
            {
                'text': tokenizer.decode(row[:end], skip_special_tokens=True).strip(),
                'prompt_tokens': tokens,
                'completion_tokens': end,
                'model_s': (time.monotonic() - start) / len(batch),
                'finish_reason': 'stop' if end < len(row) else 'length',
            }
        )
    return replies


if __name__ == '__main__':
    main()
