// The part of the C library of Apple's platforms that the sources use, with the types of the public headers. They state no nullability.
#pragma once

#include <stddef.h>

// sys/_types/_int*_t.h
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

// sys/_types/*.h
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef int64_t off_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t blksize_t;
typedef int64_t blkcnt_t;
typedef long ssize_t;
typedef long time_t;
typedef int32_t suseconds_t;
typedef uint32_t useconds_t;
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
typedef uint16_t in_port_t;
typedef uint32_t sigset_t;

// sys/_types/_timespec.h, time.h
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};
typedef enum __attribute__((enum_extensibility(open))) : uint32_t {
  _CLOCK_REALTIME = 0,
  _CLOCK_MONOTONIC = 6,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *time) __attribute__((availability(macos, introduced = 10.12), availability(ios, introduced = 10.0), availability(watchos, introduced = 3.0), availability(tvos, introduced = 10.0)));

// sys/stat.h
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *path, struct stat *status);
int fstat(int file, struct stat *status);
int lstat(const char *path, struct stat *status);
int fchmod(int file, mode_t mode);

// fcntl.h. Swift imports no variadic function; Darwin.swiftinterface declares `open` and `fcntl`.
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define AT_FDCWD -2
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_FULLFSYNC 51
#define F_BARRIERFSYNC 85
#define FD_CLOEXEC 1
#define LOCK_EX 0x02
#define LOCK_NB 0x04
int flock(int file, int operation);

// unistd.h
#define F_OK 0
#define X_OK (1 << 0)
#define W_OK (1 << 1)
#define R_OK (1 << 2)
#define SEEK_SET 0
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
int access(const char *path, int mode);
int close(int file);
int dup(int file);
int dup2(int file, int other);
int fsync(int file);
int ftruncate(int file, off_t size);
uid_t geteuid(void);
uid_t getuid(void);
int isatty(int file);
int linkat(int folder, const char *path, int other_folder, const char *other, int flags);
off_t lseek(int file, off_t offset, int whence);
int pipe(int files[2]);
ssize_t pread(int file, void *buffer, size_t count, off_t offset);
ssize_t read(int file, void *buffer, size_t count);
int unlink(const char *path);
int mkdir(const char *path, mode_t mode);
int rmdir(const char *path);
int usleep(useconds_t time);
ssize_t write(int file, const void *buffer, size_t count);
void _exit(int status) __attribute__((noreturn));

// stdlib.h, string.h, stdio.h
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
void exit(int status) __attribute__((noreturn));
void free(void *memory);
void *malloc(size_t size);
char *getenv(const char *name);
char *strerror(int error);
void *memcpy(void *to, const void *from, size_t count);
int rename(const char *from, const char *to);
typedef struct __sFILE {
  unsigned char *_p;
  int _r;
} FILE;
extern FILE *__stdoutp;
extern FILE *__stderrp;
#define stdout __stdoutp
#define stderr __stderrp
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
int ferror(FILE *file);
int fflush(FILE *file);
size_t fread(void *buffer, size_t size, size_t count, FILE *file);

// sys/errno.h
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 35
#define ENOTSUP 45
#define EWOULDBLOCK EAGAIN
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define EMLINK 31
#define EPIPE 32
#define EINPROGRESS 36
#define ECONNREFUSED 61
#define ETIMEDOUT 60
#define ELOOP 62

// sys/utsname.h
struct utsname {
  char sysname[256];
  char nodename[256];
  char release[256];
  char version[256];
  char machine[256];
};
int uname(struct utsname *system);

// signal.h
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 18
#define SIGCONT 19
#define SIGWINCH 28
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
int raise(int signal);
int sigemptyset(sigset_t *set);
int sigaddset(sigset_t *set, int signal);

// pthread.h
struct _opaque_pthread_t {
  long __sig;
  char __opaque[8176];
};
typedef struct _opaque_pthread_t *pthread_t;
int pthread_main_np(void);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

// sys/socket.h, sys/un.h, netinet/in.h, netdb.h, poll.h
#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_RCVTIMEO 0x1006
#define SO_ERROR 0x1007
#define SO_NOSIGPIPE 0x1022
#define MSG_DONTWAIT 0x80
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLNVAL 0x0020
struct sockaddr {
  uint8_t sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_un {
  unsigned char sun_len;
  sa_family_t sun_family;
  char sun_path[104];
};
struct addrinfo {
  int ai_flags;
  int ai_family;
  int ai_socktype;
  int ai_protocol;
  socklen_t ai_addrlen;
  char *ai_canonname;
  struct sockaddr *ai_addr;
  struct addrinfo *ai_next;
};
struct pollfd {
  int fd;
  short events;
  short revents;
};
typedef unsigned int nfds_t;
int socket(int domain, int type, int protocol);
int connect(int socket, const struct sockaddr *address, socklen_t length);
int getsockopt(int socket, int level, int option, void *value, socklen_t *length);
int setsockopt(int socket, int level, int option, const void *value, socklen_t length);
ssize_t recv(int socket, void *buffer, size_t count, int flags);
ssize_t send(int socket, const void *buffer, size_t count, int flags);
int shutdown(int socket, int how);
int poll(struct pollfd *files, nfds_t count, int timeout);
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int error);

// sys/termios.h
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
#define ICANON 0x00000100
#define ECHO 0x00000008
#define ISIG 0x00000080
#define IEXTEN 0x00000400
#define IXON 0x00000200
#define ICRNL 0x00000100
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define VMIN 16
#define VTIME 17
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[20];
  speed_t c_ispeed;
  speed_t c_ospeed;
};
int tcgetattr(int file, struct termios *settings);
int tcsetattr(int file, int actions, const struct termios *settings);

// sys/ttycom.h
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};

// math.h
double acos(double);
double asin(double);
double atan(double);
double atan2(double, double);
double cos(double);
double erf(double);
double erfc(double);
double exp(double);
double hypot(double, double);
double log(double);
double log2(double);
double log10(double);
double pow(double, double);
double sin(double);
double tan(double);
double fmod(double, double);
double remainder(double, double);
