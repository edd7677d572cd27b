"""Settings of perception."""

from dataclasses import dataclass

from lucca_core.settings import check_bounds, setting


@dataclass(frozen=True, kw_only=True)
class PerceptionConfig:
    """Settings of the perception node and its pipeline. Lengths in m, in the world frame (z up)."""

    robot: str = setting(
        'nicol', "Robot profile: gives the camera's pose and the shape of the robot, which hides parts of the table."
    )
    detector: str = setting(
        'prototypes',
        'Detector: prototypes, owlvit:MODEL, owlv2:MODEL, grounding-dino:MODEL, vild:CLIP_MODEL or onnx:FILE.',
    )
    objects_file: str = setting(
        'objects.yaml', 'File with prototypes of objects, containers and colours; a name in config/ or a path.'
    )
    device: str = setting('auto', 'Where a model runs: auto (a GPU if there is one), cuda or cpu.')
    model_min_score: float = setting(
        0.2, 'Detections of a model below this score are dropped. Models score lower than prototypes.', above=0, most=1
    )
    most_overlap: float = setting(
        0.5,
        'Of boxes with one label that overlap by more than this (intersection over union), only one is kept.',
        above=0,
        most=1,
    )
    temperature: float = setting(
        0.01, 'Temperature of the softmax over cosines in vild; CLIP was trained with 0.01.', above=0, most=100
    )
    reliable_inputs: bool = setting(
        False, 'Request lost images and joint states again; only if their publishers are reliable, too.'
    )
    compressed_inputs: bool = setting(
        False,
        'Listen for compressed images: camera/color/image_raw/compressed, camera/depth/image_raw/compressedDepth.',
    )
    world_frame: str = setting('world', 'Frame of all poses that are published.')
    camera_pose: tuple[float, ...] = setting(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        'Pose of the optical frame in the world (x y z qx qy qz qw) with the head at home, used if '
        'camera_pose_from_robot is false. It moves with the head.',
        least=-100,
        most=100,
    )
    camera_pose_from_robot: bool = setting(True, "Take the camera's pose from the robot profile's camera link.")
    camera_pose_from_tf: bool = setting(
        False,
        "Take the camera's pose for each image from tf, at the image's stamp, from world_frame to its frame; until "
        'tf knows that frame, the two settings above apply.',
    )
    camera_tf_wait_s: float = setting(
        0.1, 'Longest wait for the pose of one image in tf, in s (wall).', above=0, most=5
    )
    table_z_m: float = setting(0.8, 'Height of the table top.', least=-5, most=5)
    max_table_offset_m: float = setting(
        0.02,
        'Largest error of the table height that is corrected; with a larger one, frames are refused.',
        above=0,
        most=1,
    )
    table_rgb: tuple[float, ...] = setting(
        (118.0, 124.0, 136.0),
        'Red, green and blue (0 to 255) of the table in the light for which the colours in objects_file were '
        'written; pictures in other light are corrected by it. Three zeros: no correction.',
        least=0,
        most=255,
    )
    table_x_m: tuple[float, ...] = setting(
        (0.02, 0.98), 'Near and far edge of the table; what is outside is dropped.', least=-10, most=10
    )
    table_y_m: tuple[float, ...] = setting((-0.97, 0.97), 'Right and left edge of the table.', least=-10, most=10)
    users_side_x_m: float = setting(
        0.66, "The user's side begins here and reaches to the far edge of the table.", least=-10
    )
    min_height_m: float = setting(0.005, 'What is lower than this above the table counts as table.', above=0)
    max_height_m: float = setting(
        0.45, 'What is higher than this above the table is not an object on it, but hides what is below.'
    )
    min_area_px: int = setting(30, 'Smallest patch of one colour that counts.', least=1)
    min_score: float = setting(0.35, 'Detections below this score are dropped.', above=0, most=1)
    mask_margin_px: int = setting(3, "Pixels added around the robot's own shape.", most=1000)
    grasp_radius_m: float = setting(
        0.13, 'Objects whose centre is this near to the tool of a closing hand may be in it.', above=0, most=1
    )
    gone_frames: int = setting(
        5, "Frames that must clearly show an object's place empty before the object counts as gone.", least=1, most=1000
    )
    new_frames: int = setting(
        2,
        'Frames in which a thing must be seen before it becomes an object (one is enough in the first frame).',
        least=1,
        most=1000,
    )
    joint_state_max_age_s: float = setting(
        0.5,
        'Largest time between an image and the joint states used to mask the robot in it, in s.',
        above=0,
        most=60,
        live=True,
    )
    image_pair_slack_s: float = setting(
        0.02, 'Largest difference of the stamps of colour and depth of one frame.', most=1, live=True
    )
    displays: bool = setting(
        True,
        'Also publish markers, detections and frames of objects for other programs, if their packages are installed.',
    )
    annotated_rate_hz: float = setting(
        3.0,
        'Most annotated pictures per second (wall); drawn only while somebody subscribes.',
        above=0,
        most=1000,
    )
    no_image_after_s: float = setting(
        2.0, 'Time without an image before diagnostics report it, in s (wall).', above=0, most=3600, live=True
    )

    def __post_init__(self) -> None:
        check_bounds(self)
        if len(self.camera_pose) != 7:
            raise ValueError(f'camera_pose needs 7 numbers (x y z qx qy qz qw), got {len(self.camera_pose)}')
        norm = sum(value * value for value in self.camera_pose[3:]) ** 0.5
        if abs(norm - 1.0) > 1e-3:
            raise ValueError(f'the quaternion of camera_pose must have length 1, has {norm:.4f}')
        if len(self.table_rgb) != 3:
            raise ValueError(f'table_rgb must be three numbers, got {self.table_rgb}')
        for name in ('table_x_m', 'table_y_m'):
            value = getattr(self, name)
            if len(value) != 2 or value[0] >= value[1]:
                raise ValueError(f'{name} must be two increasing numbers, got {value}')
        if self.max_height_m <= self.min_height_m:
            raise ValueError(f'max_height_m must be above min_height_m, got {self.max_height_m}')
        if self.device not in ('auto', 'cuda', 'cpu'):
            raise ValueError(f'device must be auto, cuda or cpu, got {self.device!r}')
