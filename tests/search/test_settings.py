"""What docs/search.md says of the settings is what they are."""

from pathlib import Path

from cuebid import settings
from cuebid.search import Settings

DOCS = Path(__file__).parents[2] / "docs" / "search.md"


def test_the_table_has_every_setting_as_it_is():
    text = DOCS.read_text(encoding="utf-8")
    for name, default, told in settings.described(Settings):
        assert f"| `{name}={default}` | {told} |\n" in text
