"""Trains a scorer of pairs of texts: `python -m lucca_lab.training.train_scorer --base FOLDER --data train.jsonl …`.

Needs torch and tokenizers, not lucca itself. A cross-encoder (`--form cross`) reads both texts at once; `--form bi`
compares their vectors. `--out` gets `adapter.npz`, the best so far by the figures on `--dev`, and `curve.json`. The
rate falls to 0 over the time given or the number of passes over the data, whichever ends first, so that a run is
repeated exactly only if it is ended by its passes.
"""

import argparse
import json
import math
import os
import platform
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from pair_data import Groups, Planner, read_groups, tokenized  # type: ignore[import-not-found]  # as in pair_network
from pair_figures import figures  # type: ignore[import-not-found]
from pair_network import PairNetwork, loss_of, read_base  # type: ignore[import-not-found]

FORMAT = 'lucca pair scorer 1'
_WARM_UP_STEPS = 30
_SHORTEST_LOG_S = 10.0


class Training:
    """One run."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        random.seed(options.seed)
        torch.manual_seed(options.seed)
        torch.set_num_threads(options.threads)
        # It would plan anew for each shape of a batch.
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.set_float32_matmul_precision('high')
        texts: dict[str, int] = {}
        self.train: Groups = read_groups(options.data, texts)
        self.dev: Groups = read_groups([options.dev], texts).some(options.dev_pairs, options.seed)
        base = read_base(options.base)
        table = tokenized(list(texts), options.base / 'vocab.txt')
        self.base = base
        self.network = PairNetwork(base, options, table)
        shared = table, options.form, options.longest, 2 + base.between
        self.planner = Planner(self.train, *shared, options.tokens_per_step, options.candidates, options.chunk_cost)
        self.measuring = Planner(self.dev, *shared, options.tokens_per_step, sys.maxsize, options.chunk_cost)
        fused = {'fused': True} if options.device == 'cuda' else {}
        head = [weights for name, weights in self.network.learned.items() if name.startswith('head')]
        layers = [weights for name, weights in self.network.learned.items() if not name.startswith('head')]
        self.optimizer = torch.optim.AdamW(
            [{'params': layers, 'share': 1.0}, {'params': head, 'share': options.head_rate}],
            lr=options.rate,
            weight_decay=options.decay,
            **fused,
        )
        self.curve: list[dict[str, Any]] = []
        self.best = -math.inf
        self.began_s = time.perf_counter()
        self.steps = self.pairs = self.tokens = self.passes = 0

    def run(self) -> None:
        """Trains until the time or the passes are over; measures and saves on the way and at the end."""
        options = self.options
        logged_s = 0.0
        losses: list[Any] = []
        groups_done, total = 0, len(self.train.left)
        while True:
            generator = np.random.default_rng([options.seed, self.passes])
            for step in self.planner.steps(generator):
                passed_s = time.perf_counter() - self.began_s
                done = max(passed_s / options.seconds, groups_done / total / options.passes if options.passes else 0.0)
                if done >= len(self.curve) / options.measurements or done >= 1:
                    self.measure(losses)
                    losses = []
                    if done >= 1:
                        return
                losses.append(self.learn(step, done))
                groups_done += len(step.weight)
                if passed_s - logged_s > _SHORTEST_LOG_S:
                    logged_s = passed_s
                    self.tell(f'{passed_s:.0f} s, step {self.steps}, loss {float(losses[-1]):.4f}')
            self.passes += 1

    def learn(self, step: Any, done: float) -> Any:
        """One step of the optimizer; the loss stays on the device, since to read it is to wait for it."""
        options = self.options
        factor = min(1.0, (self.steps + 1) / _WARM_UP_STEPS) * (1 - done)
        for part in self.optimizer.param_groups:
            part['lr'] = options.rate * part['share'] * factor
        self.network.train()
        loss = loss_of(self.network.scores(self.network.merged(), step), step, options.device, options.binary_share)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.learned.values(), 1.0)
        self.optimizer.step()
        self.steps += 1
        self.pairs += len(step.pairs)
        self.tokens += step.tokens
        return loss.detach()

    def scored(self) -> NDArray[np.float64]:
        """The scores of the dev groups' pairs."""
        scores = np.empty(len(self.dev.right))
        self.network.eval()
        with torch.inference_mode():
            layers = self.network.merged()
            for step in self.measuring.in_order():
                scores[step.pairs] = self.network.scores(layers, step).float().cpu().numpy()
        return scores

    def measure(self, losses: list[Any]) -> None:
        """Adds a point to the curve, and writes the adapter if it is the best so far, or else with `--keep last`."""
        loss = float(torch.stack(losses).mean()) if losses else None
        passed_s = time.perf_counter() - self.began_s
        scores = self.scored()
        told = {'all': figures(scores, self.dev.right_is, self.dev.first)}
        for number, source in enumerate(self.dev.sources):
            chosen = np.flatnonzero(self.dev.source == number)
            if len(chosen) and len(self.dev.sources) > 1:
                sizes = np.diff(self.dev.first)
                pairs = np.flatnonzero(np.repeat(self.dev.source == number, sizes))
                first = np.concatenate([[0], np.cumsum(sizes[chosen])])
                told[source] = figures(scores[pairs], self.dev.right_is[pairs], first)
        # Both are needed: to put the right one first, and to tell alone whether it is right.
        ranking = [told['all'][name] for name in ('mrr', 'auc') if name in told['all']]
        figure = float(np.mean(ranking)) if ranking else -told['all']['log_loss']
        point = {
            'seconds': round(passed_s, 1),
            'measuring_s': round(time.perf_counter() - self.began_s - passed_s, 1),
            'steps': self.steps,
            'pairs': self.pairs,
            'tokens': self.tokens,
            'passes': self.passes,
            'loss': loss,
            'figure': round(figure, 4),
            'dev': told,
        }
        self.curve.append(point)
        self.tell(json.dumps({**point, 'dev': told['all']}))
        if figure > self.best or self.options.keep == 'last':
            self.best = figure
            self.save(point)
        self.write('curve.json', json.dumps({'about': self.about(), 'curve': self.curve}, indent=1).encode())

    def about(self) -> dict[str, Any]:
        """Where the adapter comes from, and what is needed to run it."""
        options = self.options
        recipe = {key: told(value) for key, value in vars(options).items()}
        return {
            'format': FORMAT,
            'form': options.form,
            'pool': options.pool,
            'rank': options.rank,
            'scale': self.network.scale,
            'longest': options.longest,
            'base': self.base.kind,
            'base_sha256': self.base.sha256,
            'data_sha256': self.train.sha256,
            'dev_sha256': self.dev.sha256,
            'groups': len(self.train.left),
            'pairs': len(self.train.right),
            'recipe': recipe,
            'made_with': {
                'python': platform.python_version(),
                'torch': torch.__version__,
                'device': torch.cuda.get_device_name() if options.device == 'cuda' else platform.processor() or 'cpu',
            },
        }

    def save(self, point: dict[str, Any]) -> None:
        """Writes `adapter.npz`: the matrices in 16 bits, and `about`, JSON in UTF-8 as bytes."""
        about = json.dumps({**self.about(), 'chosen': point}).encode()
        file = self.options.out / 'adapter.npz'
        draft = file.with_name('draft.npz')
        np.savez(draft, about=np.frombuffer(about, np.uint8), **self.network.adapter())
        os.replace(draft, file)

    def write(self, name: str, content: bytes) -> None:
        draft = self.options.out / f'{name}.new'
        draft.write_bytes(content)
        os.replace(draft, self.options.out / name)

    def tell(self, text: str) -> None:
        sys.stdout.write(f'{self.options.out.name}: {text}\n')
        sys.stdout.flush()


def told(value: object) -> object:
    """An option as JSON takes it; files by their names alone."""
    if isinstance(value, list):
        return [told(one) for one in value]
    return value.name if isinstance(value, Path) else value


def read_options(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a run, by default from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--base', type=Path, required=True, help='folder of the model that is adapted')
    parser.add_argument('--data', type=Path, nargs='+', required=True, help='JSON lines; .gz and .xz, too')
    parser.add_argument('--dev', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--form', choices=('cross', 'bi'), default='cross')
    parser.add_argument('--pool', choices=('mean', 'first'), default='mean')
    parser.add_argument('--rank', type=int, default=16)
    parser.add_argument('--alpha', type=float, default=0.0, help='LoRA is scaled by alpha / rank; 0: by 2')
    parser.add_argument('--seconds', type=float, required=True, help='with measuring, without reading the data')
    parser.add_argument('--passes', type=float, default=0.0, help='over the data; 0: as many as there is time for')
    parser.add_argument('--device', choices=('cpu', 'cuda'), default='cuda')
    parser.add_argument('--attention', choices=('fused', 'plain'), default='fused')
    parser.add_argument('--bfloat16', action='store_true', help='compute in 16 bits; always so on a GPU')
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rate', type=float, default=1e-3)
    parser.add_argument('--head-rate', type=float, default=5.0, help='times the rate')
    parser.add_argument('--decay', type=float, default=0.01)
    parser.add_argument('--dropout', type=float, default=0.1)
    parser.add_argument('--binary-share', type=float, default=1.0, help='of the binary cross-entropy in the loss')
    parser.add_argument('--longest', type=int, default=128, help='tokens of a pair')
    parser.add_argument('--candidates', type=int, default=16, help='of a group in one step')
    parser.add_argument('--tokens-per-step', type=int, default=65536)
    parser.add_argument('--chunk-cost', type=int, default=1024, help='of one more length in a step, in tokens')
    parser.add_argument('--measurements', type=int, default=8)
    parser.add_argument('--dev-pairs', type=int, default=60000)
    parser.add_argument('--keep', choices=('best', 'last'), default='best')
    options = parser.parse_args(words)
    options.bfloat16 = options.bfloat16 or options.device == 'cuda'
    options.alpha = options.alpha or 2.0 * options.rank
    return options


def main() -> None:
    """Trains."""
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    began_s = time.perf_counter()
    training = Training(options)
    training.tell(
        f'{len(training.train.left)} groups, {len(training.train.right)} pairs, dev {len(training.dev.left)} groups, '
        f'{len(training.dev.right)} pairs; ready in {time.perf_counter() - began_s:.1f} s'
    )
    training.run()


if __name__ == '__main__':
    main()
