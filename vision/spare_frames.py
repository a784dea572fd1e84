"""Frames of an H.264 recording that needn't be decoded: while nothing moves, half are but the mean of their neighbours.

Told by the sizes of packets and what they say of themselves, so that the same file always gives the same frames.
"""

NOTHING_NEW = 1 / 16384
"""Bytes a pixel below which a frame that no other is made from is but the mean of its neighbours: an eighth of a bit
for each 16 x 16 pixels."""
QUIET_S, QUIET_TIMES = 0.4, 24
"""Such frames are passed over once all of their kind have been so for this long, and those that others are made from no
more than so many times as large: of simulated matches none in which discs move, few of the first at rest, and a sixth
of all. Without this, a disc of the board's colour was lost that was read a frame sooner than else."""
PASSED_AT_MOST = 2
"""So many of them in a row aren't decoded: in the usual order of B frames none beside another then."""


class SpareFrames:
    """Goes along with a file's packets, in their order, and says which needn't be decoded.

    ``pixels``: of a frame; ``rate``: frames a second.
    """

    def __init__(self, pixels: int, rate: float) -> None:
        self._least = NOTHING_NEW * pixels
        self._quiet_from = QUIET_S * rate
        self._quiet = self._passed = 0

    def passes(self, packet: bytes, key: bool) -> bool:
        """Whether the next packet is passed over; ``key``: it holds a key frame."""
        alone = stands_alone(packet)
        stirs = len(packet) >= self._least * (1 if alone else QUIET_TIMES)
        # a job put aside goes on from a key frame, and is to pass over the same ones
        self._quiet = 0 if stirs or key else self._quiet + 1
        spare = alone and self._quiet > self._quiet_from and self._passed < PASSED_AT_MOST
        self._passed = self._passed + 1 if spare else 0
        return spare


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
