"""Small robot descriptions in place of those that `lucca robot get` downloads, so that every profile can be read."""

from collections.abc import Iterable, Sequence
from pathlib import Path

_UR5 = ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint', 'wrist_2_joint', 'wrist_3_joint')
_BAXTER = ('s0', 's1', 'e0', 'e1', 'w0', 'w1', 'w2')


def make_stand_ins(folder: Path) -> None:
    """Writes the packages that the profiles in `config/robots` name, with their joints and links and no shapes."""
    panda = [f'panda_joint{number}' for number in range(1, 8)]
    _write(folder, 'panda', 'panda', (*_chain('base', panda, ('panda_hand',)), *_finger()))
    _write(folder, 'ur', 'ur5_joint_limited_robot', _chain('base', _UR5, ('tool0',)))
    arms = [
        _chain('base', [f'{side}_{name}' for name in _BAXTER], (f'{side}_hand_link', f'{side}_gripper_base_link'))
        for side in ('left', 'right')
    ]
    _write(folder, 'baxter', 'baxter', (*arms[0], *arms[1]))


def _write(folder: Path, package: str, robot: str, joints: Iterable[tuple[str, str]]) -> None:
    file = folder / f'{package}_description' / 'urdf' / f'{robot}.urdf'
    file.parent.mkdir(parents=True)
    links = ''.join(f'<link name="{name}"/>' for name in ('base', *(child for child, _ in joints)))
    text = f'<robot name="{robot}">{links}{"".join(joint for _, joint in joints)}</robot>\n'
    file.write_text(text, encoding='utf-8')


def _chain(root: str, joints: Sequence[str], ends: Sequence[str]) -> list[tuple[str, str]]:
    """Joints in a row, and links fixed to the last: the link that each carries, and its XML."""
    made, parent = [], root
    for name in joints:
        made.append((f'{name}_link', _joint(name, 'revolute', parent, f'{name}_link', (-3.2, 3.2))))
        parent = f'{name}_link'
    for name in ends:
        made.append((name, _joint(f'{name}_joint', 'fixed', parent, name)))
        parent = name
    return made


def _finger() -> list[tuple[str, str]]:
    name = 'panda_finger_joint1'
    return [('panda_finger', _joint(name, 'prismatic', 'panda_hand', 'panda_finger', (0.0, 0.04)))]


def _joint(name: str, kind: str, parent: str, child: str, limits: tuple[float, float] | None = None) -> str:
    limit = f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="10" velocity="2"/>' if limits else ''
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>{limit}</joint>'
    )
