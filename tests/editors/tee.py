#!/usr/bin/env python3
"""Stands between an editor and its language server and writes down what they say.

    tee.py LOG PROGRAM [ARGUMENT...]

Every byte goes on as it came. LOG gets a JSON object a line and message, {"from": "client" or "server",
"message": ...}; what is no message with LSP's framing is written as {"from": ..., "fault": ...}.
"""

import json
import subprocess
import sys
import threading

CHUNK = 1 << 16


class Frames:
    """Takes bytes as they come and finds the messages in them."""

    def __init__(self):
        self.waiting = b""

    def feed(self, piece):
        self.waiting += piece
        while True:
            head, blank, rest = self.waiting.partition(b"\r\n\r\n")
            if not blank:
                return
            length = self.length(head)
            if len(rest) < length:
                return
            self.waiting = rest[length:]
            yield json.loads(rest[:length].decode("utf-8"))

    @staticmethod
    def length(head):
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n"))
        return int({name.lower(): value for name, value in fields.items()}[b"content-length"])


class Log:
    """One file for both directions. A message is in it before it goes on, so a request is before its answer."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")
        self.lock = threading.Lock()

    def write(self, **entry):
        with self.lock:
            self.file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            self.file.flush()


def carry(side, source, sink, log):
    """From one end to the other until the source ends; then the sink is closed as well."""
    frames = Frames()
    while piece := source.read1(CHUNK):
        try:
            for message in frames.feed(piece):
                log.write(**{"from": side, "message": message})
        except (ValueError, KeyError) as fault:
            log.write(**{"from": side, "fault": f"{fault}: {piece[:200]!r}"})
            frames = Frames()
        try:
            sink.write(piece)
            sink.flush()
        except (BrokenPipeError, ValueError):
            break
    if frames.waiting:
        log.write(**{"from": side, "fault": f"ended within a message: {frames.waiting[:200]!r}"})
    try:
        sink.close()
    except BrokenPipeError:
        pass


def main():
    path, *command = sys.argv[1:]
    log = Log(path)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    towards = (("client", sys.stdin.buffer, server.stdin, log), ("server", server.stdout, sys.stdout.buffer, log))
    threads = [threading.Thread(target=carry, args=way, daemon=True) for way in towards]
    for thread in threads:
        thread.start()
    threads[1].join()
    sys.exit(server.wait())


if __name__ == "__main__":
    main()
