"""What the doctor finds on graphs that are well, late, incomplete or empty."""

import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable
from functools import partial

import pytest

pytest.importorskip('rclpy')

from diagnostic_msgs.msg import DiagnosticArray

from action_node.stop.unheard_stop import UnheardStop
from lucca_cli.client import Endpoint, StackClient
from lucca_cli.commands import doctor
from lucca_cli.commands.doctor import CAMERA_TOPICS, LOOKS, NODES, Finding, examine_graph
from lucca_cli.examined_stack import ExaminedStack, PartState
from lucca_core.claim import Claim, domain_id
from lucca_core.errors import StackError
from lucca_core.paths import config_dir
from lucca_core.protocol.observations import OTHER_SENDERS
from lucca_core.protocol.prohibitions import ProhibitionRequest
from lucca_core.protocol.snapshots import Snapshot
from lucca_core.trained_models import MODELS_VARIABLE, MOONSHINE_TINY_EN, WHISPER_TINY_EN
from lucca_robot.profile import load_profile
from lucca_ros.diagnostics import DIAGNOSTICS, OK, WARN, diagnostic_msg

CONTROLLERS = [name for arm in load_profile().arms.values() for name in (arm.controller, arm.hand.controller)]
TOPICS = {*CAMERA_TOPICS, *(f'{name}/joint_trajectory' for name in CONTROLLERS)}


class Graph:
    """A graph on which each thing is discovered at a look of its own; `late` says at which, 0 if it is not named."""

    def __init__(
        self,
        *,
        holder: str = '',
        is_up: bool = True,
        nodes: Iterable[str] = (),
        topics: Iterable[str] = (),
        sees: bool = True,
        late: dict[str, int] | None = None,
        silent: dict[str, str] | None = None,
        says: dict[str, PartState] | None = None,
    ) -> None:
        """`silent`: nodes that report nothing, with their processes; `says`: what others report but `ready`."""
        self._silent = silent or {}
        self._says = says or {}
        self._holder = holder
        self._is_up = is_up
        self._nodes = tuple(nodes)
        self._topics = frozenset(topics)
        self._sees = sees
        self._late = late or {}
        self._looks: Counter[str] = Counter()

    def is_there(self) -> bool:
        return self._is_up

    def stack_holder(self) -> str:
        return self._holder

    def node_names(self) -> tuple[str, ...]:
        return tuple(name for name in self._nodes if self._discovered(name))

    def endpoint(self, topic: str) -> Endpoint:
        there = int(topic in self._topics and self._discovered(topic))
        return Endpoint(topic, there, there)

    def snapshot(self, timeout_s: float) -> Snapshot:
        if not self._sees:
            raise StackError('perception/objects: nothing published')
        return Snapshot()

    def states(self, nodes: Collection[str], timeout_s: float) -> dict[str, PartState]:
        reports = {name: PartState(well=True, message='ready') for name in self._nodes if name not in self._silent}
        return reports | self._says

    def process_of(self, kind: str) -> str:
        return self._silent.get(kind, '')

    def wait(self, timeout_s: float) -> None:
        """Time passes."""

    def _discovered(self, name: str) -> bool:
        self._looks[name] += 1
        return self._looks[name] > self._late.get(name, 0)


def ill(findings: list[Finding]) -> dict[str, str]:
    return {item.part: f'{item.found}; {item.advice}' for item in findings if not item.well}


def test_a_stack_that_is_discovered_late_is_well():
    late = dict.fromkeys([*NODES, 'simulator', *TOPICS], LOOKS - 1)
    graph = Graph(holder='pid 1', nodes=[*NODES, 'simulator', 'lucca_cli'], topics=TOPICS, late=late)
    assert ill(examine_graph(graph)) == {}


def test_what_sees_the_table_has_a_camera():
    graph = Graph(nodes=[*NODES, 'simulator'], topics=TOPICS - set(CAMERA_TOPICS))
    assert ill(examine_graph(graph)) == {}


@pytest.mark.parametrize('missing', sorted(NODES))
def test_a_node_that_is_missing_is_named_and_is_no_missing_stack(missing):
    graph = Graph(holder='pid 1', is_up=missing != 'coordinator', nodes=NODES - {missing}, topics=TOPICS)
    (told,) = ill(examine_graph(graph)).values()
    assert told.startswith(f'{missing} missing; there are ')
    assert 'lucca up (simulation)' not in told


@pytest.mark.parametrize('in_graph', [True, False])
@pytest.mark.parametrize('name', sorted(NODES))
def test_a_node_that_hangs_is_not_called_missing(name, in_graph):
    nodes = NODES if in_graph else NODES - {name}
    graph = Graph(holder='pid 1', nodes=nodes, topics=TOPICS, silent={name: 'process 7 on here'})
    told = ill(examine_graph(graph))
    assert list(told) == [name]
    assert told[name].startswith('does not answer, although it runs (process 7 on here); it hangs, or is')
    assert ('hardware stop' in told[name]) is (name == 'action')


def test_a_node_of_another_machine_that_hangs_is_told():
    told = ill(examine_graph(Graph(holder='pid 1', nodes=NODES, topics=TOPICS, silent={'worker': ''})))
    assert told['worker'].startswith('does not answer, although it runs (in the graph)')


def test_a_full_disk_of_the_running_stack_is_told():
    says = {'worker': PartState(well=False, message='only 0 MB are free for /tiny; at least 50 MB are needed')}
    told = ill(examine_graph(Graph(nodes=NODES, topics=TOPICS, says=says)))
    assert told == {'worker': f'{says["worker"].message}; {doctor.WRITABLE_AGAIN}'}


def test_a_second_sender_to_a_controller_is_told_and_a_stop_is_no_fault():
    others = '/teleop may also send trajectories to left_arm_controller: end it'
    state = PartState(False, f'ready; {others}', others)
    told = ill(examine_graph(Graph(nodes=NODES, topics=TOPICS, says={'action': state})))
    assert told['action'].startswith(others)
    stopped = {'action': PartState(False, 'stopped; waiting for action/reset')}
    assert ill(examine_graph(Graph(nodes=NODES, topics=TOPICS, says=stopped))) == {}


@pytest.mark.ros
def test_reports_are_heard_with_what_they_say():
    with ExaminedStack() as client:
        publisher = client.node.create_publisher(DiagnosticArray, DIAGNOSTICS, 10)
        stamp = client.node.get_clock().now().to_msg()
        others = {OTHER_SENDERS: '/teleop may move an arm'}
        reports = (('worker', 'only 3 MB are free', WARN, {}), ('action', 'ready', OK, others))
        for part, message, level, values in reports:
            report = diagnostic_msg(part, message, values, stamp=stamp, level=level)
            client.node.create_timer(0.1, partial(publisher.publish, report))
        states = client.states(['worker', 'action'], 20.0)
        assert states['worker'] == PartState(well=False, message='only 3 MB are free')
        assert states['action'] == PartState(well=True, message='ready', other_senders=others[OTHER_SENDERS])
        assert client.process_of('worker') == ''


def test_a_coordinator_that_does_not_answer_is_told_from_a_missing_stack():
    told = ill(examine_graph(Graph(holder='pid 1 of ana', is_up=False, nodes=NODES, topics=TOPICS)))
    assert 'pid 1 of ana is running, but no coordinator answers' in told['stack']


def test_without_a_stack_and_without_a_robot_nothing_of_a_robot_is_advised():
    told = ill(examine_graph(Graph(is_up=False)))
    assert list(told) == ['stack', 'robot']
    assert 'no stack is running; start one: lucca up' in told['stack']
    assert not any('ros2 control' in text for text in told.values())


def test_without_a_stack_a_robot_is_examined():
    there = TOPICS - {f'{CONTROLLERS[1]}/joint_trajectory'}
    told = ill(examine_graph(Graph(is_up=False, topics=there)))
    assert list(told) == ['stack', CONTROLLERS[1]]
    assert told[CONTROLLERS[1]].endswith(f'ros2 control switch_controllers --activate {CONTROLLERS[1]}')


@pytest.mark.parametrize(('simulated', 'advice'), [(True, 'the simulator is'), (False, 'start the camera driver')])
def test_advice_fits_the_simulation_or_the_robot(simulated, advice):
    nodes = [*NODES, 'simulator'] if simulated else [*NODES]
    told = ill(examine_graph(Graph(nodes=nodes, sees=False)))
    assert set(told) == {'camera', 'perception', *CONTROLLERS}
    assert advice in told['camera']
    assert all(('ros2 control' in told[name]) is not simulated for name in CONTROLLERS)


@pytest.mark.ros
def test_where_no_stack_runs_a_reset_says_so_in_a_few_seconds(monkeypatch):
    waited: list[float] = []
    with StackClient() as client:
        monkeypatch.setattr(
            client._reset, 'wait_for_service', lambda timeout_sec: bool(waited.append(timeout_sec)), raising=False
        )
        with pytest.raises(StackError, match=r'no action node is running in ROS domain .*lucca up'):
            client.reset()
        with pytest.raises(StackError, match=r'no stack is running in ROS domain .*lucca up'):
            client.require_stack()
    assert sum(waited) <= 5.0


@pytest.mark.ros
def test_an_action_node_that_hangs_is_not_called_one_that_does_not_run(monkeypatch):
    monkeypatch.setattr('lucca_cli.client._PATIENCE_S', 0.2)
    monkeypatch.setattr('lucca_cli.client._LOOK_S', 0.2)
    with StackClient() as client:
        namespace = client.node.get_namespace()
        claim = Claim('action', domain_id(), namespace)
        hangs = rf'the action node does not answer .*although it runs \(process {os.getpid()} .*it hangs'
        try:
            with pytest.raises(StackError, match=rf'{hangs}.*emergency stop'):
                client.reset()
            with pytest.raises(StackError, match=hangs):
                client.prohibitions(ProhibitionRequest(), patience_s=0.2)
        finally:
            claim.release()
        with pytest.raises(StackError, match='no action node is running'):
            client.reset()


@pytest.mark.ros
def test_a_stop_that_nobody_answers_is_left_for_the_stack_of_this_machine(monkeypatch, tmp_path):
    monkeypatch.setenv('LUCCA_STATE_DIR', str(tmp_path / 'state'))
    # The stack of this test is the process of the tests, whose environment in /proc is that of its start: the user's.
    monkeypatch.setattr('lucca_cli.unheard_stops.environment_of', lambda *_: {**os.environ})
    with StackClient() as client:
        left = UnheardStop(tmp_path / 'state', client.node.get_namespace(), domain_id())
        with pytest.raises(StackError, match=r'not available .*; use the hardware stop'):
            client.stop(0.2)
        assert not left.is_set()
        claim = Claim('action', domain_id(), client.node.get_namespace())
        try:
            with pytest.raises(StackError, match=r'use the hardware stop\. The stop waits in .*unheard-stop-\d+'):
                client.stop(0.2)
            assert left.is_set()
            (tmp_path / 'file').write_text('no folder')
            monkeypatch.setenv('LUCCA_STATE_DIR', str(tmp_path / 'file'))
            with pytest.raises(StackError, match=r'nor could the stop be left on the disk: .*file'):
                client.stop(0.2)
        finally:
            claim.release()


def test_the_node_names_are_those_that_the_stack_starts():
    from lucca_core.nodes import MODULES

    assert set(MODULES) == doctor.ALL_NODES


def test_controllers_are_those_of_the_robot_with_the_interfaces_of_its_profile(tmp_path):
    robots = config_dir() / 'robots'
    shutil.copy(robots / 'two_six_dof.urdf', tmp_path)
    text = (robots / 'two_six_dof.yaml').read_text()
    text = text.replace(
        '    controller: left_arm_controller', '    controller: arm_1\n    interface: follow_joint_trajectory'
    )
    text = text.replace('      controller: left_hand_controller', '      controller: grip_1')
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    served = 'arm_1/follow_joint_trajectory/_action/status'
    there = {*CAMERA_TOPICS, served, *(f'{name}/joint_trajectory' for name in ('grip_1', *CONTROLLERS[2:]))}
    assert ill(examine_graph(Graph(nodes=NODES, topics=there), str(file))) == {}
    told = ill(examine_graph(Graph(nodes=NODES, topics=there - {served, 'grip_1/joint_trajectory'}), str(file)))
    assert set(told) == {'arm_1', 'grip_1'}
    assert told['arm_1'].startswith('nobody serves arm_1/follow_joint_trajectory; ros2 control switch')


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'reason'),
    [
        ('objects.yaml', 'height_m: [0.052, 0.075]', 'height_m: [52, 75]', 'objects.yaml:31: height_m must be from 0'),
        ('actions.yaml', 'container: box 1', 'container: box 7', "'move_to_box_1' puts things into 'box 7', which obj"),
        ('persona.yaml', 'most_sentences: 4', 'most_sentences: 0', 'persona.yaml:9: most_sentences'),
        ('speech.yaml', '[build a tower]', '[stop the tower]', 'contains a stop word'),
        ('tasks.yaml', 'Tidy up into', 'Zzyx the', 'does not understand "Zzyx", '),
    ],
)
def test_a_mistake_in_any_file_of_the_settings_is_found(tmp_path, monkeypatch, file, old, new, reason):
    folder = tmp_path / 'config'
    shutil.copytree(config_dir(), folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    monkeypatch.setenv('LUCCA_CONFIG_DIR', str(folder))
    finding = doctor._settings('embedded')
    assert not finding.well
    assert reason in finding.found


def test_it_is_told_who_hears_free_speech(monkeypatch, tmp_path):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    told = []
    for model in (None, WHISPER_TINY_EN, MOONSHINE_TINY_EN):
        if model is not None:
            model.path.mkdir()
            for file in model.files:
                (tmp_path / file.place).touch()
        told.append(doctor._ears())
    assert all(finding.well and finding.part == 'ears' for finding in told)
    first, alone, both = (finding.found for finding in told)
    assert 'lucca models get whisper-tiny.en' in first
    assert 'hears alone; it would understand more after: lucca models get moonshine-tiny.en' in alone
    assert 'faster-whisper:tiny.en hears with moonshine-tiny.en beside it' in both
