"""The how-to pages are followed as they are written: their YAML is put where they say, their Python is executed."""

import re
import shutil
import textwrap
from pathlib import Path

import numpy as np
import pytest
import yaml

import coordinator_node.talk.toolbox as toolbox_module
import coordinator_node.talk.tools as tools
from coordinator_node.tasks.task_reading import check_understood
from lucca_core.protocol.snapshots import Snapshot
from lucca_memory.procedural import Confirm, load_actions, load_tasks
from lucca_robot.profile import load_profile
from lucca_sim.kinematic_table import KinematicTable
from lucca_sim.scene import load_scene
from perception_node.camera import Intrinsics
from perception_node.config import PerceptionConfig
from perception_node.lexicon import load_lexicon
from perception_node.pipeline import Frame, make_pipeline

ROOT = Path(__file__).resolve().parent.parent


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / 'docs' / 'howto' / page).read_text(encoding='utf-8')
    return re.findall(rf'```{language}\n(.*?)```', text, re.DOTALL)


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Copies config/ and puts the YAML blocks of pages below the sections that their first lines name."""

    def follow(*pages: str) -> Path:
        folder = tmp_path / 'config'
        shutil.copytree(ROOT / 'config', folder)
        monkeypatch.setenv('LUCCA_CONFIG_DIR', str(folder))
        for block in (block for page in pages for block in _blocks(page, 'yaml')):
            match = re.match(r'# config/(\S+), below (\w+):\n', block)
            assert match, block
            file = folder / match[1]
            text = file.read_text(encoding='utf-8')
            head = f'\n{match[2]}:\n'
            assert text.count(head) == 1
            added = textwrap.indent(block[match.end() :], '  ')
            file.write_text(text.replace(head, head + added), encoding='utf-8')
        return folder

    return follow


def _table(names: tuple[str, ...]) -> KinematicTable:
    return KinematicTable(load_scene('sorting', 0).with_objects(names), load_profile('nicol'))


def _seen(table: KinematicTable) -> Snapshot:
    info = table.camera_info
    cx, cy = info.centre_px
    intrinsics = Intrinsics(width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy)
    pipeline = make_pipeline(PerceptionConfig(), intrinsics, profile=load_profile('nicol'))
    rgb, depth_m = table.render()
    for number in range(4):
        snapshot = pipeline.process(
            Frame(stamp_s=0.1 + 0.01 * number, rgb=rgb, depth_m=depth_m, joint_positions=table.joint_positions())
        )
    return snapshot


def test_own_object_is_seen(config):
    config('own_object.md')
    assert sorted(item.name for item in _seen(_table(('plum', 'jello', 'cup'))).objects) == ['cup', 'jello', 'plum']


def test_own_task_and_own_action_are_read(config):
    folder = config('own_task.md', 'own_action.md')
    actions = load_actions(folder / 'actions.yaml')
    tasks = load_tasks(folder / 'tasks.yaml', actions=actions)
    assert set(tasks['clearing'].actions) == {'place_in_bowl', 'move_to_box_2'}
    check_understood(tasks.values(), 'embedded')
    assert actions['offer'].confirm == Confirm.ALWAYS


def test_own_robot_has_the_parameters_that_it_is_told():
    begun, *parameter_files = _blocks('own_robot.md', 'yaml')
    assert yaml.safe_load(begun).keys() == {'name', 'parts', 'frames'}
    for block in parameter_files:
        for node, section in yaml.safe_load(block).items():
            assert node in ('/**/simulator', '/**/perception', '/**/action')
            for name in section['ros__parameters']:
                assert name in (ROOT / 'docs' / 'parameters.md').read_text(encoding='utf-8')


def test_own_tool_is_offered_and_answers(monkeypatch):
    declared, method = _blocks('own_tool.md', 'python')
    clock = eval(declared, {'ToolSpec': tools.ToolSpec})  # noqa: S307 (our own page)
    assert clock.name not in {tool.name for tool in tools.LOOKUPS}
    scope: dict[str, object] = {}
    exec('from datetime import datetime\n' + method, scope)  # noqa: S102 (our own page)
    monkeypatch.setattr(toolbox_module.Toolbox, '_clock', scope['_clock'], raising=False)
    toolbox = toolbox_module.Toolbox(
        conversation='c', people=None, memory=None, tasks=(), table=lambda: None, prompts=None, limit=1
    )
    (line,) = toolbox.run(tools.Call('clock', ()))
    assert line.startswith('It is ')


def test_own_detector_sees():
    scope: dict[str, object] = {'__name__': 'patches'}
    code, registered = _blocks('own_detector.md', 'python')
    exec(code, scope)  # noqa: S102 (our own page)
    assert 'PatchDetector(lexicon, config)' in registered
    config = PerceptionConfig()
    detector = scope['PatchDetector'](load_lexicon(), config)
    table = _table(('apple', 'pear'))
    info = table.camera_info
    cx, cy = info.centre_px
    intrinsics = Intrinsics(width=info.width, height=info.height, fx=info.focal_px, fy=info.focal_px, cx=cx, cy=cy)
    camera = make_pipeline(config, intrinsics, profile=load_profile('nicol')).camera
    rgb, depth_m = table.render()
    found = detector.detect(rgb, depth_m, camera, ('red', 'green'), np.zeros(depth_m.shape, bool))
    truth = {item.name: table.data.body(item.name).xpos for item in table.scene.objects}
    for label, name in (('red', 'apple'), ('green', 'pear')):
        (detection,) = [item for item in found if item.label == label]
        assert np.allclose(detection.pose_world.position_m[:2], truth[name][:2], atol=0.01)
