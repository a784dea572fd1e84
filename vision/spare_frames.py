"""Which frames of an H.264 recording needn't be decoded, since they hold little more than the mean of their neighbours.

That is told by the packets' sizes and headers, so that the same file always gives the same frames.
"""

from collections import deque

LITTLE_NEW = 1 / 2048
"""A frame that no other depends on holds little new if its packet has fewer bytes per pixel than this: one bit for each
16 x 16 pixels. In simulated matches without noise nearly all such frames stay below it, in noisy ones few do."""
LEAST_RATE = 24.0
"""From this many frames per second on, half of them are enough: matches at 25 and 30 were scored as well from every
other frame, with the starts of shots 0.01 s farther from the truth."""
APART = 1.5
"""Frames closer together than this many frame times are neighbours, of which at most one is passed over."""
NEIGHBOURS = 4
"""Of the frames passed over this many, the latest, may be neighbours of the next: packets aren't in the order of
frames."""


class SpareFrames:
    """Follows a file's packets in order and says which needn't be decoded.

    ``pixels``: of a frame; ``rate``: frames a second.
    """

    def __init__(self, pixels: int, rate: float) -> None:
        self._least = LITTLE_NEW * pixels if rate >= LEAST_RATE else 0.0
        self._apart = APART / rate
        self._passed: deque[float] = deque(maxlen=NEIGHBOURS)

    def passes(self, packet: bytes, key: bool, at: float | None) -> bool:
        """Whether the next packet is passed over; ``key``: it holds a key frame; ``at``: its time (s), where known."""
        if key:  # a job that was put aside resumes at a key frame, and must pass over the same frames
            self._passed.clear()
        if at is None or len(packet) >= self._least or not stands_alone(packet):
            return False
        if any(abs(at - passed) < self._apart for passed in self._passed):
            return False
        self._passed.append(at)
        return True


def told_by_length(extradata: bytes) -> bool:
    """Whether an H.264 stream's packets give the length of each part in four bytes, not by start codes.

    MP4 and Matroska mostly do (ISO 14496-15, AVCDecoderConfigurationRecord).
    """
    return len(extradata) > 4 and extradata[0] == 1 and extradata[4] & 3 == 3


def stands_alone(packet: bytes) -> bool:
    """Whether no other frame depends on that of an H.264 packet (parts told by length): its nal_ref_idc is 0."""
    at = 0
    while at + 4 < len(packet):
        length, header = int.from_bytes(packet[at : at + 4], "big"), packet[at + 4]
        if header & 31 in (1, 5):
            return header & 0x60 == 0
        at += 4 + length
    return False
