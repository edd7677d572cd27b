"""A tiny symbolic table that asks a model by the real prompt templates, as coordinator and worker do."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from lucca_core.paths import config_dir
from lucca_core.protocol.prohibitions import Prohibition
from lucca_core.protocol.snapshots import Snapshot, TableObject
from lucca_language.prohibitions import barred_in, prompt_lines
from lucca_llm.model import ChatOptions, Message
from lucca_llm.rules.rule_based_model import RuleBasedModel

# Test modules are imported by path (importlib mode), so what they share has to be found by name.
sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite('described')

SPECS: dict[str, Any] = yaml.safe_load((config_dir() / 'actions.yaml').read_text())['actions']
TASKS: dict[str, Any] = yaml.safe_load((config_dir() / 'tasks.yaml').read_text())['tasks']
ENVIRONMENT = jinja2.Environment(  # noqa: S701 - the output is a prompt
    loader=jinja2.FileSystemLoader(config_dir() / 'prompts'), trim_blocks=True, undefined=jinja2.ChainableUndefined
)


@dataclass
class Run:
    """What came of a task: the actions that worked, every call, and the last one."""

    done: list[str]
    calls: list[str]
    left: list[str]
    containers: dict[str, list[str]]

    @property
    def end(self) -> str:
        return self.calls[-1]

    @property
    def finished(self) -> bool:
        return self.end.startswith('<finish_task(')

    def did(self, action: str) -> list[str]:
        return [call[len(action) + 2 : -2] for call in self.done if call.startswith(f'<{action}(')]


@dataclass
class SymbolicTable:
    """Objects by name with their attributes, one task, and a model that decides."""

    objects: Mapping[str, Sequence[str]]
    description: str
    actions: Sequence[str] = tuple(SPECS)
    name: str = 'chore'
    specs: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: SPECS)
    fail: Callable[[str, int], str | None] = lambda call, times: None
    max_steps: int = 60
    turns_kept: int = 4
    facts: str = ''
    prohibited: Sequence[Prohibition] = ()

    def run(
        self,
        model: RuleBasedModel | None = None,
        *,
        memory: bool = True,
        steps: int | None = None,
        resume: bool = False,
    ) -> Run:
        self.model = model or RuleBasedModel()
        if not resume:
            self._reset()
        base = self._base(memory)
        if self.facts:
            base += f'\n# Facts\n{self.facts}\n'
        turns: list[tuple[str, str]] = []
        calls: list[str] = []
        done: list[str] = []
        tried: dict[str, int] = {}
        last: dict[str, str] = {}
        seen: dict[str, str] = {}
        to_do: list[str] = []
        for _ in range((steps or self.max_steps) * 4):
            question = self._step(memory, seen, last)
            brief = self._step(memory, seen, last, brief=True) if memory else question
            messages = [Message('system', base)]
            for asked, answered in turns:
                messages += [Message('user', asked), Message('assistant', answered)]
            reply = self.model.chat([*messages, Message('user', question)], ChatOptions()).text
            calls.append(reply)
            turns.append((brief, reply))
            if memory:
                turns = turns[-self.turns_kept :]
            call, _, argument = reply.strip('<>').removesuffix(')').partition('(')
            if call == 'retrieve_declarative_memory':
                seen['declarative'] = self._declarative()
                continue
            if call == 'retrieve_working_memory':
                to_do = self._select()
                seen['working'] = (
                    f'Reminder: {self.description}\nObjects still to handle, in order: {", ".join(to_do) or "none"}'
                )
                continue
            if call in ('finish_task', 'cannot_do'):
                break
            tried[reply] = tried.get(reply, 0) + 1
            code = self._act(call, argument, tried[reply])
            last = {'last_action': reply, 'last_code': code}
            seen = {}
            if code == 'done':
                done.append(reply)
            if steps is not None and len(done) >= steps:
                break
            if len(calls) > self.max_steps * 4:
                break
        return Run(done, calls, self.on_table, self.containers)

    def restating(self) -> tuple[str, str]:
        """The prompts that ask how the task is understood."""
        self.model = RuleBasedModel()
        self._reset()
        return self._base(memory=True), self._render(
            'coordinator_restate.j2',
            task=self.name,
            objects_on_table=self._listed(self.on_table),
            containers=self._containers(),
            correction='',
        )

    def _base(self, memory: bool) -> str:
        return self._render(
            'coordinator_base.j2',
            tasks=[{'name': self.name, 'description': self.description, 'actions': list(self.actions)}],
            actions=[{'name': name, **self.specs[name]} for name in self.actions],
            memory=memory,
        )

    def _reset(self) -> None:
        effects = [spec['effect'] for spec in self.specs.values()]
        self.on_table = list(self.objects)
        self.containers: dict[str, list[str]] = {
            effect['container']: [] for effect in effects if effect.get('container')
        }
        self.pointed: list[str] = []
        self.log: list[str] = []
        self.acts: list[str] = []

    def _act(self, call: str, argument: str, times: int) -> str:
        if call not in self.actions:
            return 'not_allowed_for_task'
        if argument not in self.on_table:
            return 'unknown_object'
        if (code := self.fail(f'<{call}({argument})>', times)) is not None:
            return code
        effect = self.specs[call]['effect']
        if effect.get('container'):
            self.on_table.remove(argument)
            self.containers[effect['container']].append(argument)
        else:
            self.pointed.append(argument)
        self.acts.append(f'<{call}({argument})>')
        self._write(f'<{call}({argument})>')
        return 'done'

    def _write(self, action: str) -> None:
        held = '\n'.join(f'In {name}: {", ".join(names) or "none"}' for name, names in self.containers.items())
        self.log.append(
            f'Entry {len(self.log) + 1}\nKind: outcome\nAction: {action}\nCode: done\n{held}\n'
            f'Objects on the table: {", ".join(self.on_table) or "none"}\n'
            f'Pointed at: {", ".join(self.pointed) or "none"}\n'
        )

    def _listed(self, names: Sequence[str]) -> str:
        return ', '.join(f'{name} ({", ".join(self.objects[name])})' if self.objects[name] else name for name in names)

    def _step(self, memory: bool, seen: Mapping[str, str], last: Mapping[str, str], *, brief: bool = False) -> str:
        return self._render(
            'coordinator_step.j2',
            memory=memory,
            brief=brief,
            task=self.name,
            declarative=seen.get('declarative', ''),
            working=seen.get('working', ''),
            objects_on_table=self._listed(self.on_table),
            containers=self._containers(),
            **{'last_action': '', 'last_code': '', 'last_message': '', **last},
        )

    def _containers(self) -> list[dict[str, str]]:
        return [{'name': name, 'contents': self._listed(names)} for name, names in self.containers.items()]

    def _ask(self, template: str, **values: Any) -> list[str]:
        text = self.model.chat([Message('user', self._render(template, **values))], ChatOptions()).text
        assert '\n' not in text
        return [] if text == 'none' else text.split(', ')

    def _declarative(self) -> str:
        if not self.log:
            return 'Nothing has been done so far.'
        lines = []
        for name, held in self.containers.items():
            read = self._ask(
                'worker_declarative.j2',
                task=self.name,
                log='\n'.join(self.log),
                question=f'in {name}',
                line=f'In {name}',
            )
            assert read == held
            lines.append(f'{name}: {", ".join(read) or "none"}')
        pointed = self._ask(
            'worker_declarative.j2',
            task=self.name,
            log='\n'.join(self.log),
            question='that have been pointed at',
            line='Pointed at',
        )
        assert pointed == self.pointed
        lines.append(f'Pointed at: {", ".join(pointed) or "none"}')
        return '\n'.join(lines)

    def _select(self) -> list[str]:
        return self._ask(
            'worker_working.j2',
            task=self.name,
            description=self.description + (f' {self.facts}' if self.facts else ''),
            actions=[{'name': name, **self.specs[name]} for name in self.actions],
            done=', '.join(self.acts),
            containers=self._containers(),
            objects_on_table=self._listed(self.on_table),
        )

    def _render(self, template: str, **values: Any) -> str:
        return ENVIRONMENT.get_template(template).render(prohibited=self._prohibited(), **values)

    def _prohibited(self) -> Sequence[str]:
        """The lines of the prompts about prohibitions, as coordinator and worker write them."""
        objects = (
            TableObject(object_id=name, name=name, label=name, attributes=tuple(self.objects[name]))
            for name in self.on_table
        )
        return prompt_lines(barred_in(Snapshot(objects=tuple(objects)), self.prohibited)) if self.prohibited else ()


@pytest.fixture(scope='session')
def table() -> type[SymbolicTable]:
    """The class of the symbolic table."""
    return SymbolicTable


@pytest.fixture(scope='session')
def tasks() -> dict[str, Any]:
    """The tasks of config/tasks.yaml."""
    return TASKS
