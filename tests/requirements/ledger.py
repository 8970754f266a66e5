"""Change the state of requirements in their files, leaving everything else of the text as it is."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.requirements.model import DIRECTORY, RequirementsError, State, list_area_files, load_requirements

_STATE_LINE: Final = r'(?P<header>\["{id}"\]\n)(?P<before>(?:[^\[\n][^\n]*\n)*?)state = "[a-z]+"\n'


def mark_built(requirement_ids: Iterable[str], directory: Path = DIRECTORY) -> tuple[str, ...]:
    """Set the named requirements to `built` and return those that were not so before.

    Raises:
        RequirementsError: an id is unknown; nothing is changed then.
    """
    requirements = load_requirements(directory)
    wanted = sorted(set(requirement_ids))
    if unknown := [one for one in wanted if one not in requirements]:
        message = f"unknown requirements: {unknown}"
        raise RequirementsError(message)
    changed = tuple(one for one in wanted if requirements[one].state is State.PLANNED)
    for path in list_area_files(directory):
        text = path.read_text(encoding="utf-8")
        for one in changed:
            text = _with_state_built(text, one)
        path.write_text(text, encoding="utf-8")
    return changed


def _with_state_built(text: str, requirement_id: str) -> str:
    header = f'["{requirement_id}"]\n'
    stated = re.compile(_STATE_LINE.replace("{id}", re.escape(requirement_id)))
    bare = stated.sub(lambda found: found["header"] + found["before"], text)
    return bare.replace(header, f'{header}state = "{State.BUILT}"\n')
