"""The command `fivefold`. It imports nothing but the extension module, so it starts at once."""

import os
import sys


def starter():
    """The file that starts the command: the script that the wheel installed."""
    own = os.path.abspath(sys.argv[0])
    if os.path.basename(own).split(".")[0] == "fivefold" and os.access(own, os.X_OK):
        return own
    return installed() or own


def installed():
    """The script among the files of the installed package; None if there is none."""
    from importlib import metadata

    try:
        files = metadata.files("fivefold") or []
    except metadata.PackageNotFoundError:
        return None
    scripts = [file for file in files if file.name in ("fivefold", "fivefold.exe") and file.parent.name in ("bin", "Scripts")]
    paths = [os.path.abspath(script.locate()) for script in scripts]
    return next((path for path in paths if os.access(path, os.X_OK)), None)


def main():
    """Does the command; returns its exit code."""
    from . import _fivefold

    return _fivefold.main(starter(), _fivefold.__file__, sys.argv[1:])
