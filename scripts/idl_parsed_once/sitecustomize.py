"""Read by each Python that starts while scripts/build_interfaces.sh builds: each IDL file is parsed once.

Ten generators parse the same files, with an Earley parser that needs two seconds for all of them. Here the first one
keeps the tree of a file beside the build, and the others take it from there.
"""

import fcntl
import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

try:
    from rosidl_parser import parser
except ImportError:  # A Python of another environment; it generates nothing.
    pass
else:
    _parse = parser.get_ast_from_idl_string
    _folder = Path(os.environ['LUCCA_IDL_TREES'])

    def _parse_once(idl_string: str) -> Any:
        # The name holds the grammar, too. Two generators run at the same time: one waits for the other's tree.
        name = hashlib.sha256((parser.grammar + idl_string).encode()).hexdigest()
        with (_folder / name).open('a+b') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if kept := file.read():
                return pickle.loads(kept)  # noqa: S301  written by this build
            tree = _parse(idl_string)
            file.write(pickle.dumps(tree))
            return tree

    parser.get_ast_from_idl_string = _parse_once
