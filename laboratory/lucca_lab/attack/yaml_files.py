"""Attack on the configuration readers: mutated YAML files must be read, or refused with the file's name.

Every value of every file has its turn: trial by trial, the next one is mutated. A draw decides whether an odd value
replaces it, or whether the text is damaged there and perhaps elsewhere too.
"""

import os
import random
import re
import resource
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import yaml

from coordinator_node.persona import load_persona
from lucca_cli.setup_checks import SETTINGS
from lucca_core.errors import ConfigError
from lucca_core.paths import config_dir
from lucca_core.settings import from_mapping, parameters_for
from lucca_core.yaml_file import LocatedMapping
from lucca_lab.attack.attack import Attack, Broken, Counts, SeededRandom, Trial, turn_of
from lucca_lab.attack.robot_stand_ins import make_stand_ins
from lucca_lab.faults.fault_profiles import load_fault_profiles
from lucca_lab.forgetting.policy import NAMES as OBSERVED
from lucca_lab.forgetting.policy import Policy, load_policy
from lucca_lab.study.questionnaire import FILE as QUESTIONNAIRE
from lucca_lab.study.questionnaire import load_questionnaire
from lucca_llm.proposal_examples import load_examples
from lucca_memory.procedural import load_actions, load_tasks
from lucca_memory.semantic.config import RANGES, ForgettingConfig
from lucca_robot.profile import load_profile
from lucca_robot.urdf import load_urdf
from lucca_sim.scene import load_scene
from perception_node.lexicon import load_lexicon
from speech_node.hearing.command_book import load_commands, object_names

LONGEST_S = 10.0
"""The most processor time (s) for one file; a reader that takes longer hangs."""

MOST_GROWTH_KB = 400_000

_BOMB = ''.join(
    [
        '\na0: &a0 {x: 1, y: 2}\n',
        *(f'a{i}: &a{i} {{<<: [{", ".join([f"*a{i - 1}"] * 9)}]}}\n' for i in range(1, 9)),
    ]
)
_LISTS = ''.join(f'\nl{i}: &l{i} [{", ".join([f"*l{i - 1}"] * 9 if i else ["x"] * 9)}]' for i in range(9))
_PIECES = (
    *('{', '[', '&a ', '*a', '<<: *a', '- ', ': ', '\t', '"', "'", '\x00', '\n', '\r', '|', '>', '%', '!', '\x85'),
    *('!!python/object:os.system ', '!!int ""', '!!bool maybe', '!!set {[a]: }', '!!binary "="', '1e999', '.inf'),
    *('\ufeff', '\u202e', '---\n', '...\n', '[' * 3000, '{a: ' * 100, '? ', '<<: 1\n', _BOMB, _LISTS),
)
_VALUES = (
    *('-1', '0', '1', '-0.0', '1.5', '1e308', '-1e308', '.inf', '-.inf', '.nan', '1e-320', '99999999999999999999'),
    *('0x' + 'f' * 8000, '2147483648', '-2147483649', 'true', 'false', 'null', '~', '""', "' '", 'x', '"\\0"'),
    *(
        '[]',
        '{}',
        '[[]]',
        '[1]',
        '[x]',
        '[null]',
        '[1, x, null]',
        '{a: 1}',
        '{a: {b: {c: []}}}',
        '[{}]',
        '[.nan, .nan]',
    ),
    *('"\\u202e"', '"\\ud800"', '"é"', '"🤖"', '"../../../etc/passwd"', '"/dev/zero"', '"."', '"%s{}"', '"\\n"'),
    *('2001-01-01', '12:30:45', '!!binary aGk=', '!!set {a, b}', '[.inf, .inf, .inf]', '[-1, -1, -1]', '[0, 0, 0]'),
    *(
        '"' + 'x' * 5000 + '"',
        '[' + '1, ' * 2000 + '1]',
        '[' * 35 + ']' * 35,
        '[0, 0]',
        '[1, 0]',
        '"<(*+?"',
        '"{object}"',
    ),
)


@dataclass(frozen=True)
class _Target:
    """A file in the random folder, its text, the position of each value in it, and its reader."""

    name: str
    text: str
    places: tuple[tuple[int, int], ...]
    load: Callable[[Path], object]


@contextmanager
def _open(folder: Path) -> Iterator[Trial]:
    config = folder / 'config'
    shutil.copytree(config_dir(), config)
    make_stand_ins(folder / 'robots')
    with patch.dict(os.environ, {'LUCCA_ROBOTS_DIR': str(folder / 'robots')}):
        yield _trial(config)


def _trial(config: Path) -> Trial:
    turns = [(target, place) for target in targets_in(config) for place in target.places]
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def trial(chance: SeededRandom) -> Counts:
        target, place = turns[turn_of(chance.trial_seed, len(turns))]
        text = (_with_odd_value if chance.random() < 0.5 else _damaged)(target, place, chance)
        file = config / target.name
        visited = {'different values': int(chance.number < len(turns))}
        began_s = time.process_time()
        try:
            file.write_bytes(text.encode('utf-8', 'surrogatepass'))
            target.load(file)
            return {'read': 1, **visited}
        except ConfigError as error:
            if not error.file:
                raise Broken(f'{target.name}: names no file: {error}; of {_shown(text, target.text)}') from error
            return {'refused': 1, 'refused_without_line': not error.line, **visited}
        except Exception as error:
            raise Broken(
                f'{target.name}: {type(error).__name__}: {str(error)[:300]}; of {_shown(text, target.text)}'
            ) from error
        finally:
            file.write_text(target.text, encoding='utf-8')
            took_s = time.process_time() - began_s
            if took_s > LONGEST_S:
                raise Broken(f'{target.name} took {took_s:.1f} s; of {_shown(text, target.text)}')
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb > MOST_GROWTH_KB:
                raise Broken(f'memory grew by more than {MOST_GROWTH_KB} kB by {target.name}')

    return trial


def targets_in(config: Path) -> list[_Target]:
    """Every YAML file and robot description of `config`, a questionnaire, a policy, and all settings of each node."""
    loads: list[tuple[str, Callable[[Path], object]]] = [
        ('actions.yaml', load_actions),
        ('tasks.yaml', load_tasks),
        ('persona.yaml', load_persona),
        ('speech.yaml', load_commands),
        ('objects.yaml', load_lexicon),
        ('objects.yaml', object_names),
        ('faults.yaml', load_fault_profiles),
        ('questionnaire.yaml', load_questionnaire),
        ('scenes/library/objects.yaml', lambda file: load_scene(file.parent.parent / 'table.yaml')),
        ('prompts/proposals.yaml', load_examples),
        ('policy.json', load_policy),
    ]
    loads += [(f'scenes/{file.name}', load_scene) for file in sorted((config / 'scenes').glob('*.yaml'))]
    loads += [(f'robots/{file.name}', load_profile) for file in sorted((config / 'robots').glob('*.yaml'))]
    loads += [(f'robots/{file.name}', load_urdf) for file in sorted((config / 'robots').glob('*.urdf'))]
    loads += [(f'nodes/{file.name}', _load_parameters) for file in sorted((config / 'nodes').glob('*.yaml'))]
    layer = np.zeros((len(RANGES), len(OBSERVED)), np.float32), np.zeros(len(RANGES), np.float32)
    Policy((layer,), ForgettingConfig(), {'seed': 1}).save(config / 'policy.json')
    shutil.copy(QUESTIONNAIRE, config / 'questionnaire.yaml')
    for node, kinds in SETTINGS.items():
        defaults = {item.name: _plain(getattr(kind(), item.name)) for kind in kinds for item in fields(kind)}
        text = yaml.safe_dump({f'/**/{node}': {'ros__parameters': defaults}}, allow_unicode=True)
        (config / 'nodes' / f'{node}.yaml').write_text(text, encoding='utf-8')
        loads.append((f'nodes/{node}.yaml', partial(_settings_of, node)))
    targets = []
    for name, load in loads:
        text = (config / name).read_text(encoding='utf-8')
        load(config / name)
        targets.append(_Target(name, text, _places(name, text), load))
    return targets


def _load_parameters(file: Path) -> object:
    return [_settings_of(node, file) for node in SETTINGS]


def _settings_of(node: str, file: Path) -> object:
    values = parameters_for(file, node)
    values.pop('use_sim_time', None)
    *others, last = SETTINGS[node]
    read: list[object] = []
    for kind in others:
        own = LocatedMapping()
        own.key_lines = values.key_lines
        own.update({item.name: values.pop(item.name) for item in fields(kind) if item.name in values})
        read.append(from_mapping(kind, own, file=str(file)))
    # What is in none of them is refused by name.
    return [*read, from_mapping(last, values, file=str(file))]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _places(name: str, text: str) -> tuple[tuple[int, int], ...]:
    if name.endswith('.urdf'):
        return tuple(match.span(1) for match in re.finditer(r'="([^"]*)"', text))
    found: list[tuple[int, int]] = []

    def walk(node: yaml.Node | None) -> None:
        assert node is not None
        found.append((node.start_mark.index, node.end_mark.index))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                walk(key)
                walk(value)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                walk(item)

    walk(yaml.compose(text, Loader=yaml.SafeLoader))
    return tuple(found)


def _with_odd_value(target: _Target, place: tuple[int, int], chance: random.Random) -> str:
    begin, end = place
    value = chance.choice(_VALUES)
    if target.name.endswith('.urdf'):
        return target.text[:begin] + value.replace('"', '') + target.text[end:]
    # A list or mapping in block style includes the line break after it.
    line_end = '\n' if '\n' in target.text[begin:end] else ''
    return f'{target.text[:begin]}{value}{line_end}{target.text[end:]}'


def _damaged(target: _Target, place: tuple[int, int], chance: random.Random) -> str:
    text, at = target.text, chance.randint(*place)
    for _ in range(chance.randint(1, 4)):
        gone = chance.choice((0, 0, 1, 20, 400))
        text = text[:at] + chance.choice(_PIECES) + text[at + gone :]
        at = chance.randrange(len(text) + 1)
    return text


def _shown(text: str, before: str) -> str:
    same = next((i for i, (a, b) in enumerate(zip(text, before, strict=False)) if a != b), min(len(text), len(before)))
    return repr(text[max(0, same - 60) : same + 80])


PART = Attack(
    name='yaml',
    promise='A mutated configuration is read, or refused with a ConfigError that names the file; nothing hangs.',
    open=_open,
    sample=50,
    count=100_000,
)
