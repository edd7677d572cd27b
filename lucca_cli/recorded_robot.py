"""The robot of a recording, to draw it or to judge its reach."""

from lucca_cli.output import Output
from lucca_core.errors import ConfigError
from lucca_robot.profile import DEFAULT_PROFILE, RobotProfile, load_profile
from lucca_robot.profile_name import is_profile_name


def recorded_robot(recorded: str, given: str, show: Output) -> RobotProfile | None:
    """The profile of a recording's robot; None, with a line that says why, if it is not known here.

    A recording may come from anybody: it may name a profile of ours, but it does not choose a file that is read here.

    Args:
        recorded: the profile that the recording names; empty if it names none.
        given: the profile that the user names instead, a name or a file; empty if none.
        show: receives the line.

    Raises:
        ConfigError: the profile that the user names cannot be read.
    """
    if given or not recorded:
        return load_profile(given or DEFAULT_PROFILE)
    why = 'it is a file'
    if is_profile_name(recorded):
        try:
            return load_profile(recorded)
        except ConfigError as error:
            why = str(error)
    show.line(f'the robot of the recording, {recorded[:200]!r}, is not used ({why}); name it with --robot', 'yellow')
    return None
