"""Trains a LoRA adapter: `python -m lucca_lab.training.train_adapter --data train.jsonl --tokens 1000000 --out FOLDER`.

Needs torch, transformers, peft and gguf, not lucca itself; `--device cuda` uses a GPU. The weights are those that lucca
runs, read from its GGUF file. Now and then the adapter is written and measured on decisions about unseen categories, by
the likelihood of all answers that are possible, as lucca chooses. A run that was ended goes on from there with the same
command. With `--processes`, each of them does some sessions of each step, which pays on a machine with other work.
"""

import argparse
import json
import math
import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch import Tensor
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

sys.path.insert(0, str(Path(__file__).parent))
from packing import TokenForest  # type: ignore[import-not-found]  # its environment has no lucca

MODULES = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']


STATE = 'state.pt'


@dataclass
class Progress:
    """How far a run has come, and what was measured on the way."""

    steps: int = 0
    tokens: int = 0
    decisions: int = 0
    trained_s: float = 0.0
    """On processors: their time divided by the number of threads, so that a run that was halted is not counted."""
    curve: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Coder:
    """Turns decisions into tokens, as the chat template of the model has them."""

    tokenizer: Any
    end: int
    longest: int
    """A session with a longer prompt is left out."""

    def coded(self, decision: dict[str, Any]) -> tuple[list[int], list[int]]:
        text = self.tokenizer.apply_chat_template(decision['messages'], tokenize=False, add_generation_prompt=True)
        answer = self.tokenizer(decision['answer'], add_special_tokens=False)['input_ids']
        return self.tokenizer(text, add_special_tokens=False)['input_ids'], [*answer, self.end]

    def forest(self, sessions: Sequence[dict[str, Any]]) -> TokenForest:
        forest = TokenForest()
        for session in sessions:
            tree = [self.coded(decision) for decision in session['decisions']]
            if max(len(prompt) for prompt, _ in tree) <= self.longest:
                forest.add_tree(tree)
        return forest


class Steps(Dataset[tuple[TokenForest, Tensor]]):  # type: ignore[misc]  # its environment has torch
    """The sessions of each step, in another random order each time through, with their masks; endless."""

    def __init__(self, coder: Coder, lines: Sequence[str], options: argparse.Namespace) -> None:
        self.coder, self.lines, self.options = coder, lines, options

    def __getitem__(self, step: int) -> tuple[TokenForest, Tensor]:
        count = self.options.sessions_per_step
        time_through, first = divmod(step * count, len(self.lines) // count * count)
        order = list(range(len(self.lines)))
        random.Random(f'{self.options.seed}:{time_through}').shuffle(order)
        forest = self.coder.forest([json.loads(self.lines[number]) for number in order[first : first + count]])
        return forest, seen_by(forest)


def seen_by(forest: TokenForest) -> Tensor:
    """For each token, to which tokens it attends: true or false, of shape (tokens, tokens)."""
    mask = torch.zeros((len(forest.tokens), len(forest.tokens)), dtype=torch.bool)
    for place, seen in enumerate(forest.ancestors()):
        mask[place, seen] = True
    return mask


class Team:
    """The processes of one run, which share each step: their gradients are averaged in memory that all of them see."""

    def __init__(self, size: int, count: int) -> None:
        """`size`: processes; `count`: numbers of a gradient."""
        context = multiprocessing.get_context('fork')
        self.size, self.rank = size, 0
        self._shared = torch.zeros((size, count + 2 if size > 1 else 0)).share_memory_()
        self._barrier = context.Barrier(size)
        self._fork = context.Process

    def start(self, work: Callable[[], None]) -> None:
        """Does some work in all processes; returns when this one has done it."""
        others = []
        for rank in range(1, self.size):
            self.rank = rank
            others.append(self._fork(target=work, daemon=True))
            others[-1].start()
        self.rank = 0
        work()
        for other in others:
            other.join()

    def averaged(self, learned: Sequence[Tensor], *counts: int) -> list[int]:
        """Makes the gradients the mean of those of all processes; returns the sums of two counts."""
        if self.size == 1:
            return list(counts)
        mine = self._shared[self.rank]
        grads = [weights.grad for weights in learned]
        mine[:-2] = torch.cat([grad.flatten() for grad in grads if grad is not None])
        mine[-2:] = torch.tensor(counts)
        self._barrier.wait()
        total = self._shared.sum(0)
        self._barrier.wait()
        parts = (total[:-2] / self.size).split([weights.numel() for weights in learned])
        for weights, part in zip(learned, parts, strict=True):
            weights.grad = part.view_as(weights).clone()
        return [int(count) for count in total[-2:]]


class Tuning:
    """One run of training."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        torch.manual_seed(options.seed)
        torch.set_num_threads(options.threads)
        folder, file = options.model.parent, options.model.name
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, gguf_file=file)
        self.coder = Coder(tokenizer, tokenizer.convert_tokens_to_ids('<|im_end|>'), options.longest)
        self.kind = torch.bfloat16 if options.bfloat16 else torch.float32
        base = plain_model(options.model).to(options.device, self.kind)
        if options.start:
            self.model: Any = PeftModel.from_pretrained(base, options.start, is_trainable=True)
        else:
            self.model = get_peft_model(
                base,
                LoraConfig(
                    r=options.rank,
                    lora_alpha=2 * options.rank,
                    lora_dropout=0.0,
                    target_modules=MODULES,
                    layers_to_transform=list(range(options.first_layer, base.config.num_hidden_layers)),
                ),
            )
        learned = [weights for weights in self.model.parameters() if weights.requires_grad]
        for weights in learned:
            weights.data = weights.data.float()
        self.optimizer = torch.optim.AdamW(learned, lr=options.rate, weight_decay=0.0)
        self.learned = learned
        self.team = Team(options.processes, sum(weights.numel() for weights in learned))
        self.counts = [0, 0]

    def logits(self, forest: TokenForest, mask: Tensor, places: Sequence[int]) -> Tensor:
        """The logits after each of these places. Only they go through the last matrix."""
        device = self.options.device
        # What is not seen gets the lowest number, which the softmax turns to 0.
        bias = torch.zeros(mask.shape, dtype=self.kind, device=device)
        bias.masked_fill_(~mask.to(device), torch.finfo(self.kind).min)
        inner = self.model.base_model.model
        with torch.autocast(device, torch.bfloat16, enabled=self.options.bfloat16):
            hidden = inner.model(
                input_ids=torch.tensor([forest.tokens], device=device),
                attention_mask=bias[None, None],
                position_ids=torch.tensor([forest.positions], device=device),
                use_cache=False,
            ).last_hidden_state[0]
            return inner.lm_head(hidden[torch.tensor(places, device=device)]).float()

    def step(self, forest: TokenForest, mask: Tensor) -> Tensor:
        """Learns the answers of one forest and returns the mean loss of a decision."""
        if not forest.targets:
            raise ValueError('a step has no decision; raise --longest or leave the session out')
        places, words, weights = zip(*forest.targets, strict=True)
        logits = self.logits(forest, mask, places)
        following = torch.tensor(words, device=logits.device)
        losses = torch.nn.functional.cross_entropy(logits, following, reduction='none')
        loss = (losses * torch.tensor(weights, device=logits.device)).sum() / forest.decisions
        loss.backward()
        self.counts = self.team.averaged(self.learned, len(forest.tokens), forest.decisions)
        torch.nn.utils.clip_grad_norm_(self.learned, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def measured(self, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """For each kind of decision: how often the right answer is the most likely one, and the number of cases."""
        right: dict[str, list[bool]] = {}
        with torch.no_grad():
            for line in lines:
                asked = [(decision, possible_answers(decision)) for decision in line['decisions']]
                asked = [(decision, choices) for decision, choices in asked if len(choices) > 1]
                if not asked or len(self.coder.coded(asked[-1][0])[0]) > self.options.longest:
                    continue
                best = self.likeliest(
                    [[self.coder.coded({**item, 'answer': one}) for one in each] for item, each in asked]
                )
                for (decision, choices), chosen in zip(asked, best, strict=True):
                    right.setdefault(kind_of(decision, choices, line), []).append(choices[chosen] == decision['answer'])
        return {kind: [sum(found), len(found)] for kind, found in right.items()}

    def likeliest(self, decisions: Sequence[Sequence[tuple[list[int], list[int]]]]) -> list[int]:
        """For each decision, the number of its most likely answer."""
        forest = TokenForest()
        forest.add_tree([coded for choices in decisions for coded in choices])
        places, words, _ = zip(*forest.targets, strict=True)
        logits = torch.log_softmax(self.logits(forest, seen_by(forest), places), -1)
        found = logits.gather(1, torch.tensor(words, device=logits.device)[:, None])[:, 0].tolist()
        likelihood = dict(zip(zip(places, words, strict=True), found, strict=True))
        following = {(parent, forest.tokens[place]): place for place, parent in enumerate(forest.parents)}
        best = []
        for choices in decisions:
            scores = []
            for prompt, answer in choices:
                place, total = -1, 0.0
                for number, token in enumerate([*prompt, *answer]):
                    if number >= len(prompt):
                        total += likelihood[place, token]
                    place = following.get((place, token), -1)
                scores.append(total)
            best.append(scores.index(max(scores)))
        return best

    def save(self, progress: 'Progress') -> None:
        """Writes the adapter, its measurements, and what is needed to go on from here."""
        out = self.options.out
        self.model.save_pretrained(out)
        told = {'options': told_options(self.options), 'curve': progress.curve}
        (out / 'training.json').write_text(json.dumps(told, indent=2) + '\n')
        state = {
            'run': self.run_of(),
            'learned': [weights.data for weights in self.learned],
            'optimizer': self.optimizer.state_dict(),
            'progress': asdict(progress),
        }
        torch.save(state, out / 'state.new')
        (out / 'state.new').replace(out / STATE)

    def run_of(self) -> dict[str, str]:
        """What must be the same for a run to go on."""
        names = ('model', 'data', 'start', 'rank', 'first_layer', 'sessions_per_step', 'longest', 'seed')
        return {name: str(getattr(self.options, name)) for name in names}

    def restored(self) -> 'Progress':
        """Where an earlier run with the same folder ended; the beginning if there was none."""
        if not (self.options.out / STATE).exists():
            return Progress()
        state = torch.load(self.options.out / STATE, map_location=self.options.device)
        if state['run'] != self.run_of():
            sys.exit(f'{self.options.out} holds another run: {state["run"]}, not {self.run_of()}')
        for weights, known in zip(self.learned, state['learned'], strict=True):
            weights.data.copy_(known)
        self.optimizer.load_state_dict(state['optimizer'])
        return Progress(**state['progress'])


def told_options(options: argparse.Namespace) -> dict[str, str]:
    """The options of a run as text, files by their names alone."""

    def told(value: object) -> str:
        return ', '.join(map(told, value)) if isinstance(value, list) else getattr(value, 'name', str(value))

    return {key: told(value) for key, value in vars(options).items()}


def clock_s(options: argparse.Namespace) -> float:
    """The time of training; see `Progress.trained_s`. On other devices it is the time of day."""
    return time.process_time() / options.threads if options.device == 'cpu' else time.perf_counter()


def plain_model(file: Path) -> Any:
    """The weights of a GGUF file in 32 bits, in a model without any trace of GGUF."""
    read: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    config = read.config.to_dict()
    config.pop('quantization_config', None)
    model = LlamaForCausalLM(LlamaConfig(**config))
    model.load_state_dict(read.state_dict())
    return model


def kind_of(decision: dict[str, Any], choices: Sequence[str], line: dict[str, Any]) -> str:
    """What a decision is about: of talk as its data say, else an object or the next call."""
    told: str | None = decision.get('kind')
    return told or ('object' if choices[-1] == 'none' else ('call' if line['memory'] else 'call, no memory'))


def possible_answers(decision: dict[str, Any]) -> list[str]:
    """The answers from which lucca would let the model choose, as given or read from the prompt.

    Words that the model writes itself have one.
    """
    if 'kind' in decision:
        return list(decision.get('choices', [decision['answer']]))
    asked = decision['messages'][-1]['content']
    if 'Object: ' in asked.rsplit('\n', 1)[-1]:
        named: str = asked.split('Actions: ', 1)[1].splitlines()[0]
        return named.split(', ')
    name = decision['answer'].strip('<>').partition('(')[0]
    task = asked.split('Task: ', 1)[1].splitlines()[0]
    if 'Calls still to make: ' in asked:
        listed = asked.split('Calls still to make: ', 1)[1].splitlines()[0]
        return [f'<{call.split(">")[0]}>' for call in listed.split('<')[1:]]
    if 'Objects on the table: ' not in asked:
        return [f'<finish_task({task})>']
    listed = asked.split('Objects on the table: ', 1)[1].splitlines()[0]
    objects = [item.partition(' (')[0] for item in listed.split(', ')]
    base = decision['messages'][0]['content'].split(f'## {task}\n', 1)[1]
    actions = base.split('Actions of this task: ', 1)[1].splitlines()[0].split(', ')
    assert name in (*actions, 'finish_task')
    return [*(f'<{action}({item})>' for action in actions for item in objects), f'<finish_task({task})>']


def main() -> None:
    """Trains, and writes the adapter with the measurements made on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', type=Path, required=True, help='GGUF file of SmolLM2')
    parser.add_argument('--data', type=Path, nargs='+', required=True)
    parser.add_argument('--unseen', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--start', type=Path, help='adapter to go on with')
    parser.add_argument('--tokens', type=int, default=1_000_000, help='train on this many')
    parser.add_argument('--device', choices=('cpu', 'cuda'), default='cpu')
    parser.add_argument('--threads', type=int, default=2, help='on processors')
    parser.add_argument('--processes', type=int, default=1, help='on processors; each has its own threads')
    parser.add_argument('--packers', type=int, default=0, help='processes that turn sessions into tokens; 0: this one')
    parser.add_argument('--rank', type=int, default=16)
    parser.add_argument('--first-layer', type=int, default=8, help='layers below stay as they are')
    parser.add_argument('--rate', type=float, default=5e-4)
    parser.add_argument('--bfloat16', action='store_true', help='compute in 16 bits; the adapter itself has 32')
    parser.add_argument('--sessions-per-step', type=int, default=1)
    parser.add_argument('--longest', type=int, default=900, help='prompts of more tokens are left out')
    parser.add_argument('--measure-every', type=int, default=150_000, help='tokens')
    parser.add_argument('--measured', type=int, default=24, help='sessions to measure on')
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = [line for file in options.data for line in file.read_text().splitlines()]
    unseen = [json.loads(line) for line in options.unseen.read_text().splitlines()][: options.measured]
    tuning = Tuning(options)
    tuning.team.start(lambda: train(tuning, options, lines, unseen))


def train(tuning: Tuning, options: argparse.Namespace, lines: Sequence[str], unseen: Sequence[dict[str, Any]]) -> None:
    """The steps of one process of a run."""
    rank, size = tuning.team.rank, tuning.team.size
    progress = tuning.restored()
    if progress.curve and progress.tokens >= options.tokens:
        sys.exit(f'{options.out} has been trained on {progress.tokens} tokens already')
    recent: list[Tensor] = []
    steps = DataLoader(
        Steps(tuning.coder, lines, options),
        batch_size=None,
        sampler=range(progress.steps * size + rank, sys.maxsize, size),
        num_workers=options.packers,
        prefetch_factor=4 if options.packers else None,
    )
    began_s = clock_s(options)
    for forest, mask in steps:
        over = progress.tokens >= options.tokens
        if over or progress.tokens >= len(progress.curve) * options.measure_every:
            point = {
                'tokens': progress.tokens,
                'decisions': progress.decisions,
                'trained_s': round(progress.trained_s),
                'tokens_per_s': round(progress.tokens / max(progress.trained_s, 1e-9), 1),
                'loss': round(float(sum(recent)) / max(1, len(recent)), 4),
                'unseen': tuning.measured(unseen) if rank == 0 else {},
            }
            progress.curve.append(point)
            if rank == 0:
                sys.stdout.write(json.dumps(point) + '\n')
                sys.stdout.flush()
                tuning.save(progress)
            recent = []
            if over:
                break
            began_s = clock_s(options)
        # The rate rises over 20 steps, then falls along half a cosine.
        share = min(1.0, progress.tokens / options.tokens)
        factor = min(1.0, (progress.steps + 1) / 20) * (0.1 + 0.45 * (1 + math.cos(math.pi * share)))
        for group in tuning.optimizer.param_groups:
            group['lr'] = options.rate * factor
        tuning.counts = [len(forest.tokens), forest.decisions]
        # With several processes, each has to take part in every step.
        if forest.decisions or size > 1:
            recent.append(tuning.step(forest, mask))
        now_s = clock_s(options)
        progress.trained_s += now_s - began_s
        began_s = now_s
        progress.steps += 1
        progress.tokens += tuning.counts[0]
        progress.decisions += tuning.counts[1]
        if rank == 0 and (progress.steps < 6 or progress.steps % 20 == 0):
            speed = progress.tokens / progress.trained_s
            loss = float(recent[-1]) if recent else math.nan
            sys.stderr.write(f'{progress.steps} tokens {progress.tokens} {speed:.1f}/s loss {loss:.3f}\n')


if __name__ == '__main__':
    main()
