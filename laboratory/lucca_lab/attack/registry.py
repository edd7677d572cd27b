"""The registry of all attacks by name. Each is imported only when it is used, since some need ROS."""

from importlib import import_module

from lucca_lab.attack.attack import Attack

PARTS: dict[str, str] = {
    'command-line': 'lucca_lab.attack.running.command_line:PART',
    'databases': 'lucca_lab.attack.databases:PART',
    'described-tasks': 'lucca_lab.attack.described_tasks:PART',
    'gate': 'lucca_lab.attack.gate:PART',
    'hostile-model': 'lucca_lab.attack.running.hostile_model:PART',
    'hostile-stack': 'lucca_lab.attack.running.hostile_stack:PART',
    'growth': 'lucca_lab.attack.running.growth:PART',
    'clumsy-traces': 'lucca_lab.attack.clumsy_traces:PART',
    'honest-traces': 'lucca_lab.attack.honest_traces:PART',
    'doctored-traces': 'lucca_lab.attack.doctored_traces:PART',
    'kills': 'lucca_lab.attack.running.kills:PART',
    'log-bits': 'lucca_lab.attack.logs:BITS',
    'log-cuts': 'lucca_lab.attack.logs:CUTS',
    'log-each-bit': 'lucca_lab.attack.each_log_byte:BITS',
    'log-each-cut': 'lucca_lab.attack.each_log_byte:CUTS',
    'log-faults': 'lucca_lab.attack.log_faults:PART',
    'log-kills': 'lucca_lab.attack.logs:KILLS',
    'messages': 'lucca_lab.attack.running.messages:PART',
    'model-server': 'lucca_lab.attack.model_server:PART',
    'names': 'lucca_lab.attack.names:PART',
    'page': 'lucca_lab.attack.page:PART',
    'recordings': 'lucca_lab.attack.recordings:PART',
    'identities': 'lucca_lab.attack.identities:PART',
    'rendered-falls': 'lucca_lab.attack.rendered_falls:PART',
    'replays': 'lucca_lab.attack.replay_files:PART',
    'second-stack': 'lucca_lab.attack.running.second_stack:PART',
    'shutdown': 'lucca_lab.attack.running.shutdown:PART',
    'sounds': 'lucca_lab.attack.sound_files:PART',
    'stop': 'lucca_lab.attack.running.stops:PART',
    'texts': 'lucca_lab.attack.texts:PART',
    'tower': 'lucca_lab.attack.towers:PART',
    'two-robots': 'lucca_lab.attack.running.two_robots:PART',
    'video-judge': 'lucca_lab.attack.video_judge:PART',
    'yaml': 'lucca_lab.attack.yaml_files:PART',
}
"""Module and variable of each attack, by its name."""

NEED_ROS = 'lucca_lab.attack.running.'
"""The prefix of attacks that run against nodes and need ROS."""


def find_part(name: str) -> Attack:
    """Imports the attack with this name.

    Raises:
        ValueError: there is no such attack; the message lists all names.
    """
    if name not in PARTS:
        raise ValueError(f'there is no attack {name!r}; there are {", ".join(sorted(PARTS))}')
    module, _, attribute = PARTS[name].partition(':')
    part: Attack = getattr(import_module(module), attribute)
    return part
