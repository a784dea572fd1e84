"""Pictures that the official of crokinole keeps of its calls."""

import cv2

from referee.officials import Evidence
from vision.table import TableReading

EVIDENCE_QUALITY = 100
"""A call is measured again from its picture: at quality 100 gaps stay within 0.01 mm, at 95 they were off by 0.12 mm,
at 85 by 0.9 mm (a disc of 20 pixels). That takes some 1 MB a shot at 1080p."""

PICTURE_SIDE, PICTURE_QUALITY = 320, 80
"""Side in pixels of the bird's-eye picture that is kept of each shot, some 15 kB."""
PICTURE_REACH = 1.25
"""Half its width over the shooting line's radius: surface and ditch."""


def evidence_of(reading: TableReading, words: str) -> Evidence:
    """The frame that a call rests on, whole."""
    settings = [cv2.IMWRITE_JPEG_QUALITY, EVIDENCE_QUALITY]
    settings += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
    return Evidence(cv2.imencode(".jpg", reading.rest.frame.pixels, settings)[1].tobytes(), words, reading.rest.view)


def birds_eye(reading: TableReading) -> bytes:
    """The board seen straight from above, as JPEG."""
    view = reading.rest.view
    picture = view.rectify(reading.rest.frame.pixels, PICTURE_REACH * view.board.shooting, PICTURE_SIDE)
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, PICTURE_QUALITY])[1].tobytes()
