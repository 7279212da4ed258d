"""What the documentation shows is what happens."""

import re
import shutil
from pathlib import Path

import pytest

from tests.pages import PageError, blocks, follow, run, run_python, write

ROOT = Path(__file__).parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"


def test_the_tutorial_can_be_followed_and_shows_what_is_seen(tmp_path: Path) -> None:
    follow(TUTORIAL, tmp_path)


def test_a_system_can_be_built_as_its_guide_says(tmp_path: Path) -> None:
    follow(ROOT / "docs" / "building-a-system.md", tmp_path)


@pytest.mark.timeout(400)  # a dozen processes, one after the other
def test_backing_up_and_restoring_works_as_the_guide_to_operations_says(tmp_path: Path) -> None:
    follow(ROOT / "docs" / "operations.md", tmp_path)


def test_what_the_guide_to_modelling_shows_is_a_program_that_runs(tmp_path: Path) -> None:
    run_python(ROOT / "docs" / "modelling.md", tmp_path, together=True)


def test_every_program_in_the_readme_runs(tmp_path: Path) -> None:
    run_python(ROOT / "README.md", tmp_path, together=False)


def test_the_tutorials_tests_fail_without_any_of_its_conditions_as_it_says(tmp_path: Path) -> None:
    right = tmp_path / "right"
    right.mkdir()
    for block in blocks(TUTORIAL):
        if block.language == "python":
            write(block, right)
    desk = (right / "desk.py").read_text()
    conditions = re.findall(r"\n +\.when\(.*\)$", desk, re.MULTILINE)
    assert len(conditions) == 3
    for number, condition in enumerate(conditions):
        folder = tmp_path / str(number)
        shutil.copytree(right, folder)
        (folder / "desk.py").write_text(desk.replace(condition, ""))
        done = run(["pytest", "-q", "test_lending.py"], folder)
        assert " failed, " in done.stdout, done.stdout


GOOD = """
```sh
cd somewhere
```
```python
# greet.py
def greet(name: str) -> str:
    return f"Hello, {name}"
```
```python
# greet.py, continued

print(greet("Ada"))
print(id(greet))
```
```console
$ python greet.py
Hello, Ada
...
$ echo port 8000 | cut -c 1-5
port ...
$ partita dynamodb --port 8000 --data new
DynamoDB is served at http://127.0.0.1:8000
data     .../new
tables   none yet

Ctrl-C stops it.
$ curl -s http://127.0.0.1:8000/healthz | head -c 7; echo
healthy
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A small page with everything in it."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "page.md").write_text(GOOD)
    return folder / "page.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the reader works."""
    folder = tmp_path / "new"
    folder.mkdir()
    return folder


def test_a_page_that_is_right_can_be_followed(page: Path, folder: Path) -> None:
    follow(page, folder)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            "Hello, Ada\n",
            "Hello, Ben\n",
            r"page.md line 17: \$ python greet.py\n(?s:.*)-Hello, Ben\n(?s:.*)\+Hello, Ada",
        ),
        ('return f"Hello', 'return f"Bye', r"\+Bye, Ada"),
        ("\n...\n$ echo", "\n$ echo", r"\n\+\d+"),
        ("def greet", "def great", "NameError"),
        ("port ...\n", "", r"\+port"),
        ("tables   none yet", "tables   lending", r"\+tables   none yet"),
        ("$ python greet.py", "$ python great.py", "No such file"),
        ("# greet.py\n", "", "which file is this"),
        ("# greet.py, continued", "# greet.py", "greet.py is there already"),
        ("# greet.py\n", "# other.py\n", "greet.py is not there yet"),
        ("```console\n$ ", "```console\n", "a console block starts with"),
        ("```sh", "```ruby", "nobody knows what to do with a block of 'ruby'"),
        ("healthy", "ill", r"\+healthy"),
    ],
)
def test_a_page_that_is_wrong_is_found_out(page: Path, folder: Path, right: str, wrong: str, said: str) -> None:
    assert right in GOOD
    page.write_text(GOOD.replace(right, wrong, 1))
    with pytest.raises(PageError, match=said):
        follow(page, folder)


ALONE = """
```python
count = 1
```
```python
import asyncio
await asyncio.sleep(0)
count += 1
assert count == 2
```
"""


def test_programs_of_a_page_share_names_only_where_they_are_one_program(tmp_path: Path, folder: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(ALONE)
    run_python(page, folder, together=True)
    with pytest.raises(PageError, match=r"page.md line 6: this program fails\n(?s:.*)NameError: name 'count'"):
        run_python(page, folder, together=False)


def test_a_program_that_fails_or_warns_is_found_out_with_its_line(tmp_path: Path, folder: Path) -> None:
    page = tmp_path / "page.md"
    for wrong in ("assert count == 3", "open('/dev/null')", "import nothing"):
        page.write_text(ALONE.replace("assert count == 2", wrong))
        with pytest.raises(PageError, match=r"line 3: this program fails\n(?s:.*)(page.md line 6|unclosed file)"):
            run_python(page, folder, together=True)
    page.write_text("no program")
    with pytest.raises(PageError, match=r"page\.md has no Python to run"):
        run_python(page, folder, together=True)
