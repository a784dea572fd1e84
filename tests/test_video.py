import io
import wave
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from calibration.errors import UnusableInputError
from vision.cameras import open_source, parse_source
from vision.spare_frames import SpareFrames, stands_alone, told_by_length
from vision.video import VideoFile, VideoFrame, as_luma, cut_clip, one_field

CLIPS = Path(__file__).parent / "video"


def write(path: Path, pictures, times, codec="mpeg4", pix_fmt="yuv420p", aspect: Fraction | None = None, **options):
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=30, options=options)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = pix_fmt
        stream.codec_context.time_base = Fraction(1, 1000)
        if aspect is not None:
            stream.codec_context.sample_aspect_ratio = aspect
        for picture, at in zip(pictures, times, strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = round(at * 1000), Fraction(1, 1000)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def numbered(count: int, size=(96, 128)) -> list[np.ndarray]:
    return [np.full((*size, 3), 20 + 8 * k, np.uint8) for k in range(count)]


def test_timestamps_are_the_files_own(tmp_path: Path):
    times = [0.0, 0.033, 0.071, 0.120, 0.121, 0.300, 0.900]
    path = write(tmp_path / "vfr.mkv", numbered(7), times)
    with VideoFile(path) as video:
        found = [f.timestamp for f in video.frames()]
    assert found == pytest.approx(times, abs=0.0011)
    assert all(b > a for a, b in pairwise(found))


def test_frames_decoded_ahead_are_the_same(tmp_path: Path):
    path = write(tmp_path / "a.mp4", numbered(20), [k / 25 for k in range(20)])
    with VideoFile(path) as plain, VideoFile(path) as video:
        for one, other in zip(plain.frames(), video.frames_ahead(), strict=True):
            assert one.timestamp == other.timestamp and one.sha256 == other.sha256


def with_a_disc_on_its_way(path: Path, rate: int) -> Path:
    """A picture at rest, but for a disc that comes across it between a quarter and a half of 120 frames."""
    rng = np.random.default_rng(1)
    pictures = [np.full((720, 1280, 3), 90, np.uint8) for _ in range(120)]
    for k in range(30, 60):
        cv2.circle(pictures[k], (200 + 25 * (k - 30), 300 + (k - 30) ** 2 // 4), 20, (30, 40, 200), -1, cv2.LINE_AA)
    pictures[80] = rng.integers(0, 255, (720, 1280, 3), dtype=np.uint8)  # a flash
    times = [k / rate for k in range(120)]
    return write(path, pictures, times, codec="libx264", crf="21", preset="veryfast")


@pytest.mark.skipif("libx264" not in av.codecs_available, reason="needs an encoder of H.264")
def test_some_frames_that_add_little_to_their_neighbours_are_passed_over(tmp_path: Path):
    path = with_a_disc_on_its_way(tmp_path / "a.mp4", 25)
    with VideoFile(path) as plain, VideoFile(path, threads=1) as video:
        all_of_them = {f.timestamp: f for f in plain.frames()}
        some = list(video.frames_ahead())
    assert len(all_of_them) == 120 and 60 <= len(some) < 80
    assert max(b.timestamp - a.timestamp for a, b in pairwise(some)) < 0.081, "of two neighbours one is left"
    assert any(f.luma.std() > 20 for f in some), "what isn't told by its neighbours"
    assert all((all_of_them[f.timestamp].luma == f.luma).all() for f in some), "the others are what they were"


@pytest.mark.skipif("libx264" not in av.codecs_available, reason="needs an encoder of H.264")
def test_of_few_frames_a_second_none_is_passed_over(tmp_path: Path):
    with VideoFile(with_a_disc_on_its_way(tmp_path / "a.mp4", 20)) as video:
        assert sum(1 for _ in video.frames_ahead()) == 120


def spare_packet(size: int) -> bytes:
    return (size - 4).to_bytes(4, "big") + b"\x01" + bytes(size - 5)


def test_which_frames_are_spare():
    spare = SpareFrames(pixels=2048 * 100, rate=30.0)
    small, large = spare_packet(99), spare_packet(100)
    kept = small[:4] + b"\x41" + small[5:]
    assert not spare.passes(large, False, 0.0) and not spare.passes(kept, False, 0.0), (
        "it holds much, or others need it"
    )
    assert not spare.passes(small, False, None), "nobody knows beside which it is"
    assert [spare.passes(small, False, k / 30) for k in (2, 1, 3, 4, 6)] == [True, False, False, True, True]
    assert spare.passes(small, True, 7 / 30), "from a key frame on as if nothing had been before"
    assert not SpareFrames(pixels=2048 * 100, rate=20.0).passes(small, False, 0.0)


def test_which_packets_stand_alone():
    parameters, spare, kept = b"\0\0\0\2\x06\x01", b"\0\0\0\3\x01\x9e\x10", b"\0\0\0\3\x41\x9a\x10"
    assert stands_alone(spare) and stands_alone(parameters + spare)
    assert not stands_alone(kept) and not stands_alone(parameters + kept)
    assert told_by_length(b"\x01\x64\x00\x1f\xff") and not told_by_length(b"\x01\x64\x00\x1f\xfd")
    assert not told_by_length(b"\0\0\0\1\x67") and not told_by_length(b"")
    assert not stands_alone(b"") and not stands_alone(parameters) and not stands_alone(b"\xff\xff\xff\xff\x06")


@pytest.mark.parametrize("way", ["frames", "frames_ahead"])
def test_a_closed_file_gives_no_frames(tmp_path: Path, way: str):
    video = VideoFile(write(tmp_path / "a.mp4", numbered(12), [k / 10 for k in range(12)]))
    frames = getattr(video, way)()
    video.close()
    with pytest.raises(ValueError, match="was closed"):
        list(frames)


def test_frames_from_the_middle_begin_at_or_before_it(tmp_path: Path):
    path = write(tmp_path / "a.mp4", numbered(20), [k / 10 for k in range(20)], g="5")
    with VideoFile(path) as video:
        found = [f.timestamp for f in video.frames(1.2)]
    assert found[0] <= 1.2 and found[-1] == pytest.approx(1.9, abs=0.01)


def test_pixels_are_converted_when_asked_and_luma_is_the_plane(tmp_path: Path):
    path = write(tmp_path / "a.mp4", numbered(3), [0, 0.1, 0.2])
    with VideoFile(path) as video:
        frame = list(video.frames())[2]
    assert "pixels" not in frame.__dict__
    assert frame.pixels.shape == (96, 128, 3) and abs(int(frame.pixels.mean()) - 36) < 8
    assert frame.luma.shape == (96, 128)
    assert len(frame.sha256) == 64


@pytest.mark.parametrize(
    ("aspect", "size"), [(Fraction(4, 3), (171, 96)), (Fraction(1, 2), (128, 192)), (None, (128, 96))]
)
def test_pixels_become_square(tmp_path: Path, aspect, size):
    path = write(tmp_path / "a.mkv", numbered(2), [0, 0.1], aspect=aspect)
    with VideoFile(path) as video:
        frame = next(video.frames())
        assert (video.info.width, video.info.height) == size
    assert frame.pixels.shape[:2] == size[::-1]


@pytest.mark.parametrize("begin", [0.0, 0.55])
def test_a_file_watched_as_if_live_gives_the_frames_that_are_scored(tmp_path: Path, begin: float):
    path = write(tmp_path / "a.mkv", numbered(12), [k / 10 for k in range(12)], aspect=Fraction(4, 3))
    with VideoFile(path) as video:
        scored = [f for f in video.frames() if f.timestamp >= begin]
    source = open_source(replace(parse_source(str(path)), begin=begin), pace=1000.0)
    watched = list(iter(source.read, None))
    source.close()
    assert [f.timestamp for f in watched] == [f.timestamp for f in scored]
    assert all(np.array_equal(one.pixels, other.pixels) for one, other in zip(watched, scored, strict=True))
    assert (watched[0].width, watched[0].height) == (171, 96)


def test_ten_bit_luma_has_eight(tmp_path: Path):
    path = write(tmp_path / "a.mkv", numbered(2), [0, 0.1], codec="ffv1", pix_fmt="yuv420p10le")
    with VideoFile(path) as video:
        frame = next(video.frames())
    assert frame.luma.dtype == np.uint8 and abs(int(frame.luma.mean()) - 33) < 4
    assert abs(int(frame.pixels.mean()) - 20) < 4


def test_a_phones_video_is_turned_upright():
    with VideoFile(CLIPS / "phone.mp4") as video:
        assert (video.info.width, video.info.height) == (720, 1280)
        frame = next(video.frames())
    assert frame.pixels.shape == (1280, 720, 3)
    # the plane as it is stored, looked at through the map, is the upright picture
    luma, to_plane = as_luma(frame)
    assert luma.shape == (720, 1280)
    upright = cv2.warpAffine(luma, to_plane, (720, 1280), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    gray = cv2.cvtColor(frame.pixels, cv2.COLOR_BGR2GRAY)
    assert np.corrcoef(upright[::8, ::8].ravel(), gray[::8, ::8].ravel())[0, 1] > 0.99


def test_one_field_of_woven_pictures():
    woven = np.zeros((6, 4, 3), np.uint8)
    woven[::2] = np.array([10, 20, 30], np.uint8)[:, None, None]
    woven[1::2] = 200
    assert one_field(woven)[:, 0, 0].tolist() == [10, 15, 20, 25, 30, 30]


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path):
    pictures = [np.random.default_rng(k).integers(0, 255, (96, 128, 3), np.uint8) for k in range(40)]
    path = write(tmp_path / "a.mkv", pictures, [k / 10 for k in range(40)])
    data = path.read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(data[: len(data) // 2])
    with VideoFile(cut) as video:
        found = [f.timestamp for f in video.frames()]
        assert 5 < len(found) < 35
        assert video.info.duration_s is None or video.warnings


def test_what_is_no_video_is_refused_in_one_line(tmp_path: Path):
    with pytest.raises(UnusableInputError, match="no such file"):
        VideoFile(tmp_path / "missing.mp4")
    text = tmp_path / "a.mp4"
    text.write_bytes(b"not a video" * 50)
    with pytest.raises(UnusableInputError) as error:
        VideoFile(text)
    assert error.value.code == "unreadable_input" and "\n" not in str(error.value)
    sound = tmp_path / "a.wav"
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(8000))
    sound.write_bytes(buffer.getvalue())
    with pytest.raises(UnusableInputError) as error:
        VideoFile(sound)
    assert error.value.code == "no_video"


def test_a_clip_is_cut_without_being_encoded_again(tmp_path: Path):
    path = write(tmp_path / "a.mp4", numbered(25), [k / 10 for k in range(25)], g="5")
    cut_clip(path, 1.1, 1.8, tmp_path / "clip.mp4")
    with VideoFile(path) as whole, VideoFile(tmp_path / "clip.mp4") as clip:
        originals = {f.sha256 for f in whole.frames()}
        pieces = [f for f in clip.frames() if isinstance(f, VideoFrame)]
    assert 8 <= len(pieces) <= 14
    assert all(f.sha256 in originals for f in pieces)
