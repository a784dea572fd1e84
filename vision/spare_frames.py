"""Frames of an H.264 recording that needn't be decoded: of many little more is told than the mean of their neighbours.

Told by the sizes of packets and what they say of themselves, so that the same file always gives the same frames.
"""

from collections import deque

LITTLE_NEW = 1 / 2048
"""Bytes a pixel below which a frame that no other is made from holds little that its neighbours don't: a bit for each
16 x 16 pixels. Of simulated matches without noise nearly all such frames, of noisy ones few."""
LEAST_RATE = 24.0
"""Frames a second of a recording from which on half of them are enough: matches of 25 and of 30 were told as well from
every other frame, shots began 0.01 s more beside the truth."""
APART = 1.5
"""Frames nearer to each other than this many of their kind last are neighbours, of which one at most is passed over."""
NEIGHBOURS = 4
"""So many of those passed over last may be neighbours of the next: packets come in another order than frames."""


class SpareFrames:
    """Goes along with a file's packets, in their order, and says which needn't be decoded.

    ``pixels``: of a frame; ``rate``: frames a second.
    """

    def __init__(self, pixels: int, rate: float) -> None:
        self._least = LITTLE_NEW * pixels if rate >= LEAST_RATE else 0.0
        self._apart = APART / rate
        self._passed: deque[float] = deque(maxlen=NEIGHBOURS)

    def passes(self, packet: bytes, key: bool, at: float | None) -> bool:
        """Whether the next packet is passed over; ``key``: it holds a key frame; ``at``: its time (s), where known."""
        if key:  # a job put aside goes on from here, and is to pass over the same ones
            self._passed.clear()
        if at is None or len(packet) >= self._least or not stands_alone(packet):
            return False
        if any(abs(at - passed) < self._apart for passed in self._passed):
            return False
        self._passed.append(at)
        return True


def told_by_length(extradata: bytes) -> bool:
    """Whether packets of an H.264 stream tell their parts by four bytes of length each, as MP4 and Matroska mostly do
    (ISO 14496-15, AVCDecoderConfigurationRecord), not by start codes."""
    return len(extradata) > 4 and extradata[0] == 1 and extradata[4] & 3 == 3


def stands_alone(packet: bytes) -> bool:
    """Whether no other frame is made from that of an H.264 packet, its parts told by length: its nal_ref_idc is 0."""
    at = 0
    while at + 4 < len(packet):
        length, header = int.from_bytes(packet[at : at + 4], "big"), packet[at + 4]
        if header & 31 in (1, 5):
            return header & 0x60 == 0
        at += 4 + length
    return False
