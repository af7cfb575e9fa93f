/* SPDX-License-Identifier: MIT */
/*
** debugger_wire.c -- the connection between the debugger and its client
**
** A socket on the loopback, or descriptors that the host has opened.  While the
** program runs, a signal (SIGIO) tells that the client has sent something.
** Without POSIX there is no connection.
*/

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "debugger_impl.h"

#include <errno.h>

void wire_init(Wire *wire) { *wire = (Wire){-1, -1, -1}; }

#if defined(LUA_USE_POSIX)

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* -- The signal ------------------------------------------------------------ */

/* What the handler calls, and on which thread.  They are global, because a
** handler gets no argument of ours. */
static void (*volatile notify_function)(void *data);
static void *volatile notify_data;
static pthread_t notify_thread;

static void notify_handle(int signum) {
  int before = errno;
  if (!pthread_equal(pthread_self(), notify_thread))
    pthread_kill(notify_thread, signum);
  else if (notify_function)
    notify_function(notify_data);
  errno = before;
}

static void notify_about(int fd) {
  if (fd < 0) return;
  fcntl(fd, F_SETOWN, (int)getpid());
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
}

void wire_notify(const Wire *wire, void (*f)(void *data), void *data) {
  struct sigaction action;
  if (!f) {
    if (notify_data == data) notify_function = NULL;
    return;
  }
  notify_function = NULL;
  notify_thread = pthread_self();
  notify_data = data;
  notify_function = f;
  memset(&action, 0, sizeof action);
  action.sa_handler = notify_handle;
  action.sa_flags = SA_RESTART;
  sigaction(SIGIO, &action, NULL);
  notify_about(wire->in);
  notify_about(wire->listener);
}

/* -- Beginning and end ----------------------------------------------------- */

int wire_listen(Wire *wire, int port) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  int yes = 1;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return 0;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((uint16_t)port);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
    int error = errno;
    close(fd);
    errno = error;
    return 0;
  }
  wire->listener = fd;
  return ntohs(address.sin_port);
}

bool wire_use(Wire *wire, int in, int out) {
  if (fcntl(in, F_GETFL) < 0 || fcntl(out, F_GETFL) < 0) return false;
  fcntl(in, F_SETFD, FD_CLOEXEC);
  fcntl(out, F_SETFD, FD_CLOEXEC);
  wire->in = in;
  wire->out = out;
  return true;
}

static bool fd_is_ready(int fd, int milliseconds) {
  struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
  int result;
  do result = poll(&poll_fd, 1, milliseconds);
  while (result < 0 && errno == EINTR);
  return result > 0;
}

bool wire_accept(Wire *wire, bool waits) {
  int yes = 1;
  if (wire->in >= 0) return true;
  if (wire->listener < 0 || !fd_is_ready(wire->listener, waits ? -1 : 0))
    return false;
  int fd = accept(wire->listener, NULL, NULL);
  if (fd < 0 || !wire_use(wire, fd, fd)) return false;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  notify_about(fd);
  return true;
}

void wire_hang_up(Wire *wire) {
  if (wire->in >= 0) close(wire->in);
  if (wire->out >= 0 && wire->out != wire->in) close(wire->out);
  wire->in = wire->out = -1;
}

void wire_close(Wire *wire) {
  wire_hang_up(wire);
  if (wire->listener >= 0) close(wire->listener);
  wire->listener = -1;
}

/* -- Bytes ----------------------------------------------------------------- */

size_t wire_read(const Wire *wire, char *bytes, size_t size) {
  ssize_t count;
  do {
    if (wire->in < 0 || !fd_is_ready(wire->in, -1)) return 0;
    count = read(wire->in, bytes, size);
  } while (count < 0 && (errno == EINTR || errno == EAGAIN));
  return count > 0 ? (size_t)count : 0;
}

bool wire_is_ready(const Wire *wire) {
  return wire->in >= 0 && fd_is_ready(wire->in, 0);
}

/* A client that has gone must not end the program by a signal. */
static ssize_t wire_write_some(int fd, const char *bytes, size_t size) {
#if defined(MSG_NOSIGNAL)
  ssize_t count = send(fd, bytes, size, MSG_NOSIGNAL);
  if (count >= 0 || errno != ENOTSOCK) return count;
#endif
  return write(fd, bytes, size);
}

static void wait_for_room(int fd) {
  struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
  poll(&poll_fd, 1, -1);
}

bool wire_write(const Wire *wire, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = wire->out < 0 ? 0 : wire_write_some(wire->out, bytes, size);
    if (count > 0) {
      bytes += count;
      size -= (size_t)count;
    } else if (count < 0 && errno == EAGAIN) {
      wait_for_room(wire->out);
    } else if (count == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

#else

void wire_notify(const Wire *wire, void (*f)(void *data), void *data) {
  (void)wire, (void)f, (void)data;
}

int wire_listen(Wire *wire, int port) {
  (void)wire, (void)port;
  errno = ENOSYS;
  return 0;
}

bool wire_use(Wire *wire, int in, int out) {
  (void)wire, (void)in, (void)out;
  errno = ENOSYS;
  return false;
}

bool wire_accept(Wire *wire, bool waits) {
  (void)wire, (void)waits;
  return false;
}

void wire_hang_up(Wire *wire) { (void)wire; }
void wire_close(Wire *wire) { (void)wire; }

size_t wire_read(const Wire *wire, char *bytes, size_t size) {
  (void)wire, (void)bytes, (void)size;
  return 0;
}

bool wire_is_ready(const Wire *wire) {
  (void)wire;
  return false;
}

bool wire_write(const Wire *wire, const char *bytes, size_t size) {
  (void)wire, (void)bytes, (void)size;
  return false;
}

#endif
