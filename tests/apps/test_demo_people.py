"""The demo data of all systems fills one suite: nobody of one is somebody else in another."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from partita import apps

PEOPLE = sorted(Path(apps.__file__).parent.glob("*/demo/people.json"))


def test_no_two_demos_have_a_username_in_common() -> None:
    people = [person for file in PEOPLE for person in json.loads(file.read_text())]
    assert len(PEOPLE) > 2
    assert [name for name, times in Counter(person["username"] for person in people).items() if times > 1] == []
    assert [email for email, times in Counter(person["email"] for person in people).items() if times > 1] == []
