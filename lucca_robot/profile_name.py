"""Names of robot profiles, told from paths of files."""

import re

_NAME = re.compile(r'[A-Za-z0-9_-]{1,60}')


def is_profile_name(text: str) -> bool:
    """Whether this can only name a profile in `config/robots`, and never a file elsewhere.

    A recording may come from anybody. A profile that it chose by path could name xacro files, which are evaluated.
    """
    return _NAME.fullmatch(text) is not None
