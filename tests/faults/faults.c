// Preloaded: makes one call of a program fail. FAULT is CALL:N, the N-th call from 1, or CALL:N+, that one and all that follow;
// FAULT_THREADS=others counts those of all threads but the first, FAULT_FROM=main those that follow the call of main. FAULT_HIT names a
// file that is made when a call fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char* call;
static size_t call_length;
static long first;
static int all_later, others_only, waits_for_main;
static const char* hit;
static atomic_long count;

__attribute__((constructor(101))) static void begin(void) {
  const char* fault = getenv("FAULT");
  const char* colon = fault ? strchr(fault, ':') : NULL;
  if (!colon) return;
  const char* threads = getenv("FAULT_THREADS");
  others_only = threads && strcmp(threads, "others") == 0;
  const char* from = getenv("FAULT_FROM");
  waits_for_main = from && strcmp(from, "main") == 0;
  hit = getenv("FAULT_HIT");
  call_length = (size_t)(colon - fault);
  char* end = NULL;
  first = strtol(colon + 1, &end, 10);
  all_later = *end == '+';
  call = fault;
}

static int (*program_main)(int, char**, char**);
static int begin_main(int argc, char** argv, char** environment) {
  waits_for_main = 0;
  return program_main(argc, argv, environment);
}
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void* stack) {
  program_main = main;
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      (__typeof__(start))dlsym(RTLD_NEXT, "__libc_start_main");
  return start(begin_main, argc, argv, init, fini, end, stack);
}

static int fails(const char* name, int error) {
  if (!call || waits_for_main || strlen(name) != call_length || strncmp(call, name, call_length) != 0) return 0;
  if (others_only && syscall(SYS_gettid) == getpid()) return 0;
  const long number = atomic_fetch_add(&count, 1) + 1;
  if (number != first && !(all_later && number > first)) return 0;
  if (hit) {
    const long file = syscall(SYS_openat, AT_FDCWD, hit, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) syscall(SYS_close, file);
  }
  errno = error;
  return 1;
}

ssize_t write(int file, const void* data, size_t size) {
  return fails("write", ENOSPC) ? -1 : syscall(SYS_write, file, data, size);
}
ssize_t read(int file, void* data, size_t size) { return fails("read", EIO) ? -1 : syscall(SYS_read, file, data, size); }
ssize_t pread(int file, void* data, size_t size, off_t at) {
  return fails("read", EIO) ? -1 : syscall(SYS_pread64, file, data, size, at);
}
ssize_t pread64(int file, void* data, size_t size, off_t at) { return pread(file, data, size, at); }
ssize_t pwritev(int file, const struct iovec* parts, int parts_count, off_t at) {
  return fails("write", ENOSPC) ? -1 : syscall(SYS_pwritev, file, parts, parts_count, at, 0);
}
ssize_t pwritev64(int file, const struct iovec* parts, int parts_count, off_t at) { return pwritev(file, parts, parts_count, at); }
int ftruncate(int file, off_t size) { return fails("truncate", EIO) ? -1 : (int)syscall(SYS_ftruncate, file, size); }
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

static int open_at(int folder, const char* path, int flags, va_list more) {
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  return fails("open", EMFILE) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define OPEN(name)                                       \
  int name(const char* path, int flags, ...) {           \
    va_list more;                                        \
    va_start(more, flags);                               \
    const int file = open_at(AT_FDCWD, path, flags, more); \
    va_end(more);                                        \
    return file;                                         \
  }
OPEN(open)
OPEN(open64)

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  return fails("mmap", ENOMEM) ? MAP_FAILED : (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

int socket(int domain, int type, int protocol) {
  return fails("socket", EMFILE) ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}
int bind(int file, const struct sockaddr* address, socklen_t size) {
  return fails("socket", EACCES) ? -1 : (int)syscall(SYS_bind, file, address, size);
}
int accept4(int file, struct sockaddr* address, socklen_t* size, int flags) {
  return fails("accept", EMFILE) ? -1 : (int)syscall(SYS_accept4, file, address, size, flags);
}
int listen(int file, int backlog) { return fails("socket", EIO) ? -1 : (int)syscall(SYS_listen, file, backlog); }
ssize_t send(int file, const void* data, size_t size, int flags) {
  return fails("send", EPIPE) ? -1 : syscall(SYS_sendto, file, data, size, flags, NULL, 0);
}
ssize_t recv(int file, void* data, size_t size, int flags) {
  return fails("recv", ECONNRESET) ? -1 : syscall(SYS_recvfrom, file, data, size, flags, NULL, NULL);
}

// The time of day that fails goes an hour back, or a day on, for that call. The clock that only counts never leaps.
int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (clock != CLOCK_REALTIME) return result;
  if (fails("clock-back", 0)) now->tv_sec -= 3600;
  if (fails("clock-on", 0)) now->tv_sec += 86400;
  return result;
}
time_t time(time_t* stored) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stored) *stored = now.tv_sec;
  return now.tv_sec;
}

// glibc's own, so that dlsym is not needed, which allocates itself.
extern void* __libc_malloc(size_t size);
void* malloc(size_t size) { return fails("malloc", ENOMEM) ? NULL : __libc_malloc(size); }
