"""An app over a fresh store, asked in process."""

from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from referee.dashboard import create_app
from referee.dashboard.guard import Gate, make_gate
from referee.desk import Desk
from referee.hall import Hall
from referee.settings import Settings
from referee.store import Store

API = "/api/v1"


class Room:
    """The app, its client, and how to speak to it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(settings)
        self.store = Store(f"sqlite:///{folder / 'm.sqlite'}")
        self.desk = Desk(self.store, clock=map(float, range(1, 1_000_000)).__next__)
        self.hall = Hall(self.desk, self.settings)
        self.gate: Gate = make_gate(self.settings)
        self.app = create_app(self.hall, self.gate)
        self.client: FlaskClient = self.app.test_client()

    def post(self, path: str, data: Any = None, status: int = 201, **headers: str) -> Any:
        """A change as the pages send it."""
        answer = self.client.post(API + path, json={} if data is None else data, headers=headers)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def get(self, path: str, status: int = 200, **headers: str) -> Any:
        answer = self.client.get(API + path, headers=headers)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json()

    def begin(self, game: str = "crokinole", options: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        state: dict[str, Any] = self.post("/matches", {"game": game, "options": options or {}, **more})
        return state

    def close(self) -> None:
        self.hall.close()
        self.store.close()
