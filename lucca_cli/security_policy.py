"""The SROS 2 policy of the stack: what each node may publish, subscribe to, serve and call.

`ros2 security create_permission` reads the file. An enclave is a process; the companions of a node (such as
`NAME_streams`, `worker_people`, `action_stop`) are profiles of its enclave.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

_CONTROLLERS = ('left_arm_controller', 'right_arm_controller', 'left_hand_controller', 'right_hand_controller')
_CAMERA = ('camera/color/image_raw', 'camera/depth/image_raw', 'camera/color/camera_info')
_PEOPLE = tuple(
    f'memory/{name}'
    for name in (
        *('meet', 'introduce', 'end_conversation', 'recall', 'record_turn', 'remember', 'forget', 'feedback'),
        'network',
    )
)
_TASKS = ('memory/tasks', 'memory/teach', 'memory/forget_task')
_MEMORY = ('memory/record', 'memory/retrieve_working', 'memory/retrieve_declarative', 'memory/review')
_OWN_SERVICES = (
    *('change_state', 'get_state', 'get_available_states', 'get_available_transitions', 'get_transition_graph'),
    *('describe_parameters', 'get_parameter_types', 'get_parameters', 'list_parameters'),
    *('set_parameters', 'set_parameters_atomically', 'get_type_description'),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """The rights of one node, by relative names. `companions`: further nodes in its process."""

    publishes: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    executes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()


RIGHTS: Mapping[str, Rights] = {
    'simulator': Rights(
        publishes=('clock', 'joint_states', *_CAMERA),
        hears=(*(f'{name}/joint_trajectory' for name in (*_CONTROLLERS, 'head_controller')), 'perception/objects'),
    ),
    'perception': Rights(
        publishes=(
            *('perception/objects', 'perception/annotated', 'perception/markers', 'perception/detections'),
            'diagnostics',
        ),
        hears=('joint_states', *_CAMERA, 'clock'),
        serves=('perception/set_vocabulary',),
        companions=('perception_streams',),
    ),
    'action': Rights(
        publishes=(
            *(f'{name}/{kind}' for name in _CONTROLLERS for kind in ('joint_trajectory', 'planned_trajectory')),
            *('diagnostics', 'observations'),
        ),
        hears=('joint_states', 'perception/objects', 'emergency_stop', 'speech/stop', 'clock'),
        serves=('action/stop', 'action/reset'),
        calls=('memory/record',),
        executes=('execute_action',),
        companions=('action_streams', 'action_stop'),
    ),
    'worker': Rights(
        publishes=('diagnostics', 'observations'),
        hears=('perception/objects', 'clock'),
        serves=(*_MEMORY, *_TASKS, *_PEOPLE),
        companions=('worker_streams', 'worker_people'),
    ),
    'coordinator': Rights(
        publishes=('speech/say', 'diagnostics', 'observations'),
        hears=('perception/objects', 'speech/heard', 'clock'),
        calls=(*_MEMORY, *_TASKS, *_PEOPLE),
        executes=('execute_task',),
        asks=('execute_action',),
        companions=('coordinator_streams',),
    ),
    'speech': Rights(
        publishes=('speech/heard', 'speech/say', 'speech/stop', 'speech/audio_out', 'diagnostics'),
        hears=('speech/say', 'speech/audio_in', 'clock'),
    ),
    'lucca_cli': Rights(
        hears=(
            *('perception/objects', 'perception/annotated', 'diagnostics', 'observations', 'clock'),
            *('joint_states', 'speech/heard', 'speech/say', *(f'{name}/joint_trajectory' for name in _CONTROLLERS)),
        ),
        calls=(*_TASKS, 'memory/network', 'action/stop', 'action/reset', 'perception/set_vocabulary'),
        asks=('execute_task',),
        companions=('lucca_cli_stop',),
    ),
    'emergency_button': Rights(publishes=('emergency_stop',)),
}
"""The rights by node. `lucca_cli` is the command, `emergency_button` a node of your own."""


def policy_xml(namespace: str = '/') -> str:
    """The policy for the nodes of one namespace, as XML for SROS 2 (version 0.2.0)."""
    policy = Xml.Element('policy', version='0.2.0')
    enclaves = Xml.SubElement(policy, 'enclaves')
    for name, rights in RIGHTS.items():
        enclave = Xml.SubElement(enclaves, 'enclave', path=f'/{name}')
        profiles = Xml.SubElement(enclave, 'profiles')
        for node in (name, *rights.companions):
            _profile(Xml.SubElement(profiles, 'profile', ns=namespace, node=node), rights)
    Xml.indent(policy, '  ')
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(policy, encoding="unicode")}\n'


def _profile(profile: Xml.Element, rights: Rights) -> None:
    topics = {
        'publish': (*rights.publishes, 'claims', '/rosout', '/parameter_events', '~/transition_event'),
        'subscribe': (*rights.hears, 'claims', '/parameter_events'),
    }
    for verb, names in topics.items():
        _allow(profile, 'topics', 'topic', verb, names)
    _allow(profile, 'services', 'service', 'reply', (*rights.serves, *(f'~/{name}' for name in _OWN_SERVICES)))
    _allow(profile, 'services', 'service', 'request', rights.calls)
    _allow(profile, 'actions', 'action', 'execute', rights.executes)
    _allow(profile, 'actions', 'action', 'call', rights.asks)


def _allow(profile: Xml.Element, group: str, kind: str, verb: str, names: tuple[str, ...]) -> None:
    if not names:
        return
    place = Xml.SubElement(profile, group, {verb: 'ALLOW'})
    for name in dict.fromkeys(names):
        Xml.SubElement(place, kind).text = name
