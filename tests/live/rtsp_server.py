"""An RTSP server with a test picture, run by the system's Python (Debian: gir1.2-gst-rtsp-server-1.0, python3-gi)."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402 - the versions come first

Gst.init(None)
server = GstRtspServer.RTSPServer.new()
server.set_address("127.0.0.1")
server.set_service(sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory.new()
factory.set_launch(
    "( videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=15/1 "
    "! jpegenc ! rtpjpegpay name=pay0 pt=26 )"
)
factory.set_shared(True)
server.get_mount_points().add_factory("/live", factory)
if not server.attach(None):
    sys.exit("the port is taken")
sys.stdout.write("ready\n")
sys.stdout.flush()
GLib.MainLoop().run()
