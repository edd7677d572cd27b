"""The SROS 2 policy of the stack: what each node may publish, subscribe to, serve and call.

`ros2 security create_permission` reads the file. An enclave is a process; the companions of a node (such as
`NAME_streams`, `worker_people`, `action_stop`) are profiles of its enclave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from lucca_robot.profile import RobotProfile

_CAMERA = ('camera/color/image_raw', 'camera/depth/image_raw', 'camera/color/camera_info')
_ANNOTATED = ('perception/annotated', 'perception/annotated/compressed')
_COMPRESSED = ('camera/color/image_raw/compressed', 'camera/depth/image_raw/compressedDepth')
_MOVEIT = ('plan_kinematic_path', 'apply_planning_scene')
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


def rights_of(profile: RobotProfile) -> Mapping[str, Rights]:
    """The rights by node, for a robot's controllers. `lucca_cli` is the command, `emergency_button` a node of your own.

    They include what only some settings need: compressed images, tf, MoveIt, and the comparison with running
    controllers.
    """
    moved = tuple(profile.interfaces)
    return {
        'simulator': Rights(
            publishes=('clock', 'joint_states', 'diagnostics', *_CAMERA),
            hears=(*_each(profile.controllers, 'joint_trajectory'), 'perception/objects'),
            companions=('simulator_streams',),
        ),
        'relay': Rights(
            publishes=(*_each(profile.controllers, 'setpoints'), 'diagnostics'),
            hears=(*_each(profile.controllers, 'joint_trajectory'), 'joint_states', 'clock'),
        ),
        'perception': Rights(
            publishes=(
                *('perception/objects', 'perception/markers', 'perception/detections', *_ANNOTATED),
                *('diagnostics', 'tf'),
            ),
            hears=('joint_states', *_CAMERA, *_COMPRESSED, 'tf', 'tf_static', 'clock'),
            serves=('perception/set_vocabulary',),
            companions=('perception_streams', 'perception_services'),
        ),
        'action': Rights(
            publishes=(
                *_each(moved, 'joint_trajectory', 'planned_trajectory'),
                *('diagnostics', 'observations', 'tf'),
            ),
            hears=('joint_states', 'perception/objects', 'emergency_stop', 'speech/stop', 'robot_description', 'clock'),
            serves=('action/stop', 'action/reset', 'action/prohibitions'),
            calls=('memory/record', *_each((*moved, 'controller_manager'), 'get_parameters'), *_MOVEIT),
            executes=('execute_action',),
            asks=_each(moved, 'follow_joint_trajectory', 'gripper_cmd'),
            companions=('action_streams', 'action_services', 'action_stop', 'action_goals'),
        ),
        'worker': Rights(
            publishes=('diagnostics', 'observations'),
            hears=('perception/objects', 'clock'),
            serves=(*_MEMORY, *_TASKS, *_PEOPLE),
            companions=('worker_streams', 'worker_services', 'worker_people'),
        ),
        'coordinator': Rights(
            publishes=('speech/say', 'diagnostics', 'observations'),
            hears=('perception/objects', 'speech/heard', 'clock'),
            calls=(*_MEMORY, *_TASKS, *_PEOPLE, 'action/prohibitions'),
            executes=('execute_task',),
            asks=('execute_action',),
            companions=('coordinator_streams', 'coordinator_services'),
        ),
        'speech': Rights(
            publishes=('speech/heard', 'speech/say', 'speech/stop', 'speech/audio_out', 'diagnostics'),
            hears=('speech/say', 'speech/audio_in', 'clock'),
        ),
        'lucca_cli': Rights(
            hears=(
                *('perception/objects', *_ANNOTATED, 'diagnostics', 'observations', 'clock'),
                *('joint_states', 'speech/heard', 'speech/say', *_each(moved, 'joint_trajectory')),
            ),
            # `lucca memory forget` pauses the worker while it changes the folder.
            calls=(
                *(*_TASKS, 'memory/network', 'action/stop', 'action/reset', 'action/prohibitions'),
                *('perception/set_vocabulary', 'worker/change_state'),
            ),
            asks=('execute_task',),
            companions=('lucca_cli_stop', 'lucca_cli_goals', 'lucca_cli_watcher'),
        ),
        'emergency_button': Rights(publishes=('emergency_stop',)),
    }


def _each(nodes: Sequence[str] | Mapping[str, object], *kinds: str) -> tuple[str, ...]:
    return tuple(f'{node}/{kind}' for node in nodes for kind in kinds)


def policy_xml(profile: RobotProfile, namespace: str = '/') -> str:
    """The policy for a robot's nodes in one namespace, as XML for SROS 2 (version 0.2.0)."""
    policy = Xml.Element('policy', version='0.2.0')
    enclaves = Xml.SubElement(policy, 'enclaves')
    for name, rights in rights_of(profile).items():
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
