#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""serial.py BYTES COMMAND...: passes the output of a command on at so many
bytes a second, as a serial line does. The command must wait, because hardly
anything is buffered in between. 115200 baud are 11520 bytes."""
import socket
import subprocess
import sys
import time

IN_FLIGHT = 16384       # each byte costs some 1 KiB of it


def main():
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, IN_FLIGHT)
    with subprocess.Popen(sys.argv[2:], stdout=theirs) as command:
        theirs.close()
        due = time.monotonic()
        while data := ours.recv(64):
            sys.stdout.buffer.write(data)
            due = max(due, time.monotonic() - 0.01) + \
                len(data) / int(sys.argv[1])
            time.sleep(max(0, due - time.monotonic()))
    return command.returncode


if __name__ == "__main__":
    sys.exit(main())
