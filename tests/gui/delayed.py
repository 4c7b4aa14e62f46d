"""A connection whose bytes arrive later, both ways, for ssh's ProxyCommand: delayed.py HOST PORT SECONDS."""
import os
import queue
import socket
import sys
import threading
import time

host, port, delay = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
far = socket.create_connection((host, port))


def carry(read, write):
    under_way = queue.Queue()

    def deliver():
        while True:
            due, data = under_way.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                os._exit(0)
            try:
                write(data)
            except OSError:
                os._exit(0)
    threading.Thread(target=deliver, daemon=True).start()
    while True:
        try:
            data = read(65536)
        except OSError:
            data = b""
        under_way.put((time.monotonic() + delay, data))
        if not data:
            return


def write_all(data):
    while data:
        data = data[os.write(1, data):]


threading.Thread(target=carry, args=(far.recv, write_all)).start()
carry(lambda size: os.read(0, size), far.sendall)
