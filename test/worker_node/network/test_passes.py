"""Forgetting passes keep their schedule over restarts; a policy sets parameters; damage stays in the network."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lucca_core.errors import ConfigError, MemoryFault
from lucca_lab.forgetting.policy import NAMES, Policy
from lucca_memory.semantic.config import RANGES, ForgettingConfig
from lucca_memory.semantic.memory import ConceptMemory
from lucca_memory.semantic.opening import NETWORK_FILE
from lucca_memory.semantic.store.sqlite_store import SqliteNetworkStore
from lucca_memory.store.sqlite import IN_MEMORY
from worker_node.network.follower import Passes

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Schedule:
    """Passes over one store, at a time that tests set."""

    def __init__(self, every_h: float = 24.0) -> None:
        self.now = BEGIN
        self.made: list[datetime] = []
        self.store = SqliteNetworkStore(IN_MEMORY)
        self._every_h = every_h
        self.start()

    def start(self) -> None:
        memory = ConceptMemory(store=self.store)
        self.passes = Passes(memory, self._every_h, self.made.append, lambda: self.now)

    def after(self, hours: float) -> int:
        self.now += timedelta(hours=hours)
        self.passes.step()
        return len(self.made)


def test_a_pass_comes_when_its_time_has_passed_and_not_before() -> None:
    schedule = Schedule()
    assert [schedule.after(hours) for hours in (0, 23.9, 0.1, 1, 23)] == [0, 0, 1, 1, 2]


def test_a_restart_does_not_put_a_pass_off() -> None:
    schedule = Schedule()
    schedule.after(0)
    for _ in range(3):
        schedule.start()
        schedule.after(8)
    assert schedule.made == [BEGIN + timedelta(hours=24)]


def test_a_clock_that_was_ahead_does_not_put_the_next_pass_off_for_years() -> None:
    schedule = Schedule()
    schedule.now += timedelta(days=10_000)
    schedule.after(0)
    schedule.now = BEGIN
    assert [schedule.after(hours) for hours in (0, 23.9, 0.1)] == [0, 0, 1]


def test_without_a_period_nothing_is_forgotten() -> None:
    assert Schedule(every_h=0.0).after(10_000) == 0


def test_a_pass_waits_until_it_is_prepared_in_steps_of_their_own() -> None:
    schedule = Schedule()
    left = [True, True, False]
    schedule.passes = Passes(
        ConceptMemory(store=schedule.store), 24.0, schedule.made.append, lambda: schedule.now, lambda now: left.pop(0)
    )
    schedule.after(0)
    schedule.now += timedelta(hours=24)
    assert [schedule.passes.step() for _ in range(4)] == [True, True, False, False]
    assert left == []
    assert len(schedule.made) == 1


def test_a_pass_that_failed_is_still_due() -> None:
    schedule = Schedule()
    schedule.after(0)
    fails = [MemoryFault('disk full')]

    def forget(now: datetime) -> None:
        if fails:
            raise fails.pop()
        schedule.made.append(now)

    schedule.passes = Passes(ConceptMemory(store=schedule.store), 24.0, forget, lambda: schedule.now)
    with pytest.raises(MemoryFault, match='disk full'):
        schedule.after(24)
    assert schedule.after(0) == 1


def test_after_a_pass_the_network_is_within_its_budget_and_what_is_pinned_stays(house: Any) -> None:
    house.open()
    house.desks.people.remember(house.meet('Anna'), 'The spare key hangs behind the clock.')
    house.say('Anna', *(f'Friend{number} told me about shop number {number} in Bonn.' for number in range(20)))
    before = house.memory.stats().bytes
    # Due at once: the first round sets the schedule, the next one is later.
    house.open(forget_every_h=1e-9, forget_budget_bytes=200).settle()
    house.settle()
    assert before > 200 >= house.memory.stats().bytes
    assert 'The spare key hangs behind the clock.' in house.nodes()
    # Lines are not the network's to forget.
    assert any('shop number 7' in item.text for item in house.recall('Anna', 'shop number 7', 'said'))


def policy_of(file: Path, bias: float) -> Path:
    layers = ((np.zeros((5, len(NAMES)), np.float32), np.full(5, bias, np.float32)),)
    Policy(layers, ForgettingConfig(), {'seed': 1}).save(file)
    return file


def test_a_learned_policy_sets_the_parameters_of_a_pass(house: Any, tmp_path: Path) -> None:
    file = policy_of(tmp_path / 'policy.json', 0.9)
    house.open(policy_file=str(file), forget_every_h=1e-9).say('Anna', 'Paula lives in Bonn.')
    house.settle()
    assert house.memory.config.theta > ForgettingConfig().theta


def test_what_a_policy_decides_does_not_depend_on_what_it_decided_before(house: Any, tmp_path: Path) -> None:
    # It looks at the mean importance, and moves how importance is weighed.
    weights = np.zeros((5, len(NAMES)), np.float32)
    weights[:, list(NAMES).index('importance_50')] = (1.0, -1.0, 1.0, 0.0, 0.0)
    file = tmp_path / 'policy.json'
    Policy(((weights, np.full(5, 0.3, np.float32)),), ForgettingConfig(), {'seed': 1}).save(file)
    house.open(policy_file=str(file), forget_every_h=1e-9).say('Anna', 'Paula lives in Bonn.')
    house.settle()
    first = house.memory.config
    house.settle()
    house.settle()
    assert first != ForgettingConfig()
    # What the policy looks at fades a little in the time that this takes.
    later, before = ([getattr(config, name) for name in RANGES] for config in (house.memory.config, first))
    assert later == pytest.approx(before, rel=1e-4)


def test_without_a_policy_the_parameters_are_the_fixed_ones(house: Any) -> None:
    house.open(forget_every_h=1e-9).say('Anna', 'Paula lives in Bonn.')
    house.settle()
    assert house.memory.config == ForgettingConfig()


@pytest.mark.parametrize('policy', [False, True])
def test_the_centrality_of_a_pass_is_the_one_that_is_set(house: Any, tmp_path: Path, policy: bool) -> None:
    file = str(policy_of(tmp_path / 'policy.json', 0.5)) if policy else ''
    house.open(centrality='pagerank', policy_file=file, forget_every_h=1e-9).say('Anna', 'Paula lives in Bonn.')
    house.settle()
    house.settle()
    assert house.memory.config.centrality == 'pagerank'
    with pytest.raises(ValueError, match='centrality must be one of'):
        house.open(centrality='fame')


@pytest.mark.parametrize('setting', [{'centrality': 'degree'}, {'policy_file': 'policy.json'}])
def test_without_the_laboratory_its_settings_are_refused(house: Any, monkeypatch: Any, setting: dict[str, str]) -> None:
    monkeypatch.setattr('lucca_core.laboratory.instruments', dict)
    with pytest.raises(ConfigError, match='needs the laboratory: pip install'):
        house.open(**setting)


def test_a_policy_that_is_none_is_named(house: Any, tmp_path: Path) -> None:
    (tmp_path / 'policy.json').write_text('{}')
    with pytest.raises(ConfigError, match='is not a forgetting policy'):
        house.open(policy_file=str(tmp_path / 'policy.json'))


def test_a_damaged_network_harms_no_turn_and_no_recall(house: Any, caplog: pytest.LogCaptureFixture) -> None:
    house.open(network=False).say('Anna', 'Paula lives in Bonn.')
    house.close()
    (house.path / NETWORK_FILE).write_bytes(b'no database' * 500)
    house.open().say('Anna', 'The kiln is in Ulm.')
    assert house.recall('Anna', 'Where does Paula live?')[0].text == 'Paula lives in Bonn.'
    assert f'{NETWORK_FILE} cannot be used as memory' in caplog.text
    with pytest.raises(MemoryFault, match='has not been read yet'):
        house.desks.network.by_hand('graph', str(house.path), ())
