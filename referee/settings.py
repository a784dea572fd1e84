"""Every setting once: name, default, range, help.

Later sources win: the default, ``settings.toml`` in the user's configuration folder, the environment
(``TABLE_REFEREE_`` and the name in capitals), what a command is given.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from calibration.errors import UnusableInputError

Value = str | int | float | bool
PREFIX = "TABLE_REFEREE_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. The default's type is the setting's; ``low`` and ``high`` are themselves allowed."""

    name: str
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def range_text(self) -> str:
        """The range in words, for the documentation and for messages."""
        if self.choices:
            return ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true, false"
        return "text" if self.low is None or self.high is None else f"{self.low:,} to {self.high:,}"

    def read(self, given: Value, where: str) -> Value:
        """The value that was meant; raises UnusableInputError naming the setting and its range."""
        said = f"{where}: {self.name} is {str(given)[:60]!r}, expected {self.range_text}"
        wrong = UnusableInputError(said, code="bad_settings")
        value: Value = given
        if isinstance(self.default, bool):
            words = {"true": True, "false": False, "1": True, "0": False}
            found = given if isinstance(given, bool) else words.get(str(given).lower())
            if found is None:
                raise wrong
            return found
        if isinstance(self.default, int | float):
            try:
                value = type(self.default)(str(given)) if not isinstance(given, bool) else ""
            except ValueError:
                raise wrong from None
            if isinstance(value, str) or not (self.low or 0) <= value <= (self.high or 0):
                raise wrong
            return value
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise wrong
        return value


SETTINGS: Mapping[str, Setting] = {
    s.name: s
    for s in (
        Setting("store", "", "URL of the store: sqlite:///PATH or postgresql://...; empty: in the user's data folder."),
        Setting("evidence_mb", 2000, "Megabytes that pictures and clips may take; the oldest go first.", 10, 1_000_000),
        Setting("host", "127.0.0.1", "Address that the dashboard listens on; 0.0.0.0 lets other machines in."),
        Setting("port", 8760, "Port of the dashboard.", 1, 65535),
        Setting("allowed_hosts", "", "More host names, by commas, under which the dashboard may be called."),
        Setting("viewers_need_token", False, "Whether looking on needs the token too, where other machines may call."),
        Setting("max_viewers", 60, "Browsers that may follow live at once.", 1, 1000),
        Setting("max_streams", 12, "Browsers that may see the moving picture at once.", 0, 200),
        Setting("max_body_kb", 256, "Kilobytes that a request may bring.", 16, 65536),
        Setting("threads", 24, "Threads that answer requests, besides those of the followers.", 4, 200),
        Setting("stall_seconds", 5.0, "Seconds without a frame after which a source is opened anew.", 0.5, 600),
        Setting("retry_most_seconds", 30.0, "Longest pause between two tries to open a source.", 1, 3600),
        Setting("picture_width", 1280, "Width in pixels of the moving picture in the browser.", 160, 3840),
        Setting("clips", True, "Whether a short clip of each event is kept with its picture."),
        Setting("picture_fps", 8.0, "Pictures a second in the browser.", 0.2, 30),
        Setting("dark_below", 22.0, "Mean brightness (0 to 255) below which the picture counts as dark.", 0, 255),
        Setting("blurred_below", 12.0, "Sharpness (spread of the Laplacian) below which it is blurred.", 0, 10000),
        Setting("media", "", "Folder whose videos and picture folders may be chosen in the browser, by their names."),
        Setting(
            "dodecas", "", "Profile of Krakatoa's dodecas from `referee calibrate dice`; empty: 18 mm, usual colours."
        ),
        Setting("language", "auto", "Language of the dashboard.", choices=("auto", "en", "es", "ko", "gl")),
        Setting("webhooks", "", "URLs, by commas, that are told of every change of a score."),
    )
}


class Settings:
    """The settings as they hold; ask by the type that the setting has."""

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        given = dict(values or {})
        for name in given:
            _known(name, "settings")
        self._values = {s.name: s.read(given.get(s.name, s.default), "settings") for s in SETTINGS.values()}

    def text(self, name: str) -> str:
        """A setting that is a text."""
        return str(self._values[name])

    def whole(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self._values[name])

    def number(self, name: str) -> float:
        """A setting that is a number."""
        return float(self._values[name])

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        return bool(self._values[name])

    def words(self, name: str) -> tuple[str, ...]:
        """A setting that is a list by commas."""
        return tuple(word.strip() for word in self.text(name).split(",") if word.strip())

    def changed(self, **values: Value | None) -> "Settings":
        """The same settings with other values; None leaves one as it is."""
        return Settings(self._values | {name: value for name, value in values.items() if value is not None})


DEFAULTS = Settings()
"""All settings as they are unless somebody says otherwise."""


def settings_file() -> Path:
    """Where the user's settings are looked for."""
    return user_config_path("table-referee", appauthor=False) / "settings.toml"


def load_settings(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; raises UnusableInputError naming the file or variable, the setting and its range."""
    path = path or settings_file()
    environment = os.environ if environment is None else environment
    values: dict[str, Value] = {}
    if path.is_file():
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise UnusableInputError(f"{path}: can't be read as TOML ({error})", code="bad_settings") from error
        for name, value in data.items():
            values[name] = _known(name, str(path)).read(value, str(path))
    for setting in SETTINGS.values():
        variable = PREFIX + setting.name.upper()
        if variable in environment:
            values[setting.name] = setting.read(environment[variable], variable)
    return Settings(values)


def _known(name: str, where: str) -> Setting:
    setting = SETTINGS.get(name)
    if setting is None:
        raise UnusableInputError(
            f"{where}: setting {name!r} is unknown; known are {', '.join(SETTINGS)}", code="bad_settings"
        )
    return setting


def settings_table() -> str:
    """All settings as a Markdown table, for the documentation."""
    rows = ["| setting | default | range | what |", "|---|---|---|---|"]
    for s in SETTINGS.values():
        default = str(s.default).lower() if isinstance(s.default, bool) else str(s.default) or "(empty)"
        rows.append(f"| `{s.name}` | {default} | {s.range_text} | {s.help} |")
    return "\n".join(rows)
