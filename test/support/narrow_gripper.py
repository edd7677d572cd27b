"""A robot whose grippers open 80 mm and have one driven finger each, which the other follows: made from the example."""

import re
from pathlib import Path

import yaml

from lucca_core.paths import config_dir
from lucca_robot.profile import RobotProfile, load_profile

OPENING_M = 0.08
_CLOSED_BY_M = 0.026


def narrow_gripper(folder: Path) -> RobotProfile:
    """Writes its URDF and profile to a folder, and loads it."""
    robots = config_dir() / 'robots'
    urdf = (robots / 'two_six_dof.urdf').read_text(encoding='utf-8')
    for side in ('left', 'right'):
        joint = re.compile(rf'(<joint name="{side}_slide_b".*?)(</joint>)', re.DOTALL)
        urdf = joint.sub(rf'\1<mimic joint="{side}_slide_a"/>\2', urdf)
    (folder / 'narrow.urdf').write_text(urdf, encoding='utf-8')
    document = yaml.safe_load((robots / 'two_six_dof.yaml').read_text(encoding='utf-8'))
    document |= {'name': 'narrow', 'urdf': 'narrow.urdf'}
    for side, arm in document['arms'].items():
        closed = arm['hand']['closed'][:1]
        arm['hand'] |= {'joints': [f'{side}_slide_a'], 'open': [_CLOSED_BY_M], 'closed': closed, 'point': closed}
    file = folder / 'narrow.yaml'
    file.write_text(yaml.safe_dump(document), encoding='utf-8')
    return load_profile(file)
