# SPDX-License-Identifier: MIT
"""Clients for the servers: one thread, one epoll, a hundred connections.

A client writes messages and finds the answers in what arrives; each protocol
says how.  The load decides when.  It sends at a steady rate, without waiting
for answers, or at full speed: a fixed number of messages is on the way, and the
next one is sent as soon as one has arrived.
"""

import base64
import collections
import random
import re
import select
import socket
import time


class LoadError(Exception):
    """The server made an error."""


class Connection:
    """A nonblocking socket, with its received and its unsent bytes."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.arrived = b""
        self.waiting = b""

    def write(self, data):
        if self.waiting:
            self.waiting += data
            return
        try:
            sent = self.socket.send(data)
        except BlockingIOError:
            sent = 0
        self.waiting = data[sent:]

    def flush(self):
        data, self.waiting = self.waiting, b""
        self.write(data)

    def read(self):
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        if not data:
            raise LoadError("the server closed a connection; last words: %r"
                            % self.arrived[-200:])
        self.arrived += data

    def expect(self, words, deadline):
        """Reads until `words` arrive.  Returns everything up to their end."""
        while words not in self.arrived:
            left = deadline - time.monotonic()
            if left <= 0:
                raise LoadError("no %r, but %r" % (words, self.arrived[-300:]))
            select.select([self.socket], [], [], left)
            self.read()
        head, _, self.arrived = self.arrived.partition(words)
        return head + words

    def close(self):
        self.socket.close()


# XMPP: users of one host send chat messages to each other

HOST = "localhost"
STREAM = ("<?xml version='1.0'?><stream:stream to='%s' version='1.0' "
          "xmlns='jabber:client' "
          "xmlns:stream='http://etherx.jabber.org/streams'>" % HOST).encode()
MESSAGE_ID = re.compile(rb"<message [^>]*\bid=['\"]m(\d+)['\"]")
WORDS = ("the quick brown fox jumps over the lazy dog while seven wizards "
         "judge my vow to box and pack five dozen jugs of liquid").split()


def user_name(number):
    return "user%d" % number


def password(number):
    return "secret%d" % number


def body_of(number):
    """The text of message `number`: 30 to 300 letters."""
    first = number * 7 % len(WORDS)
    count = 6 + number * 13 % 50
    words = (WORDS * 4)[first:first + count]
    return ("%d: %s" % (number, " ".join(words))).encode()


class XmppClient(Connection):
    """Logs in by name and password and announces its presence."""

    def __init__(self, port, number, deadline):
        super().__init__(port)
        secret = ("\0%s\0%s" % (user_name(number), password(number))).encode()
        self.write(STREAM)
        self.expect(b"</stream:features>", deadline)
        self.write(b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' "
                   b"mechanism='PLAIN'>" + base64.b64encode(secret)
                   + b"</auth>")
        self.expect(b"<success", deadline)
        self.write(STREAM)
        self.expect(b"</stream:features>", deadline)
        self.write(b"<iq type='set' id='bind'><bind "
                   b"xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                   b"<resource>load</resource></bind></iq>")
        self.expect(b"</iq>", deadline)
        self.write(b"<presence/>")
        self.expect(b"</presence>", deadline)
        self.arrived = b""


class Xmpp:
    """Message `n` goes from one user to another and must arrive unchanged."""

    window = 4      # messages of a client on the way at full speed

    def __init__(self, port, count, deadline):
        self.clients = [XmppClient(port, number, deadline)
                        for number in range(count)]

    def target_of(self, number):
        """A user other than the sender, a different one each time."""
        count = len(self.clients)
        return (number + 1 + number // count * 17 % (count - 1)) % count

    def sender_of(self, number):
        return number % len(self.clients)

    def send(self, number):
        sender, target = self.sender_of(number), self.target_of(number)
        self.clients[sender].write(
            b"<message to='%s@%s' type='chat' id='m%d'><body>%s</body>"
            b"</message>" % (user_name(target).encode(), HOST.encode(), number,
                             body_of(number)))

    def received(self, place):
        """The numbers of the messages that have arrived at a client."""
        client = self.clients[place]
        *whole, client.arrived = client.arrived.split(b"</message>")
        for text in whole:
            found = MESSAGE_ID.search(text)
            if not found:
                raise LoadError("strange message: %r" % text[:300])
            number = int(found.group(1))
            if self.target_of(number) != place:
                raise LoadError("message %d came to user %d" % (number, place))
            if b"<body>%s</body>" % body_of(number) not in text:
                raise LoadError("message %d is not what was sent: %r"
                                % (number, text[:300]))
            yield number


# HTTP: users of a shop return to their sessions

class Shopper:
    """A client's view of a session; the server's must be the same."""
    __slots__ = ("token", "visits", "items", "logging_in")

    def __init__(self, token):
        self.token, self.visits, self.items = token, 0, 0
        self.logging_in = False


class Http:
    """Each client has a share of the sessions and requests pages in turn.

    Of a hundred requests seventy view an item, twenty buy it, and ten log out.
    A user who is logged out logs in at the next visit.
    """

    window = 1

    def __init__(self, port, count, sessions):
        self.clients = [Connection(port) for _ in range(count)]
        self.pools = [[Shopper("s%d" % (1 + place + count * i))
                       for i in range(sessions // count)]
                      for place in range(count)]
        self.pending = [collections.deque() for _ in range(count)]
        self.random = random.Random(54)

    def sender_of(self, number):
        return number % len(self.clients)

    def choose(self, sender):
        """A shopper whose login is not on the way; a new one if necessary."""
        pool = self.pools[sender]
        for _ in range(10):
            shopper = self.random.choice(pool)
            if not shopper.logging_in:
                return shopper
        pool.append(Shopper(None))
        return pool[-1]

    def act(self, shopper, number):
        """The action of this request, and its path."""
        if not shopper.token:
            shopper.logging_in = True
            return "login", "/login?name=visitor%d" % number
        choice = self.random.random()
        if choice < 0.1:
            return "logout", "/logout"
        shopper.visits += 1
        item = self.random.randrange(5000)
        if choice < 0.3:
            shopper.items += 1
            return "buy", "/buy?item=%d" % item
        return "view", "/view?item=%d" % item

    def send(self, number):
        sender = self.sender_of(number)
        shopper = self.choose(sender)
        action, path = self.act(shopper, number)
        token = shopper.token or "none"
        self.pending[sender].append(
            (number, shopper, [action, token, str(shopper.visits),
                               str(shopper.items)]))
        if action == "logout":
            shopper.token, shopper.visits, shopper.items = None, 0, 0
        self.clients[sender].write(
            b"GET %s HTTP/1.1\r\nHost: shop\r\nUser-Agent: load\r\n"
            b"Accept: text/html\r\nCookie: session=%s\r\n\r\n"
            % (path.encode(), token.encode()))

    def received(self, place):
        client = self.clients[place]
        while True:
            end = client.arrived.find(b"\r\n\r\n")
            if end < 0:
                return
            head = client.arrived[:end]
            found = re.search(rb"Content-Length: (\d+)", head)
            if not head.startswith(b"HTTP/1.1 200") or not found:
                raise LoadError("bad answer: %r" % client.arrived[:300])
            size = end + 4 + int(found.group(1))
            if len(client.arrived) < size:
                return
            body = client.arrived[end + 4:size]
            client.arrived = client.arrived[size:]
            number, shopper, expected = self.pending[place].popleft()
            self.check(number, shopper, expected, body)
            yield number

    def check(self, number, shopper, expected, body):
        """The first line of a page has the action, session, visits, items."""
        line = body.split(b"\n", 1)[0].decode().split()[1:-1]
        if expected[0] == "login" and line[0:1] == ["login"]:
            shopper.token, shopper.logging_in = line[1], False
            expected[1] = line[1]
        if line != expected or not body.endswith(b"</html>\n"):
            raise LoadError("request %d: expected %s, got %r"
                            % (number, " ".join(expected), body[:200]))


# The load itself

class Phase:
    """Latencies in seconds, and the total time."""

    def __init__(self, latencies, seconds, late):
        self.latencies = sorted(latencies)
        self.seconds = seconds
        self.late = late        # largest delay in sending a message

    def share(self, part):
        """The latency that this share of the messages does not exceed."""
        last = len(self.latencies) - 1
        return self.latencies[min(last, int(part * len(self.latencies)))]


class Load:
    """Drives the clients of one protocol."""

    def __init__(self, protocol, time_limit):
        self.protocol = protocol
        self.clients = protocol.clients
        self.time_limit = time_limit
        self.places = {client.socket.fileno(): place
                       for place, client in enumerate(self.clients)}
        self.epoll = select.epoll()
        for fileno in self.places:
            self.epoll.register(fileno, select.EPOLLIN)
        self.next = 0           # the number of the next message
        self.sent = {}          # time of sending, by number

    def close(self):
        self.epoll.close()
        for client in self.clients:
            client.close()

    def _send(self):
        self.sent[self.next] = time.monotonic()
        self.protocol.send(self.next)
        client = self.clients[self.protocol.sender_of(self.next)]
        self.next += 1
        if client.waiting:
            self.epoll.modify(client.socket.fileno(),
                              select.EPOLLIN | select.EPOLLOUT)

    def _poll(self, timeout, latencies):
        """Handles everything that has arrived."""
        for fileno, events in self.epoll.poll(max(timeout, 0)):
            place = self.places[fileno]
            client = self.clients[place]
            if events & select.EPOLLOUT:
                client.flush()
                if not client.waiting:
                    self.epoll.modify(fileno, select.EPOLLIN)
            if events & ~select.EPOLLOUT:
                client.read()
                now = time.monotonic()
                for number in self.protocol.received(place):
                    if number not in self.sent:
                        raise LoadError("message %d came twice" % number)
                    latencies.append(now - self.sent.pop(number))

    def _check_time(self, deadline, latencies, count):
        if time.monotonic() > deadline:
            raise LoadError("only %d of %d messages came within %g s"
                            % (len(latencies), count, self.time_limit))

    def steady(self, count, rate):
        """Sends `count` messages, `rate` a second, without waiting."""
        start = time.monotonic()
        deadline = start + self.time_limit
        latencies, late, begun = [], 0, 0
        while len(latencies) < count:
            now = time.monotonic()
            while begun < count and start + begun / rate <= now:
                late = max(late, now - start - begun / rate)
                self._send()
                begun += 1
                now = time.monotonic()
            self._poll(start + begun / rate - now if begun < count else 0.1,
                       latencies)
            self._check_time(deadline, latencies, count)
        return Phase(latencies, time.monotonic() - start, late)

    def full_speed(self, count):
        """Sends `count` messages as fast as they are answered."""
        start = time.monotonic()
        deadline = start + self.time_limit
        under_way = self.protocol.window * len(self.clients)
        latencies, begun = [], 0
        while len(latencies) < count:
            while begun < min(count, len(latencies) + under_way):
                self._send()
                begun += 1
            self._poll(0.1, latencies)
            self._check_time(deadline, latencies, count)
        return Phase(latencies, time.monotonic() - start, 0)
