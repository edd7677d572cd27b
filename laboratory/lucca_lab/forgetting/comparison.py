"""The comparison of `lucca eval forgetting`: each memory system on each scenario of a split; can be resumed."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from lucca_core.errors import ConfigError
from lucca_lab.forgetting.ablations import Ablations, terms_without
from lucca_lab.forgetting.generator import generate_split, shape_of
from lucca_lab.forgetting.llm_judge import judged_share
from lucca_lab.forgetting.oracle import ceiling
from lucca_lab.forgetting.policy import Policy, load_policy
from lucca_lab.forgetting.run import AnswerOutcome, run
from lucca_lab.forgetting.scenario import SPLITS, Scenario
from lucca_lab.forgetting.scoring import ForgettingScore, interval, interval_of_difference, pooled, score
from lucca_lab.forgetting.system import MakeSystem
from lucca_lab.forgetting.systems.flat import (
    FixedContext,
    LeastRecentlyUsed,
    MemoryBank,
    RandomForgetting,
    VectorRag,
)
from lucca_lab.forgetting.systems.lucca import Lucca
from lucca_lab.forgetting.systems.recallm import RecallM
from lucca_llm.model import ChatModel
from lucca_memory.embedding.embedder import Embedder
from lucca_memory.semantic.config import CENTRALITIES, ForgettingConfig

OURS, BOUND = 'lucca', 'never_forget'
BASELINES = ('fixed_context', 'vector_rag', 'recallm', 'memorybank', 'lru', 'random')
ABLATIONS = ('no_decay', 'no_frequency', 'no_centrality')
PLAIN = CENTRALITIES[1:]
"""Our memory with a plain measure of centrality and the weights as shipped."""
COMPRESSING = 'compressing'
"""Our memory with generalised nodes."""
LEARNED, TUNED = 'learned', 'tuned'
"""Our memory with the policy from a file, and with the fixed parameters from which it starts; only with a file."""
OF_POLICY = (LEARNED, TUNED)
NAMES = (OURS, *BASELINES[:4], BOUND, *BASELINES[4:], *ABLATIONS, COMPRESSING, *PLAIN)
SCORES_FILE = 'scores.jsonl'
SUMMARY_FILE = 'summary.json'
PLAN_FILE = 'plan.json'


def systems(policy: Policy | None = None) -> dict[str, MakeSystem]:
    """Functions that make each memory of the table, by name; `learned` and `tuned` are among them with a policy."""
    made: dict[str, MakeSystem] = {
        OURS: Lucca,
        'fixed_context': FixedContext,
        'vector_rag': VectorRag,
        'recallm': RecallM,
        'memorybank': MemoryBank,
        BOUND: Lucca,
        'lru': LeastRecentlyUsed,
        'random': RandomForgetting,
    }
    for name in ABLATIONS:
        made[name] = partial(Lucca, terms_of=terms_without(Ablations(**{name: True})))
    made[COMPRESSING] = partial(Lucca, config=ForgettingConfig(compress=True))
    for name in PLAIN:
        made[name] = partial(Lucca, config=ForgettingConfig(centrality=name))
    if policy is not None:
        made |= {LEARNED: partial(Lucca, policy=policy), TUNED: partial(Lucca, config=policy.base)}
    return {name: made[name] for name in (*NAMES, *OF_POLICY) if name in made}


@dataclass(frozen=True, kw_only=True)
class ContestPlan:
    """The settings of a run. One folder holds one plan.

    Attributes:
        budget: share of the bytes of all facts that may be kept.
        per_family: number of scenarios in each of the four families.
        names: systems in the table.
        judge: model spec of a judge; empty for none.
        shape: changes to the shape of the scenarios, such as 'used_share=0.65'.
        policy: file of a learned policy; empty for none.
    """

    split: str = 'test'
    budget: float = 0.25
    seed: int = 0
    per_family: int = 5
    embedding: str = 'hashed'
    names: tuple[str, ...] = NAMES
    judge: str = ''
    shape: tuple[str, ...] = ()
    policy: str = ''

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f'there is no split {self.split!r}; there are {", ".join(SPLITS)}')
        if not 0 < self.budget <= 1:
            raise ConfigError(f'budget must be above 0 and at most 1, got {self.budget}')
        if self.per_family < 1:
            raise ConfigError(f'there must be at least one scenario a family, got {self.per_family}')
        known = (*NAMES, *OF_POLICY) if self.policy else NAMES
        unknown = [name for name in self.names if name not in known]
        if unknown:
            raise ConfigError(f'there is no system {unknown[0]!r}; there are {", ".join(known)}')
        shape_of(self.shape)

    def as_json(self) -> dict[str, Any]:
        """The settings as stored in the folder. `names` is left out, so that systems can be added to a run."""
        return {
            'split': self.split,
            'budget': self.budget,
            'seed': self.seed,
            'per_family': self.per_family,
            'embedding': self.embedding,
            'judge': self.judge,
            'shape': list(self.shape),
            'policy': self.policy,
        }


@dataclass(slots=True)
class Contest:
    """A run in a folder. What was already measured is not measured again."""

    folder: Path
    plan: ContestPlan
    embedder: Embedder
    model: ChatModel | None = None
    scores: dict[tuple[str, str], ForgettingScore] = field(default_factory=dict)
    judged: dict[tuple[str, str], float] = field(default_factory=dict)
    kept_outcomes: dict[str, AnswerOutcome] = field(default_factory=dict)
    """The outcome of each system in the first scenario, for figures."""

    def begin(self) -> None:
        """Opens the folder and reads the scores in it.

        Raises:
            ConfigError: the folder has a run with another plan, or cannot be written.
        """
        file = self.folder / PLAN_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if file.exists() and json.loads(file.read_text(encoding='utf-8')) != self.plan.as_json():
                raise ConfigError('this folder has a run with other settings; name another', file=str(file))
            file.write_text(json.dumps(self.plan.as_json(), indent=1) + '\n', encoding='utf-8')
            lines = self.folder / SCORES_FILE
            for line in lines.read_text(encoding='utf-8').splitlines() if lines.exists() else ():
                self._take(line)
        except (OSError, ValueError) as error:
            raise ConfigError(f'the run cannot be opened: {error}', file=str(self.folder)) from error

    def _take(self, line: str) -> None:
        try:
            entry = json.loads(line)
            key = (entry['system'], entry['score']['scenario'])
            self.scores[key] = ForgettingScore.from_json(entry['score'])
        except (ValueError, KeyError, TypeError):
            # The last line of an interrupted run is incomplete; its scenario is measured again.
            return
        if entry.get('judged') is not None:
            self.judged[key] = float(entry['judged'])

    def run(self, on_progress: Callable[[str], None] = lambda _: None) -> None:
        """Measures everything that is missing.

        Raises:
            MemoryFault: a system kept more than its budget.
            ModelError: the judge gave no answer.
        """
        made = systems(load_policy(Path(self.plan.policy)) if self.plan.policy else None)
        for number, scenario in enumerate(self.scenarios()):
            missing = [name for name in self.plan.names if (name, scenario.name) not in self.scores]
            if number and not missing:
                continue
            on_progress(scenario.name)
            texts = [event.text for session in scenario.sessions for event in session.events]
            # Embedding all texts at once is several times faster than one by one.
            self.embedder.embed([*texts, *(asked.text for asked in (*scenario.exam, *scenario.tasks))])
            for name in self.plan.names if number == 0 else missing:
                budget = None if name == BOUND else int(self.plan.budget * scenario.introduced_bytes)
                outcome = run(scenario, made[name](self.embedder), budget)
                if number == 0:
                    self.kept_outcomes[name] = outcome
                if name in missing:
                    self._note(name, outcome)

    def scenarios(self) -> Sequence[Scenario]:
        """All scenarios of the plan."""
        plan = self.plan
        return list(generate_split(plan.split, plan.seed, plan.per_family, shape_of(plan.shape)))

    def _note(self, name: str, outcome: AnswerOutcome) -> None:
        found = score(outcome)
        key = (name, found.scenario)
        entry: dict[str, Any] = {'system': name, 'score': found.as_json()}
        if self.model is not None:
            entry['judged'] = self.judged[key] = judged_share(self.model, outcome)
        self.scores[key] = found
        with (self.folder / SCORES_FILE).open('a', encoding='utf-8') as file:
            file.write(json.dumps(entry) + '\n')

    def of(self, name: str) -> list[ForgettingScore]:
        """The scores of a system, in the order of the scenarios."""
        return [
            self.scores[name, scenario.name] for scenario in self.scenarios() if (name, scenario.name) in self.scores
        ]


def summarised(contest: Contest) -> dict[str, Any]:
    """The figures of a run, as `--json` prints them."""
    plan, start = contest.plan, time.perf_counter()
    scenarios = contest.scenarios()
    found = {name: contest.of(name) for name in plan.names}
    bounds = [ceiling(scenario, int(plan.budget * scenario.introduced_bytes)) for scenario in scenarios]
    facts = sum(len(scenario.facts) for scenario in scenarios)
    top = sum(bound.mrs[0] for bound in bounds) / sum(bound.mrs[1] for bound in bounds)
    document: dict[str, Any] = {
        'systems': {name: _system(name, scores, contest) for name, scores in found.items()},
        'ceiling': round(top, 4),
        'ceiling_fp': round(sum(bound.fp[0] for bound in bounds) / max(1, sum(bound.fp[1] for bound in bounds)), 4),
        'critical_share': round(sum(len(scenario.critical) for scenario in scenarios) / facts, 4),
        'once_share': round(
            sum(fact.is_once for item in scenarios for fact in item.facts)
            / sum(len(item.critical) for item in scenarios),
            4,
        ),
        'scenarios': len(scenarios),
        'statements': facts,
        **plan.as_json(),
        'learned': load_policy(Path(plan.policy)).provenance if plan.policy else None,
    }
    if found.get(LEARNED) and found.get(TUNED):
        document['learned_ahead_of_tuned'] = _ahead(found[LEARNED], found[TUNED])
    if found.get(OURS):
        document['ahead'] = {
            name: _ahead(found[OURS], scores) for name, scores in found.items() if name not in (OURS, BOUND) and scores
        }
        ours = document['systems'][OURS]
        document['targets'] = {
            'mrs_of_ceiling': round(ours['mrs'] / top, 4),
            'mrs_at_least_0.95_of_ceiling': ours['mrs'] >= 0.95 * top,
            'fp_at_least_0.985': ours['fp'] is not None and ours['fp'] >= 0.985,
            'ahead_of_every_baseline': all(
                document['ahead'][name]['mrs']['outside'] for name in BASELINES if name in document['ahead']
            ),
        }
    document['summary_s'] = round(time.perf_counter() - start, 2)
    return document


def _system(name: str, scores: Sequence[ForgettingScore], contest: Contest) -> dict[str, Any]:
    shares = ('mrs', 'fp', 'coherence', 'task_completion', 'found', 'once', 'stale', 'history', 'updated_above')
    row: dict[str, Any] = {share: _rounded(pooled(scores, share)) for share in shares}
    count = max(1, len(scores))
    for cost in ('bytes', 'nodes', 'tokens', 'ms', 'query_ms'):
        row[cost] = round(sum(getattr(item, cost) for item in scores) / count, 3)
    row['ci'] = {
        share: None if (found := interval(scores, share)) is None else [round(value, 4) for value in found]
        for share in ('mrs', 'fp', 'coherence', 'task_completion')
    }
    row['by_family'] = {
        family: _rounded(pooled([item for item in scores if item.family == family], 'mrs'))
        for family in dict.fromkeys(item.family for item in scores)
    }
    judged = [contest.judged[name, item.scenario] for item in scores if (name, item.scenario) in contest.judged]
    if judged:
        row['judged'] = round(sum(judged) / len(judged), 4)
    return row


def _ahead(ours: Sequence[ForgettingScore], others: Sequence[ForgettingScore]) -> Mapping[str, Any]:
    """For each score, the interval of our value minus theirs; `outside` says that the whole interval is above zero."""
    table = {}
    for share in ('mrs', 'fp', 'found', 'task_completion'):
        found = interval_of_difference(ours, others, share)
        table[share] = {
            'ci': None if found is None else [round(value, 4) for value in found],
            'outside': found is not None and found[0] > 0,
        }
    return table


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
