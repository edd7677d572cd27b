"""Prints the settings tables into docs/parameters.md from the dataclasses; with --check it only compares."""

import argparse
import dataclasses
import importlib
import re
import sys
import typing
from pathlib import Path

from lucca_core.settings import bounds_of, is_live, type_name

PAGE = Path(__file__).resolve().parent.parent / 'docs' / 'parameters.md'
CONFIGS = {
    'coordinator': ('coordinator_node.config', 'CoordinatorConfig'),
    'worker': ('worker_node.config', 'WorkerConfig'),
    'desk': ('worker_node.people.config', 'DeskConfig'),
    'network': ('worker_node.network.config', 'NetworkConfig'),
    'people': ('lucca_memory.people.config', 'PeopleConfig'),
    'perception': ('perception_node.config', 'PerceptionConfig'),
    'action': ('action_node.config', 'ActionConfig'),
    'speech': ('speech_node.config', 'SpeechConfig'),
    'motion': ('action_node.motion.config', 'MotionConfig'),
    'simulator': ('lucca_sim.config', 'SimConfig'),
    'relay': ('lucca_sim.relay.config', 'RelayConfig'),
}
BLOCK = re.compile(r'(<!-- settings: (\w+) -->\n).*?(<!-- end -->)', re.DOTALL)


def rendered(text: str) -> str:
    """The page with each settings block replaced by the table of its dataclass."""

    def table(match: re.Match[str]) -> str:
        module, name = CONFIGS[match[2]]
        return f'{match[1]}{markdown_table(getattr(importlib.import_module(module), name))}\n{match[3]}'

    return BLOCK.sub(table, text)


def markdown_table(config_class: type) -> str:
    """A settings dataclass as a Markdown table. A star marks live settings; see `setting`."""
    hints = typing.get_type_hints(config_class)
    rows = ['| parameter | type | default | range | meaning |', '| --- | --- | --- | --- | --- |']
    for item in dataclasses.fields(config_class):
        default = repr(item.default).replace('|', '\\|')
        star = ' *' if is_live(item) else ''
        rows.append(
            f'| `{item.name}`{star} | {type_name(hints[item.name])} | `{default}` | {bounds_of(item) or ""} '
            f'| {item.metadata.get("doc", "")} |'
        )
    return '\n'.join(rows)


def main() -> int:
    """Rewrites docs/parameters.md; with --check, only reports whether it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--check', action='store_true', help='compare only; exit code 1 when a table is out of date')
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding='utf-8')
    new = rendered(text)
    if arguments.check:
        if new != text:
            sys.stderr.write('docs/parameters.md: a settings table is out of date; run: make parameters\n')
            return 1
        return 0
    PAGE.write_text(new, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
