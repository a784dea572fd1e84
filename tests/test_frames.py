"""Input of every kind: what can be read is read like any other, what can't is refused in one clear line."""

import io
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageFile

from calibration.camera import resizing
from calibration.errors import UnusableInputError
from vision import formats
from vision.frames import frame_of_pixels, load_picture

W, H = 320, 200


def scene(width: int = W, height: int = H) -> np.ndarray:
    """A smooth RGB picture whose red grows to the right and green downwards, with a blue disc at 1/4, 1/4."""
    x, y = np.meshgrid(np.linspace(20, 230, width), np.linspace(20, 230, height))
    rgb = np.stack([x, y, np.full_like(x, 60)], axis=-1).astype(np.uint8)
    cv2.circle(rgb, (width // 4, height // 4), height // 10, (10, 10, 250), -1)
    return rgb


def save(path: Path, image: Image.Image, **options: object) -> Path:
    image.save(path, **options)
    return path


def rgb_image() -> Image.Image:
    return Image.fromarray(scene())


def deep_png(path: Path) -> Path:
    cv2.imwrite(str(path), scene()[..., ::-1].astype(np.uint16) * 257)
    return path


def twelve_bit(path: Path) -> Path:
    cv2.imwrite(str(path), cv2.cvtColor(scene(), cv2.COLOR_RGB2GRAY).astype(np.uint16) * 16)
    return path


KINDS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "jpeg": ("a.jpg", lambda p: save(p, rgb_image(), quality=95)),
    "progressive jpeg": ("a.jpg", lambda p: save(p, rgb_image(), quality=95, progressive=True)),
    "wrong suffix": ("a.png", lambda p: save(p, rgb_image(), format="JPEG", quality=95)),
    "cmyk jpeg": ("a.jpg", lambda p: save(p, rgb_image().convert("CMYK"), quality=95)),
    "png": ("a.png", lambda p: save(p, rgb_image())),
    "png with alpha": ("a.png", lambda p: save(p, rgb_image().convert("RGBA"))),
    "palette png": ("a.png", lambda p: save(p, rgb_image().quantize(200))),
    "16-bit png": ("a.png", deep_png),
    "16-bit tiff": ("a.tiff", deep_png),
    "tiff": ("a.tif", lambda p: save(p, rgb_image())),
    "packed tiff": ("a.tif", lambda p: save(p, rgb_image(), compression="tiff_deflate")),
    "cmyk tiff": ("a.tif", lambda p: save(p, rgb_image().convert("CMYK"))),
    "lab tiff": ("a.tif", lambda p: save(p, Image.merge("LAB", rgb_image().convert("YCbCr").split()))),
    "bmp": ("a.bmp", lambda p: save(p, rgb_image())),
    "webp": ("a.webp", lambda p: save(p, rgb_image(), quality=95)),
    "lossless webp with alpha": ("a.webp", lambda p: save(p, rgb_image().convert("RGBA"), lossless=True)),
    "animated webp": ("a.webp", lambda p: save(p, rgb_image(), save_all=True, append_images=[rgb_image()], quality=95)),
    "animated png": ("a.png", lambda p: save(p, rgb_image(), save_all=True, append_images=[Image.new("RGB", (W, H))])),
    "gif": ("a.gif", lambda p: save(p, rgb_image())),
    "ppm": ("a.ppm", lambda p: save(p, rgb_image())),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_kinds_are_read_alike(kind: str, tmp_path: Path) -> None:
    name, make = KINDS[kind]
    frame = load_picture(make(tmp_path / name))
    assert frame.pixels.shape == (H, W, 3)
    assert frame.pixels.dtype == np.uint8
    assert (frame.width, frame.height, frame.scale, frame.real) == (W, H, (1.0, 1.0), None)
    if kind != "lab tiff":
        error = np.abs(frame.pixels[..., ::-1].astype(int) - scene().astype(int))
        assert np.median(error) <= 6, kind


@pytest.mark.parametrize("mode", ["L", "1", "LA", "I;16"])
def test_grey_kinds(mode: str, tmp_path: Path) -> None:
    image = rgb_image().convert("L")
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image).astype(np.uint16) * 257)
    elif mode != "L":
        image = image.convert(mode)
    frame = load_picture(save(tmp_path / "a.png", image))
    grey = cv2.cvtColor(scene(), cv2.COLOR_RGB2GRAY)
    assert frame.pixels.shape == (H, W, 3)
    assert abs(float(frame.pixels.mean()) - float(grey.mean())) < 5


def test_twelve_bits_in_sixteen_are_stretched(tmp_path: Path) -> None:
    frame = load_picture(twelve_bit(tmp_path / "a.png"))
    assert frame.pixels.max() > 200


def test_transparent_is_shown_over_white(tmp_path: Path) -> None:
    image = rgb_image().convert("RGBA")
    image.putalpha(0)
    assert load_picture(save(tmp_path / "a.png", image)).pixels.min() == 255


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation(suffix: str, orientation: int, tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = rgb_image()
    undo = {2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
            5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE,
            8: Image.Transpose.ROTATE_270}  # fmt: skip
    if orientation in undo:
        image = image.transpose(undo[orientation])
    frame = load_picture(save(tmp_path / f"a.{suffix}", image, exif=exif, quality=95))
    assert (frame.width, frame.height) == (W, H)
    assert np.median(np.abs(frame.pixels[..., ::-1].astype(int) - scene().astype(int))) <= 6


def jfif_density(path: Path, x: int, y: int) -> Path:
    """Write a JPEG whose JFIF header gives a density without a unit: pixels y : x in shape."""
    save(path, rgb_image(), quality=95)
    data = bytearray(path.read_bytes())
    at = data.index(b"JFIF\x00") + 7
    data[at : at + 5] = struct.pack(">BHH", 0, x, y)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(("x", "y", "size"), [(27, 32, (379, 200)), (9, 8, (320, 225)), (1, 1, (320, 200))])
def test_pixels_that_are_not_square(x: int, y: int, size: tuple[int, int], tmp_path: Path) -> None:
    frame = load_picture(jfif_density(tmp_path / "a.jpg", x, y))
    assert (frame.pixels.shape[1], frame.pixels.shape[0]) == size
    assert (frame.width, frame.height) == (W, H)  # points are still those of the picture as shown
    disc = np.argwhere((frame.pixels[..., 0] > 150) & (frame.pixels[..., 2] < 60)).mean(axis=0)[::-1]
    assert frame.to_shown(disc[None])[0] == pytest.approx([W / 4, H / 4], abs=1)
    assert frame.from_shown(frame.to_shown(disc[None]))[0] == pytest.approx(disc)


def test_densities_of_png_and_tiff(tmp_path: Path) -> None:
    for name in ("a.png", "a.tif"):
        frame = load_picture(save(tmp_path / name, rgb_image(), dpi=(100, 150)))
        assert frame.pixels.shape[:2] == (200, 480), name
    assert load_picture(save(tmp_path / "b.png", rgb_image(), dpi=(300, 300))).scale == (1.0, 1.0)


def test_absurd_density_is_not_believed(tmp_path: Path) -> None:
    frame = load_picture(jfif_density(tmp_path / "a.jpg", 1, 300))
    assert frame.scale == (1.0, 1.0)
    assert len(frame.warnings) == 1


def test_focal_length_from_exif(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x8769] = {0xA405: 26}
    frame = load_picture(save(tmp_path / "a.jpg", rgb_image(), exif=exif))
    assert frame.focal_px == pytest.approx(26 / 43.27 * np.hypot(W, H), rel=1e-6)
    exif[0x8769] = {0xA405: 26, 0xA002: 4000, 0xA003: 3000}  # the camera made 4:3, so this was cropped
    assert load_picture(save(tmp_path / "b.jpg", rgb_image(), exif=exif)).focal_px is None


def test_a_resized_camera_moves_points_as_to_shown_does(tmp_path: Path) -> None:
    frame = load_picture(jfif_density(tmp_path / "a.jpg", 27, 32))
    K = np.array([[500.0, 0, 190], [0, 500, 100], [0, 0, 1]])
    ray = np.array([0.2, -0.1, 1.0])
    assert (resizing(*frame.scale) @ K @ ray)[:2] == pytest.approx(frame.to_shown((K @ ray)[None, :2])[0])


def solid_png(path: Path, width: int, height: int) -> Path:
    """Write a large RGB PNG row by row, without holding it."""
    packer = zlib.compressobj(1)
    row = b"\x00" + bytes((90, 120, 200)) * width
    body = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))
    return path


def test_hundred_megapixels_are_reduced(tmp_path: Path) -> None:
    frame = load_picture(solid_png(tmp_path / "a.png", 12000, 8500))
    assert frame.pixels.shape[0] * frame.pixels.shape[1] <= formats.WORKING_PIXELS * 1.001
    assert (frame.width, frame.height) == (12000, 8500)
    assert frame.scale[0] == pytest.approx(frame.scale[1], rel=1e-3)


def test_large_jpeg_is_reduced_while_reading(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jpg", Image.new("RGB", (11600, 8700), (90, 120, 200)), quality=80)
    frame = load_picture(path)
    assert (frame.width, frame.height) == (11600, 8700)
    assert len(frame.pixels) < 4000


def test_bombs_are_refused(tmp_path: Path) -> None:
    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    body = b"IHDR" + head
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))
    (tmp_path / "a.png").write_bytes(bomb + struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT")))
    with pytest.raises(UnusableInputError) as caught:
        load_picture(tmp_path / "a.png")
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.bmp", "a.tif"])
def test_cut_off_file_gives_what_is_left(name: str, tmp_path: Path) -> None:
    noisy = np.random.default_rng(7).integers(0, 255, (600, 800, 3), dtype=np.uint8)
    path = save(tmp_path / name, Image.fromarray(noisy))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.6)])
    frame = load_picture(path)
    assert frame.pixels.shape == (600, 800, 3)
    assert frame.real is not None
    assert 250 < frame.real[3] - frame.real[1] < 400
    assert "cut off" in frame.warnings[0]
    assert not ImageFile.LOAD_TRUNCATED_IMAGES
    top = 100 if name != "a.bmp" else 500  # a BMP is stored from the bottom
    assert frame.holds(np.array([[10.0, top]])) and not frame.holds(np.array([[10.0, 600 - top]]))


def test_cut_off_sideways_picture_keeps_the_right_part(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    noisy = np.random.default_rng(7).integers(0, 255, (600, 800, 3), dtype=np.uint8)
    path = save(tmp_path / "a.jpg", Image.fromarray(noisy), exif=exif)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    frame = load_picture(path)
    assert frame.real is not None
    assert frame.real[0] > 200 and frame.real[1:] == (0, 600, 800)


def test_webp_cut_off_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path / "a.webp", rgb_image())
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(UnusableInputError) as caught:
        load_picture(path)
    assert caught.value.code == "unreadable_input"


REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "unreadable_input"),
    "text": (b"not a picture at all, only words\n" * 40, "unreadable_input"),
    "header only": (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "unreadable_input"),
    "noise": (bytes(range(256)) * 8, "unreadable_input"),
    "pdf": (b"%PDF-1.7\n%", "unsupported_format"),
    "svg": (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "unsupported_format"),
    "mp4": (b"\x00\x00\x00\x18ftypmp42" + bytes(100), "unsupported_format"),
    "avi": (b"RIFF\x00\x00\x00\x00AVI LIST" + bytes(100), "unsupported_format"),
    "psd": (b"8BPS" + bytes(100), "unsupported_format"),
    "tiff of nothing": (b"II*\x00" + bytes(100), "unreadable_input"),
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
def test_not_a_picture(kind: str, tmp_path: Path) -> None:
    data, code = REFUSED[kind]
    path = tmp_path / "a.jpg"
    path.write_bytes(data)
    with pytest.raises(UnusableInputError) as caught:
        load_picture(path)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_folder_missing_and_odd_paths(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.jpg", tmp_path / "a.jpg" / "b.jpg", Path("/dev/null"), "\x00.jpg"):
        with pytest.raises(UnusableInputError) as caught:
            load_picture(path)
        assert caught.value.code == "unreadable_input"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", rgb_image())
    path.chmod(0)
    with pytest.raises(UnusableInputError, match="permission"):
        load_picture(path)


def test_heic_says_how_to_install_its_reader_or_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.heic"
    try:
        import pillow_heif  # noqa: PLC0415  (the optional extra)
    except ImportError:
        path.write_bytes(b"\x00\x00\x00\x18ftypheic" + bytes(100))
        with pytest.raises(UnusableInputError, match=r"pip install 'table-referee\[heic\]'"):
            load_picture(path)
        return
    pillow_heif.register_heif_opener()
    frame = load_picture(save(path, rgb_image(), quality=95))
    assert np.median(np.abs(frame.pixels[..., ::-1].astype(int) - scene().astype(int))) <= 6


def test_fuzzed_files_never_raise_anything_else(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for kind in ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"):
        buffer = io.BytesIO()
        rgb_image().save(buffer, kind)
        for trial in range(12):
            data = bytearray(buffer.getvalue())
            for at in rng.integers(0, min(len(data), 400 if trial % 2 else len(data)), 6):
                data[at] = int(rng.integers(0, 256))
            path = tmp_path / f"{trial}.{kind.lower()}"
            path.write_bytes(data)
            try:
                load_picture(path)
            except UnusableInputError as error:
                assert "\n" not in str(error)


def test_frame_of_pixels() -> None:
    frame = frame_of_pixels(scene(), "camera 0", 1.5)
    assert (frame.width, frame.height, frame.timestamp) == (W, H, 1.5)
    assert frame.holds(np.array([[5.0, 5.0]]))
