"""What is wrong with what a stack is asked for is found before any of its nodes starts."""

import errno
import fcntl
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip('rclpy')
pytestmark = pytest.mark.ros

from lucca_cli import goal_runs as run_command  # noqa: E402
from lucca_cli import supervisor as bringup  # noqa: E402 - rclpy has to be there
from lucca_cli.commands import doctor  # noqa: E402
from lucca_cli.main import app  # noqa: E402
from lucca_cli.setup_checks import check_setups  # noqa: E402
from lucca_cli.stack import StackOptions, node_setups  # noqa: E402
from lucca_core.errors import ConfigError, LuccaError, MemoryFault, ModelUnusable, StackError  # noqa: E402
from lucca_core.paths import config_dir  # noqa: E402
from lucca_memory.data_folder import DataFolder  # noqa: E402
from lucca_sim.config import SimConfig  # noqa: E402
from lucca_sim.factories import make_table  # noqa: E402


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stack is found, and none may be started."""

    class Client:
        def __enter__(self) -> 'Client':
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing to close."""

        def finds_stack(self) -> bool:
            return False

    def start(self: object) -> None:
        raise AssertionError('a node was started')

    monkeypatch.setattr(bringup.Supervisor, 'start', start)
    monkeypatch.setattr(run_command, 'StackClient', Client)


WRONG = [
    (['--scene', 'nowhere'], "no scene 'nowhere'"),
    (['--engine', 'nonsense'], 'engine must be one of physics, kinematic'),
    (['--llm', 'nonsense'], "'nonsense' is no model spec"),
    (['--worker-llm', 'ollama:'], "'ollama:' is no model spec"),
    (['--llm', 'replay:/no/such/file'], 'lucca: '),
    (['--llm', 'openai:gpt-4o'], 'api.openai.com needs a key, and the environment has none: set OPENAI_API_KEY'),
]
COMMANDS = [['up'], ['demo'], ['run', 'sorting']]


@pytest.mark.parametrize('command', COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize(('words', 'reason'), WRONG, ids=lambda item: ' '.join(item) if isinstance(item, list) else '')
def test_a_wrong_option_is_said_once_and_no_node_starts(alone, tmp_path, monkeypatch, command, words, reason):
    monkeypatch.chdir(tmp_path)
    if command == ['demo'] and words[0] == '--scene':
        return  # a demo has scenes of its own
    result = CliRunner().invoke(app, [*command, *words])
    told = ' '.join(result.output.split())
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    assert told.count(reason) == 1
    assert 'Traceback' not in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('words', [['up', '--speed', '-1'], ['up', '--speed', 'nan'], ['up', '--params-file', '/no/f']])
def test_what_only_up_takes_is_looked_at_too(alone, words):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert 'lucca: ' in result.output


def test_an_unknown_object_is_said_with_those_there_are(alone):
    result = CliRunner().invoke(app, ['run', '--describe', 'give me that', '--objects', 'apple,elephant'])
    told = ' '.join(result.output.split())
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "no object 'elephant' in the library; it has apple" in told


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('/**/action:\n  ros__parameters:\n    tool_speed_mps: -1.0\n', 'f.yaml:3: tool_speed_mps must be'),
        ('/**/action:\n  ros__parameters: {robot: nobody}\n', 'nobody'),
        ('/**/perception:\n  ros__parameters: {detector: nonsense}\n', 'detector must be'),
        ('/**/worker:\n  ros__parameters: {tasks_file: /no/such}\n', '/no/such'),
        ('/**/coordinator:\n  ros__parameters: {persona_file: /no/such}\n', '/no/such'),
        ('/**/speech:\n  ros__parameters: {speaker: nonsense}\n', 'speaker'),
        ('/**/simulator:\n  ros__parameters: {objects: elephant}\n', 'elephant'),
    ],
)
def test_the_parameter_file_is_read_for_every_node(tmp_path: Path, text, reason):
    file = tmp_path / 'f.yaml'
    file.write_text(text)
    with pytest.raises(LuccaError, match=reason):
        check_setups(node_setups(StackOptions(params_file=file, voice=True, speech={'source': 'topic'})))


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        (
            '/**/action:\n  ros__parameters:\n    tool_speed: 0.05\n',
            r"f.yaml:3: the node action has no parameter 'tool_speed'; did you mean 'tool_speed_mps'\?",
        ),
        (
            '/**/action:\n  ros__parameters: {pace: 1}\n',
            "the node action has no parameter 'pace'; it has action_timeout",
        ),
        ('/robot_1:\n  action:\n    ros__parameters: {tool_speed: 0.05}\n', "the node action has no parameter 'tool_s"),
        ('/**:\n  ros__parameters: {tool_speed: 0.05}\n', "any node has no parameter 'tool_speed'"),
        ('/**/acton:\n  ros__parameters: {tool_speed_mps: 0.05}\n', "no node 'acton'; did you mean 'action'"),
        ('/**/action:\n  tool_speed_mps: 0.05\n', 'f.yaml:2: action: tool_speed_mps must be below a node and ros__par'),
        ('tool_speed_mps: 0.05\n', 'f.yaml:1: tool_speed_mps must be below a node'),
        (
            '/**:\n  ros__parameters: {tool_sped_mps: 0.05}\n',
            "did you mean 'tool_speed_mps'.* write it below that node",
        ),
        ('/**/Action:\n  ros__parameters: {tool_speed_mps: 0.05}\n', "no node 'Action'; did you mean 'action'"),
        ('/**/action:\n  ros__parameters:\n', 'f.yaml:2: action: ros__parameters is empty; indent what belongs to it'),
        ('/**/action:\n  ros__parameters:\n  robot: panda\n', 'f.yaml:2: action: ros__parameters is empty; indent'),
        ('/**/action:\n', r'f.yaml:1: /\*\*/action is empty'),
        (
            '/**/action:\n  ros__parameters: [robot]\n',
            r"action: ros__parameters must hold parameters, .* got \['robot'\]",
        ),
    ],
)
def test_a_name_that_ros_would_ignore_is_refused(tmp_path: Path, text, reason):
    file = tmp_path / 'f.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError, match=reason):
        check_setups(node_setups(StackOptions(params_file=file)))


def test_parameters_of_others_may_stand_in_the_file(tmp_path: Path):
    (tmp_path / 'f.yaml').write_text(
        '/**:\n  ros__parameters:\n    update_rate: 100\n    camera_name: front\n    robot_ip: 10.0.0.2\n'
        '    planner_id: RRT\n'
        '    base_frame: base\n    frame_id: table\n    joint_names: [a]\n'
        '/**/simulation:\n  ros__parameters: {gain: 2.0}\n'
        'controller_manager:\n  ros__parameters: {left_arm_controller: {type: x}}\n'
        '/**/speech:\n  ros__parameters: {source: topic}\n'
    )
    check_setups(node_setups(StackOptions(params_file=tmp_path / 'f.yaml')))


def test_a_task_that_the_rules_cannot_read_is_named_before_any_node_starts(tmp_path: Path):
    (tmp_path / 'tasks.yaml').write_text(
        'tasks:\n  waving: {description: Zzyx everything in the bowl., actions: [point]}\n'
    )
    (tmp_path / 'f.yaml').write_text(
        f'/**/coordinator:\n  ros__parameters: {{tasks_file: {tmp_path / "tasks.yaml"}}}\n'
    )
    with pytest.raises(ConfigError, match=r"does not understand .* in the description of task 'waving'"):
        check_setups(node_setups(StackOptions(params_file=tmp_path / 'f.yaml')))


def test_a_stack_without_room_for_its_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / 'not' / 'made'
    check_setups(node_setups(StackOptions(data_dir=folder)))
    there = os.statvfs(tmp_path)
    full = os.statvfs_result((there.f_bsize, 2**20, there.f_blocks, 3, 3, *there[5:]))
    monkeypatch.setattr(os, 'statvfs', lambda path: full)
    with pytest.raises(MemoryFault, match=rf'only 3 MB are free for {folder}; at least 5 MB are needed'):
        check_setups(node_setups(StackOptions(data_dir=folder)))


def test_a_state_folder_that_cannot_be_locked_is_refused_and_told_by_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, 'flock', refused)
    told = rf'state folder {tmp_path}/state cannot be locked \(No locks available\)'
    with pytest.raises(StackError, match=told):
        check_setups(node_setups(StackOptions(state_dir=tmp_path / 'state')))
    monkeypatch.setenv('LUCCA_STATE_DIR', str(tmp_path / 'state'))
    found = doctor._state()
    assert not found.well
    assert re.search(told, found.found)


def test_a_stack_on_damaged_memory_or_on_a_folder_of_others_is_refused_before_a_node_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    DataFolder.open(tmp_path / 'data', write=True).close()
    setups = node_setups(StackOptions(data_dir=tmp_path / 'data'))
    check_setups(setups)
    (tmp_path / 'data' / 'people.sqlite').write_bytes(b'noise' * 1000)
    with pytest.raises(MemoryFault, match=r'people.sqlite cannot be used as memory: .*lucca doctor --new-memory'):
        check_setups(setups)
    monkeypatch.setenv('LUCCA_STORE', 'postgresql://nowhere/robots')
    check_setups(setups)
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'letter.txt').write_text('Dear Ana')
    with pytest.raises(MemoryFault, match='contains other files but no lucca data'):
        check_setups(node_setups(StackOptions(data_dir=tmp_path / 'other')))


def test_a_robot_whose_table_is_not_that_of_the_scene_is_refused(tmp_path: Path):
    robots = config_dir() / 'robots'
    text = (robots / 'two_six_dof.yaml').read_text().replace('table_top_m: 0.8', 'table_top_m: 0.42')
    (tmp_path / 'low.yaml').write_text(text)
    (tmp_path / 'two_six_dof.urdf').write_bytes((robots / 'two_six_dof.urdf').read_bytes())
    low = StackOptions(robot=str(tmp_path / 'low.yaml'), scene='sorting', data_dir=tmp_path / 'data')
    wrong = r"the table of scene 'sorting' is at 0.8 m, that of robot '\w+' at 0.42 m \(table_top_m\)"
    with pytest.raises(ConfigError, match=wrong):
        check_setups(node_setups(low))
    with pytest.raises(ConfigError, match=wrong):
        make_table(SimConfig(robot=low.robot, scene='sorting', engine='kinematic'))


def test_what_ros_itself_takes_is_left_to_it(tmp_path: Path):
    (tmp_path / 'f.yaml').write_text('/**:\n  ros__parameters: {use_sim_time: true, qos_overrides: {}}\n')
    check_setups(node_setups(StackOptions(params_file=tmp_path / 'f.yaml')))


def test_options_go_before_the_file(tmp_path: Path):
    (tmp_path / 'f.yaml').write_text('/**/simulator:\n  ros__parameters: {engine: kinematic}\n')
    with pytest.raises(ConfigError, match=r"^engine must be one of .*, got 'no'"):
        check_setups(node_setups(StackOptions(params_file=tmp_path / 'f.yaml', engine='no')))


def test_a_key_in_the_environment_is_enough(monkeypatch):
    with pytest.raises(ModelUnusable, match='OPENAI_API_KEY'):
        check_setups(node_setups(StackOptions(llm='openai:gpt-4o')))
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-0123456789')
    check_setups(node_setups(StackOptions(llm='openai:gpt-4o')))
    check_setups(node_setups(StackOptions(worker_llm='openai:llama@http://localhost:8080')))


def test_a_parameter_file_goes_over_the_one_of_the_robot_and_not_in_its_place(tmp_path: Path):
    (tmp_path / 'f.yaml').write_text('/**/action:\n  ros__parameters: {snapshot_age_s: 2.0}\n')
    setups = node_setups(StackOptions(sim=False, params_file=tmp_path / 'f.yaml'))
    assert {tuple(file.name for file in setup.params_files) for setup in setups} == {('nicol.yaml', 'f.yaml')}
