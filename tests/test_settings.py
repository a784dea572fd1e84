"""Settings: each documented, each within its range, the order of their sources."""

from pathlib import Path

import pytest

from calibration.errors import UnusableInputError
from referee.settings import PREFIX, SETTINGS, Settings, load_settings, settings_table

DOCS = Path(__file__).parent.parent / "docs" / "settings.md"


def test_each_setting_is_documented_as_it_is() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for line in settings_table().splitlines():
        assert line in text, f"docs/settings.md lacks: {line}"
    assert text.count("\n| `") == len(SETTINGS)


def test_defaults_are_within_their_ranges() -> None:
    for setting in SETTINGS.values():
        assert setting.read(setting.default, "here") == setting.default
        assert setting.help.endswith(".")


def test_the_last_source_holds(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('port = 9000\nhost = "0.0.0.0"\nviewers_need_token = true\nallowed_hosts = "a.local, b.local"\n')
    settings = load_settings(file, {PREFIX + "PORT": "9001", "OTHER": "x"})
    assert settings.whole("port") == 9001
    assert settings.text("host") == "0.0.0.0"
    assert settings.flag("viewers_need_token") is True
    assert settings.words("allowed_hosts") == ("a.local", "b.local")
    assert settings.number("stall_seconds") == 5.0
    assert settings.changed(port=9002, host=None).whole("port") == 9002
    assert load_settings(tmp_path / "none.toml", {}).whole("port") == 8760


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port = 0", "1 to 65,535"),
        ("port = true", "port"),
        ('port = "many"', "port"),
        ("prot = 1", "prot"),
        ('language = "la"', "auto, en, es, ko, gl"),
        ("host = 5", "text"),
        ("viewers_need_token = 7", "true, false"),
        ("not toml", "TOML"),
    ],
)
def test_what_can_not_be_is_named(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(UnusableInputError, match=expected) as caught:
        load_settings(file, {})
    assert caught.value.code == "bad_settings"


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(UnusableInputError, match=PREFIX + "PORT") as caught:
        load_settings(Path("none.toml"), {PREFIX + "PORT": "many"})
    assert caught.value.code == "bad_settings"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnusableInputError, match="unknown"):
        Settings({"colour": "red"})


def test_a_byte_order_mark_is_no_damage_and_endless_nesting_is(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("port = 9000\n", encoding="utf-8-sig")
    assert load_settings(path, {}).whole("port") == 9000
    path.write_text("a = " + "[" * 5000)
    with pytest.raises(UnusableInputError, match="can't be read as TOML"):
        load_settings(path, {})
