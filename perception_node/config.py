"""Settings of perception."""

from dataclasses import dataclass

from lucca_core.settings import setting


@dataclass(frozen=True, kw_only=True)
class PerceptionConfig:
    """Settings of the perception node and its pipeline. Lengths in m, in the world frame (z up)."""

    robot: str = setting('nicol', 'Robot profile: gives the camera pose and the shape that hides the table.')
    detector: str = setting(
        'prototypes',
        'What finds things: prototypes, owlvit:MODEL, owlv2:MODEL, grounding-dino:MODEL or vild:CLIP_MODEL.',
    )
    objects_file: str = setting('objects.yaml', 'Prototypes of objects, containers and colours; in config/ or a path.')
    device: str = setting('auto', 'Where a model runs: auto (a GPU if there is one), cuda or cpu.')
    model_min_score: float = setting(
        0.2, "Detections of a model below this score are dropped: models' scores run lower."
    )
    most_overlap: float = setting(
        0.5, 'Of boxes of one label that overlap by more than this (intersection over union), one is kept.'
    )
    temperature: float = setting(0.01, 'Of the softmax over cosines in vild: 0.01 is what CLIP was trained with.')
    reliable_inputs: bool = setting(
        False, 'Ask for images and joint states again when one is lost; only if their publishers are reliable, too.'
    )
    world_frame: str = setting('world', 'Frame of all poses that are published.')
    camera_pose: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        'Pose of the optical frame in the world (x y z qx qy qz qw), when camera_pose_from_robot is false.',
    )
    camera_pose_from_robot: bool = setting(True, "Take the camera's pose from the robot profile's camera link.")
    table_z_m: float = setting(0.8, 'Height of the table top.')
    max_table_offset_m: float = setting(
        0.02, 'Largest error of the table height that is corrected; beyond it, refused.'
    )
    table_rgb: tuple[float, ...] = setting(
        (118.0, 124.0, 136.0),
        "The table's red, green, blue (0 to 255) in the light that the colours in objects_file were written for: pictures in"
        ' other light are corrected by it. Three zeros: not corrected.',
    )
    table_x_m: tuple[float, ...] = setting((0.02, 0.98), 'Near and far edge of the table; what is outside is dropped.')
    table_y_m: tuple[float, ...] = setting((-0.97, 0.97), 'Right and left edge of the table.')
    users_side_x_m: float = setting(0.66, "The user's side begins here and reaches to the far edge of the table.")
    min_height_m: float = setting(0.005, 'What rises less above the table is table.')
    max_height_m: float = setting(0.45, 'What is higher above the table is no object on it; it hides what is below.')
    min_area_px: int = setting(30, 'Smallest patch of one colour that counts.')
    min_score: float = setting(0.35, 'Detections below this score are dropped.')
    mask_margin_px: int = setting(3, "Pixels added around the robot's own shape.")
    grasp_radius_m: float = setting(
        0.13, 'Objects whose centre is this near to the tool of a closing hand may be in it.'
    )
    gone_frames: int = setting(5, 'Frames in which its place is clearly seen empty until an object is gone.')
    new_frames: int = setting(2, 'Frames a thing must be seen in to become an object (the first frame: one).')
    joint_state_max_age_s: float = setting(0.5, 'Joint states older than this against the image cannot mask the robot.')
    image_pair_slack_s: float = setting(0.02, 'Largest difference of the stamps of colour and depth of one frame.')
    no_image_after_s: float = setting(2.0, 'Wall time without an image until diagnostics say so.')

    def __post_init__(self) -> None:
        if len(self.camera_pose) != 7:
            raise ValueError(f'camera_pose needs 7 numbers (x y z qx qy qz qw), got {len(self.camera_pose)}')
        norm = sum(value * value for value in self.camera_pose[3:]) ** 0.5
        if abs(norm - 1.0) > 1e-3:
            raise ValueError(f'the quaternion of camera_pose must have length 1, has {norm:.4f}')
        if len(self.table_rgb) != 3 or not all(0 <= value <= 255 for value in self.table_rgb):
            raise ValueError(f'table_rgb must be three numbers from 0 to 255, got {self.table_rgb}')
        for name in ('table_x_m', 'table_y_m'):
            value = getattr(self, name)
            if len(value) != 2 or value[0] >= value[1]:
                raise ValueError(f'{name} must be two rising numbers, got {value}')
        for name in (
            'min_height_m',
            'max_table_offset_m',
            'grasp_radius_m',
            'joint_state_max_age_s',
            'no_image_after_s',
        ):
            if getattr(self, name) <= 0:
                raise ValueError(f'{name} must be positive, got {getattr(self, name)}')
        if self.max_height_m <= self.min_height_m:
            raise ValueError(f'max_height_m must be above min_height_m, got {self.max_height_m}')
        for name in ('min_score', 'model_min_score', 'most_overlap'):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f'{name} lies in (0, 1], got {getattr(self, name)}')
        if self.temperature <= 0:
            raise ValueError(f'temperature must be above 0, got {self.temperature}')
        if self.device not in ('auto', 'cuda', 'cpu'):
            raise ValueError(f'device must be auto, cuda or cpu, got {self.device!r}')
        for name in ('gone_frames', 'new_frames', 'min_area_px'):
            if getattr(self, name) < 1:
                raise ValueError(f'{name} must be 1 or more, got {getattr(self, name)}')
        if self.mask_margin_px < 0 or self.image_pair_slack_s < 0:
            raise ValueError('mask_margin_px and image_pair_slack_s must not be negative')
