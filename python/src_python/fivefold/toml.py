"""Values as TOML."""

import json

from ._fivefold import ConfigError


def written(value):
    """A value of Python or numpy as TOML."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {written(own)}" for name, own in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(written, value)) + "]"
    raise ConfigError(f"{value!r} is no value of a parameter: give numbers, texts, bools, lists and dicts")


def _key(name):
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
