"""Names of sources, of cameras on each system, folders and videos as if live."""

import socket
import time
from pathlib import Path

import cv2
import pytest

from calibration.errors import UnusableInputError
from live.sources import picture
from referee.hall import samples_folder
from vision import camera_names
from vision.camera_names import CameraName, from_lines, from_linux, from_mac, list_cameras
from vision.cameras import open_source, parse_source, without_password


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("0", "usb", "camera 0"),
        ("usb:2", "usb", "camera 2"),
        ("rtsp://u:p@10.0.0.4:554/live", "stream", "rtsp://10.0.0.4:554/live"),
        ("HTTP://cam.local/mjpg?user=u&pwd=p", "stream", "http://cam.local/mjpg?..."),
        ("rtsp://u:p@cam:notaport/x", "stream", "rtsp://cam/x"),
    ],
)
def test_sources_by_name(text: str, kind: str, shown: str) -> None:
    name = parse_source(text)
    assert (name.kind, name.shown) == (kind, shown)
    assert "p@" not in repr(name)
    assert "pwd" not in str(name)


def test_files_and_folders(tmp_path: Path) -> None:
    video = samples_folder() / "crokinole.mp4"
    assert parse_source(str(video)).kind == "video"
    assert parse_source(str(tmp_path)).kind == "folder"
    for source in (str(video), str(tmp_path), "/etc/passwd", "../x"):
        with pytest.raises(UnusableInputError):
            parse_source(source, paths=False)


@pytest.mark.parametrize("text", ["", "  ", "nothing.mp4", "file:///etc/passwd", "ftp://x/y", "concat:a|b"])
def test_what_is_no_source(text: str) -> None:
    with pytest.raises(UnusableInputError):
        parse_source(text)


def test_a_password_with_strange_signs_is_not_shown() -> None:
    assert without_password("rtsp://a:b@c@d:1/x") == "rtsp://d:1/x"
    assert without_password("http://h/p#frag") == "http://h/p"


def test_cameras_of_linux(tmp_path: Path) -> None:
    for node, name, index in (("video0", "Desk Cam", "0"), ("video1", "Desk Cam", "1"), ("video10", "Phone", "0")):
        (tmp_path / node).mkdir()
        (tmp_path / node / "name").write_text(name + "\n")
        (tmp_path / node / "index").write_text(index + "\n")
    assert from_linux(tmp_path) == [CameraName(0, "Desk Cam"), CameraName(10, "Phone")]
    assert from_linux(tmp_path / "none") == []


def test_cameras_of_other_systems() -> None:
    mac = '{"SPCameraDataType": [{"_name": "FaceTime HD"}, {"spcamera_model-id": "x"}]}'
    assert from_mac(mac) == [CameraName(0, "FaceTime HD"), CameraName(1, "camera 1")]
    assert from_mac("not json") == from_mac("") == []
    assert from_lines("USB Camera\r\n\r\nPhone\r\n") == [CameraName(0, "USB Camera"), CameraName(1, "Phone")]


@pytest.mark.parametrize("system", ["linux", "darwin", "win32", "sunos5"])
def test_no_system_makes_listing_fail(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_names.sys, "platform", system)
    monkeypatch.setattr(camera_names, "SYS_CLASS", Path("/nowhere"))
    assert list_cameras() == []


def test_a_folder_is_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    for name, level in (("b.png", 100), ("a.png", 50)):
        cv2.imwrite(str(tmp_path / name), picture(level))
    (tmp_path / "notes.txt").write_text("x")
    folder = open_source(parse_source(str(tmp_path)))
    seen = [folder.read(), folder.read(), folder.read()]
    assert seen[2] is None
    assert seen[0] is not None
    assert seen[1] is not None
    assert (Path(seen[0].source).name, seen[0].timestamp) == ("a.png", 0.0)
    assert (Path(seen[1].source).name, seen[1].timestamp) == ("b.png", 1.0)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnusableInputError, match="no pictures"):
        open_source(parse_source(str(tmp_path / "empty")))


def test_a_video_is_given_out_at_its_own_pace() -> None:
    video = open_source(parse_source(str(samples_folder() / "crokinole.mp4")))
    begun = time.monotonic()
    times = []
    for _ in range(16):
        frame = video.read()
        assert frame is not None
        times.append(frame.timestamp)
    video.close()
    assert times[0] == 0.0
    assert times == sorted(times)
    assert time.monotonic() - begun >= 0.9 * times[-1]


def test_a_damaged_video_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"\0\0\0\x18ftypmp42" + b"x" * 500)
    with pytest.raises(UnusableInputError, match=r"bad\.mp4 can't be read"):
        open_source(parse_source(str(bad)))


def test_no_camera_at_an_index() -> None:
    with pytest.raises(UnusableInputError, match="not there"):
        open_source(parse_source("97"))


def test_a_stream_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.cameras.OPEN_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/cam"
        with pytest.raises(UnusableInputError, match="no answer in time"):
            open_source(parse_source(address))
