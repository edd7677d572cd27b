"""Where each attack is. They are imported when they are asked for: some need ROS, which others do without."""

from importlib import import_module

from lucca_eval.attack.part import Part

PARTS: dict[str, str] = {
    'command-line': 'lucca_eval.attack.running.command_line:PART',
    'databases': 'lucca_eval.attack.databases:PART',
    'described-tasks': 'lucca_eval.attack.described_tasks:PART',
    'gate': 'lucca_eval.attack.gate:PART',
    'hostile-model': 'lucca_eval.attack.running.hostile_model:PART',
    'hostile-stack': 'lucca_eval.attack.running.hostile_stack:PART',
    'growth': 'lucca_eval.attack.running.growth:PART',
    'kills': 'lucca_eval.attack.running.kills:PART',
    'log-bits': 'lucca_eval.attack.logs:BITS',
    'log-cuts': 'lucca_eval.attack.logs:CUTS',
    'log-kills': 'lucca_eval.attack.logs:KILLS',
    'messages': 'lucca_eval.attack.running.messages:PART',
    'model-server': 'lucca_eval.attack.model_server:PART',
    'names': 'lucca_eval.attack.names:PART',
    'identities': 'lucca_eval.attack.identities:PART',
    'replays': 'lucca_eval.attack.replay_files:PART',
    'second-stack': 'lucca_eval.attack.running.second_stack:PART',
    'shutdown': 'lucca_eval.attack.running.shutdown:PART',
    'sounds': 'lucca_eval.attack.sound_files:PART',
    'stop': 'lucca_eval.attack.running.stops:PART',
    'texts': 'lucca_eval.attack.texts:PART',
    'tower': 'lucca_eval.attack.towers:PART',
    'two-robots': 'lucca_eval.attack.running.two_robots:PART',
    'yaml': 'lucca_eval.attack.yaml_files:PART',
}
"""Module and name of each part, by the name that the part has."""

NEED_ROS = 'lucca_eval.attack.running.'
"""Parts in this folder attack nodes."""


def find_part(name: str) -> Part:
    """The part of this name.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    if name not in PARTS:
        raise ValueError(f'there is no attack {name!r}; there are {", ".join(sorted(PARTS))}')
    module, _, attribute = PARTS[name].partition(':')
    part: Part = getattr(import_module(module), attribute)
    return part
