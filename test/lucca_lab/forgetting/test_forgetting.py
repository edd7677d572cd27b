"""`lucca eval forgetting`: laws of the scenarios, the rule-based judge, the scores, the rivals and the environment."""

import itertools
import random
import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lucca_core.errors import ConfigError, MemoryFault
from lucca_lab.forgetting.answering import AnswerJudge, Passage
from lucca_lab.forgetting.comparison import BASELINES, NAMES, ContestPlan, systems
from lucca_lab.forgetting.generator import generate
from lucca_lab.forgetting.kept_facts import kept_by_parameters, share_of
from lucca_lab.forgetting.llm_judge import is_answered
from lucca_lab.forgetting.oracle import ceiling
from lucca_lab.forgetting.policy import NAMES as OBSERVED
from lucca_lab.forgetting.policy import Policy, action_of, load_policy, parameters
from lucca_lab.forgetting.run import run
from lucca_lab.forgetting.scenario import FAMILIES, ScenarioQuestion, ScenarioStatement
from lucca_lab.forgetting.scoring import interval, interval_of_difference, pooled, score
from lucca_lab.forgetting.system import CONTEXT_TOKENS, fitting
from lucca_lab.forgetting.systems.flat import LeastRecentlyUsed, MemoryBank, RandomForgetting, VectorRag
from lucca_lab.forgetting.trace import record
from lucca_lab.forgetting.vocabulary import vocabulary
from lucca_lab.hashed_embedder import HashedEmbedder
from lucca_llm.limits.tokens import estimate_tokens
from lucca_llm.model import ChatReply
from lucca_memory.semantic.config import CENTRALITIES, RANGES, ForgettingConfig

BUDGET = 0.25


@pytest.fixture(scope='module')
def scenarios():
    return [generate(family, 'train', 1) for family in FAMILIES]


@pytest.fixture(scope='module')
def embedder():
    return HashedEmbedder(64)


def test_the_same_seed_gives_the_same_scenario(scenarios):
    assert generate('planning', 'train', 1) == scenarios[1]
    assert generate('planning', 'train', 2) != scenarios[1]


def test_a_fifth_is_critical_and_a_third_of_it_is_said_once_and_not_asked_for_in_three_weeks(scenarios):
    for scenario in scenarios:
        assert len(scenario.sessions) >= 20
        assert len(scenario.critical) / len(scenario.facts) == pytest.approx(0.2, abs=0.002)
        once = [fact for fact in scenario.critical if fact.is_once]
        assert len(once) / len(scenario.critical) >= 1 / 3
        told = Counter(event.fact.fact_id for event in scenario.told())
        asked = {fact.slot.name for event in scenario.asked() for fact in event.facts}
        for fact in once:
            assert told[fact.fact_id] == 1
            assert fact.slot.name not in asked
            assert (scenario.exam[0].time - scenario.sessions[fact.session].time).days >= 21


def test_chatter_is_repeated_as_often_as_what_matters(scenarios):
    told = [Counter(event.fact.fact_id for event in scenario.told()) for scenario in scenarios]
    means = {
        critical: np.mean(
            [
                counts[fact.fact_id]
                for scenario, counts in zip(scenarios, told, strict=True)
                for fact in scenario.facts
                if fact.is_critical == critical and fact.holds
            ]
        )
        for critical in (True, False)
    }
    assert means[True] <= means[False] + 0.1


def test_an_update_is_worded_as_a_first_telling_and_takes_its_place_at_once(scenarios):
    cues = {'now', 'moved', 'changed', 'instead', 'longer', 'anymore', 'update', 'correction', 'actually', 'new'}
    for scenario in scenarios:
        for fact in scenario.facts:
            following = [item for item in scenario.by_slot[fact.slot.name] if item.session == fact.last_session]
            assert fact.holds or len(following) == 1
            without_names = ' '.join(fact.wordings).replace(fact.slot.subject, '').replace(fact.value, '').lower()
            if not fact.holds:
                assert not cues & set(without_names.split())


def test_the_splits_share_no_name_and_no_wording():
    seen = {}
    for split in ('train', 'validation', 'test'):
        words = vocabulary(split)
        attributes = [item for kind in words.kinds.values() for item in kind]
        attributes += [item for _, found in words.families.values() for item in found]
        seen[split] = {text for item in attributes for text in item.say}
        assert all(item.cues for item in attributes), 'an attribute has to be told by some word'
    assert not seen['train'] & seen['validation'] | seen['train'] & seen['test'] | seen['validation'] & seen['test']
    names = [set(vocabulary(split)._words['first']) for split in seen]
    assert not names[0] & names[1] | names[0] & names[2] | names[1] & names[2]


def test_wording_alone_does_not_tell_what_matters():
    # Naive Bayes over bags of words, learned on other scenarios of the same vocabulary: the easiest case for it.
    def labelled(seeds):
        return [
            (set(fact.wordings[0].lower().rstrip('.').split()), fact.is_critical)
            for family in FAMILIES
            for seed in seeds
            for fact in generate(family, 'train', seed).facts
            if fact.holds
        ]

    learned, unseen = labelled(range(20, 23)), labelled([40])
    counts = {True: Counter(), False: Counter()}
    totals = Counter()
    for words, critical in learned:
        counts[critical].update(words)
        totals[critical] += 1

    def odds(words):
        return sum(
            np.log((counts[True][word] + 1) / (totals[True] + 2))
            - np.log((counts[False][word] + 1) / (totals[False] + 2))
            for word in words
        )

    yes = np.array([odds(words) for words, critical in unseen if critical])
    no = np.array([odds(words) for words, critical in unseen if not critical])
    auc = (yes[:, None] > no).mean() + 0.5 * (yes[:, None] == no).mean()
    assert auc < 0.6


def test_every_wording_of_a_fact_gives_it_and_nothing_else_of_its_slot(scenarios):
    for scenario in scenarios:
        judge = AnswerJudge(scenario)
        for fact in scenario.facts:
            for text in fact.wordings:
                slot = {item.fact_id for item in scenario.by_slot[fact.slot.name]}
                assert judge.facts_in(text) & slot == {fact.fact_id}


def test_a_heading_carries_its_thing_over_clauses_but_loose_values_say_nothing(scenarios):
    scenario = scenarios[2]
    judge = AnswerJudge(scenario)
    one = next(fact for fact in scenario.facts if fact.wordings[0].startswith(fact.slot.subject))
    rest = one.wordings[0].removeprefix(f'{one.slot.subject} ')
    assert one.fact_id in judge.facts_in(f'{one.slot.subject}: it is so; {rest}')
    assert not judge.facts_in(f'{one.slot.subject}: {one.value}')
    assert not judge.facts_in(rest)


def test_an_outdated_value_spoils_an_answer_unless_it_is_marked(scenarios):
    scenario = scenarios[3]
    judge = AnswerJudge(scenario)
    old = next(fact for fact in scenario.facts if not fact.holds)
    new = scenario.by_slot[old.slot.name][-1]
    asked = ScenarioQuestion(new.slot.question, (new,), scenario.exam[0].time)
    texts = [Passage(new.wordings[0]), Passage(old.wordings[0])]
    assert judge.answer(asked, texts).stale
    assert judge.answer(asked, [texts[0], Passage(old.wordings[0], outdated=True)]).correct
    assert not judge.answer(asked, [Passage(new.wordings[0], outdated=True)]).found


def test_random_forgetting_keeps_a_quarter_of_what_matters(scenarios, embedder):
    scores = [
        score(run(scenario, RandomForgetting(embedder), int(BUDGET * scenario.introduced_bytes)))
        for scenario in scenarios
    ]
    assert pooled(scores, 'found') == pytest.approx(0.25, abs=0.08)
    assert pooled(scores, 'fp') == pytest.approx(0.8, abs=0.02)
    low, high = interval(scores, 'mrs')
    assert low <= pooled(scores, 'mrs') <= high
    assert interval_of_difference(scores, scores, 'mrs') == (0.0, 0.0)


def test_nothing_forgotten_has_no_precision(scenarios, embedder):
    found = score(run(scenarios[0], VectorRag(embedder), None))
    assert found.shares['fp'][1] == 0
    assert pooled([found], 'fp') is None
    assert found.shares['found'][0] == found.shares['found'][1]


def test_what_a_memory_without_a_budget_gives_no_more_was_not_forgotten(scenarios, embedder):
    class Losing(VectorRag):
        def passages(self):
            return list(super().passages())[:-5]

        def context(self, question, now):
            return []

    found = score(run(scenarios[0], Losing(embedder), None))
    assert found.shares['fp'] == (0, 0)


def test_the_oracle_stays_within_what_can_be_known(scenarios):
    for scenario in scenarios:
        whole = ceiling(scenario, scenario.introduced_bytes * 2)
        assert whole.fp[1] == 0
        assert whole.mrs[0] == whole.mrs[1]
        quarter = ceiling(scenario, int(BUDGET * scenario.introduced_bytes))
        assert 0.6 < quarter.mrs[0] / quarter.mrs[1] <= 1


def test_a_system_above_its_budget_is_found_out(scenarios, embedder):
    class Hoarder(VectorRag):
        def forget(self, now, budget_bytes):
            """Keeps everything."""

    with pytest.raises(MemoryFault, match='the budget is 1000'):
        run(scenarios[0], Hoarder(embedder), 1000)


@pytest.mark.parametrize('name', BASELINES)
def test_every_rival_keeps_to_budget_and_context_and_does_the_same_again(name, scenarios, embedder):
    scenario = scenarios[1]
    budget = int(BUDGET * scenario.introduced_bytes)
    first, second = (run(scenario, systems()[name](embedder), budget) for _ in range(2))
    assert first.bytes <= budget
    assert max(first.tokens) <= CONTEXT_TOKENS
    assert first.kept == second.kept


def _told(scenario, count):
    return list(scenario.told())[:count]


def test_memorybank_forgets_by_the_curve_of_the_paper_and_recall_makes_it_slower(scenarios, embedder):
    one, two = _told(scenarios[0], 2)
    bank = MemoryBank(embedder)
    bank.hear([one, two])
    bank.context(one.text, one.time)
    later = scenarios[0].sessions[10].time
    recalled, other = bank.items[one.text], bank.items[two.text]
    assert (recalled.strength, other.strength) == (2, 1)
    days = (later - one.time).total_seconds() / 86_400
    assert bank._worth(recalled, later) == pytest.approx(-days / 2)
    bank.forget(later, len(one.text.encode()))
    assert [passage.text for passage in bank.passages()] == [one.text]


def test_lru_keeps_what_was_used_last(scenarios, embedder):
    one, two = _told(scenarios[0], 2)
    memory = LeastRecentlyUsed(embedder)
    memory.hear([one, two])
    memory.context(one.text, scenarios[0].sessions[1].time)
    memory.forget(scenarios[0].sessions[2].time, max(len(one.text.encode()), len(two.text.encode())))
    assert [passage.text for passage in memory.passages()] == [one.text]


@given(st.lists(st.text(max_size=60), max_size=40), st.integers(0, 200))
def test_a_context_never_passes_its_tokens(texts, tokens):
    kept = fitting([Passage(text) for text in texts], tokens)
    assert sum(estimate_tokens(passage.text) for passage in kept) <= tokens
    assert [passage.text for passage in kept] == texts[: len(kept)]


@given(st.lists(st.floats(-1, 1), min_size=5, max_size=5))
def test_an_action_stands_for_parameters_within_their_ranges(action):
    found = parameters(action, ForgettingConfig())
    assert all(low <= getattr(found, name) <= high for name, (low, high) in RANGES.items())
    assert action_of(found) == pytest.approx(np.array(action), abs=0.01)


def learned_policy(file):
    layer = np.full((len(RANGES), len(OBSERVED)), 0.1, np.float32), np.zeros(len(RANGES), np.float32)
    policy = Policy((layer,), ForgettingConfig(), {'seed': 7})
    policy.save(file)
    return policy


def test_a_policy_is_read_without_torch_and_keeps_to_the_ranges(tmp_path):
    policy = learned_policy(tmp_path / 'policy.json')
    code = (
        'import sys; from pathlib import Path; from lucca_lab.forgetting.policy import load_policy; '
        f'policy = load_policy(Path({str(tmp_path / "policy.json")!r})); '
        'print(policy.provenance["seed"], "torch" in sys.modules, "gymnasium" in sys.modules)'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ['7', 'False', 'False']
    moved = policy.parameters(np.full(len(OBSERVED), 0.5, np.float32))
    assert all(least <= getattr(moved, name) <= most for name, (least, most) in RANGES.items())


def test_our_memory_has_fixed_parameters_unless_a_policy_is_named(tmp_path, embedder):
    policy = learned_policy(tmp_path / 'policy.json')
    assert systems()['lucca'](embedder).memory.config == ForgettingConfig()
    assert 'learned' not in systems()
    with pytest.raises(ConfigError, match="there is no system 'learned'"):
        ContestPlan(names=('learned',))
    assert ContestPlan(names=('learned',), policy='policy.json').names == ('learned',)
    assert systems(policy)['tuned'](embedder).memory.config == policy.base
    learned = systems(policy)['learned'](embedder)
    learned.forget(datetime(2026, 1, 1, tzinfo=UTC), 100)
    assert learned.memory.config != ForgettingConfig()


# `make soak` has the other family, too.
@pytest.mark.parametrize('at', [0, pytest.param(1, marks=pytest.mark.slow)])
def test_plain_centralities_keep_less_of_what_matters_than_the_probability_of_being_asked_for(at, scenarios, embedder):
    traces = [record(scenarios[at], embedder)]
    configs = {name: ForgettingConfig(centrality=name) for name in CENTRALITIES}
    kept = {name: share_of(kept_by_parameters(traces, config, BUDGET)) for name, config in configs.items()}
    assert kept['posterior'] > max(share for name, share in kept.items() if name != 'posterior') + 0.1


def test_a_policy_survives_its_file_and_another_one_is_refused(tmp_path):
    chance = np.random.default_rng(0)
    sizes = [len(OBSERVED), 4, 5]
    layers = tuple(
        (chance.normal(size=(out, into)).astype(np.float32), np.zeros(out, np.float32))
        for into, out in itertools.pairwise(sizes)
    )
    policy = Policy(layers, ForgettingConfig(), {'seed': 1})
    policy.save(tmp_path / 'policy.json')
    state = np.linspace(-1, 1, len(OBSERVED)).astype(np.float32)
    again = load_policy(tmp_path / 'policy.json')
    assert again.provenance == {'seed': 1}
    assert again.action(state) == pytest.approx(policy.action(state), abs=1e-3)
    with pytest.raises(ValueError, match='states of'):
        again.parameters(state[:3])
    text = (tmp_path / 'policy.json').read_text()
    for weight in ('NaN', '1e308', 'Infinity', '"x"', '[1]', '[' * 5000):
        (tmp_path / 'odd.json').write_text(re.sub(r'\[\[[^,]*,', f'[[{weight},', text, count=1))
        with pytest.raises(ConfigError, match='is not a forgetting policy'):
            load_policy(tmp_path / 'odd.json')
    (tmp_path / 'other.json').write_text('{"observation": []}')
    with pytest.raises(ConfigError, match='is not a forgetting policy'):
        load_policy(tmp_path / 'other.json')


def test_the_judge_takes_nothing_but_a_yes_for_one(scenarios):
    class Model:
        spec = 'fake'

        def __init__(self, text):
            self.text, self.asked = text, []

        def chat(self, messages, options):
            self.asked.append(messages[-1].content)
            return ChatReply(text=self.text, prompt_tokens=1, completion_tokens=1, model_s=0.0)

    asked = scenarios[0].exam[0]
    passages = (Passage('one'), Passage('two', outdated=True))
    model = Model('Yes.')
    assert is_answered(model, asked, passages)
    assert '(no longer true) two' in model.asked[0]
    assert not is_answered(Model('yesterday'), asked, passages)
    assert not is_answered(Model(''), asked, passages)


def test_a_plan_that_cannot_be_is_refused():
    with pytest.raises(ConfigError, match='there is no split'):
        ContestPlan(split='all')
    with pytest.raises(ConfigError, match='budget must be above 0'):
        ContestPlan(budget=0.0)
    with pytest.raises(ConfigError, match='there is no system'):
        ContestPlan(names=('mem0',))
    assert len(NAMES) == 15


@pytest.mark.filterwarnings('ignore')
def test_the_environment_passes_the_checkers_and_repeats_itself(embedder):
    checker = pytest.importorskip('gymnasium.utils.env_checker', reason='gymnasium is not installed')
    from lucca_lab.forgetting.environment import ForgettingEnv
    from lucca_lab.forgetting.trace import record

    trace = record(generate('dialogue', 'train', 3), embedder)
    env = ForgettingEnv([trace])
    checker.check_env(env, skip_render_check=True)
    others = pytest.importorskip('stable_baselines3.common.env_checker', reason='stable-baselines3 is not installed')
    others.check_env(env)
    action = np.array([random.Random(0).uniform(-1, 1) for _ in range(5)], np.float32)
    runs = []
    for _ in range(2):
        states, done = [env.reset(seed=5)[0]], False
        while not done:
            state, reward, done, _, info = env.step(action)
            states.append(np.append(state, reward))
        runs.append((np.concatenate(states), info['kept']))
    assert (runs[0][0] == runs[1][0]).all()
    assert runs[0][1] == runs[1][1]


def test_what_is_told_and_asked_comes_in_time(scenarios):
    for scenario in scenarios:
        events = [event for session in scenario.sessions for event in session.events]
        assert all(one.time <= two.time for one, two in itertools.pairwise(events))
        known = set()
        for event in events:
            if isinstance(event, ScenarioStatement):
                known.add(event.fact.fact_id)
            else:
                assert {fact.fact_id for fact in event.facts} <= known
