/*
 * A layer between a program and its files, for campaigns: loaded with LD_PRELOAD it sees every call that
 * changes a file or a directory below one directory. It writes all of them to a trace, from which disks can
 * be built as a power loss leaves them, and makes chosen calls fail. Calls on other files pass through.
 *
 * DISK_ROOT     the directory
 * DISK_CONTROL  a file of 64-bit fields, shared with the campaign (enum field), then the call that failed first
 * DISK_TRACE    the trace; without it nothing is traced
 *
 * One lock is held over each call and its record, so that the order of records is the order of effects.
 * Whether a call gets past this layer shows when the trace is held against the directory that it must make.
 * Syncs are recorded and not carried out: what they mean is decided when disks are built.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The fields of the control file. */
enum field {
    LENGTH,      /* bytes in the trace */
    CALLS,       /* calls that could have failed */
    FAIL_AT,     /* which of them fails first; 0 for none */
    FAIL_ERRNO,  /* with what */
    FAIL_KEEP,   /* whether all after it fail, too */
    FAIL_TORN,   /* whether the first half of a write that fails is written */
    ROOM,        /* bytes that may still be written */
    SIZE,        /* bytes of the whole disk; 0 if it is the one that there is */
    FAILED,      /* calls that have failed */
    KILL_AT,     /* which call ends the program instead; 0 for none */
    SYNC_MICROS, /* how long a sync takes */
    NO_JOURNALS, /* whether calls on journals neither fail nor count */
    CONTROL_BYTES = 4096,
    FAILED_CALL = 1024
};

/* The kinds of records. */
enum kind {
    OPENED = 1, /* a inode, first path: of a file or directory that was there */
    CREATED,    /* a inode, first path */
    WRITTEN,    /* a inode, b offset, first data */
    TRUNCATED,  /* a inode, b length */
    SYNCED,     /* a inode, of a file or directory */
    RENAMED,    /* first old path, second new path */
    UNLINKED,   /* first path */
    MADE,       /* a inode, first path: of a directory */
    REMOVED,    /* first path: of a directory */
    LINKED,     /* first path, second new path */
    UNKNOWN     /* first the name of a call that this library cannot trace */
};

struct record {
    uint32_t kind, first, second, zero;
    uint64_t a, b;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t *control;
static char root[PATH_MAX];
static size_t root_length;
static dev_t device;
static int trace = -1;

/* The inodes below the directory that records have named. */
static ino_t *known;
static size_t known_count, known_room;

static void fail(const char *what)
{
    dprintf(2, "disk layer: %s: %s\n", what, strerror(errno));
    abort();
}

/* The path as seen from the directory, or none if it is not below it. */
static const char *below(int directory, const char *path, char *space)
{
    if (!control || !path)
        return NULL;
    if (path[0] != '/') {
        char link[64];
        if (directory == AT_FDCWD)
            strcpy(link, "/proc/self/cwd");
        else
            snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, space, PATH_MAX - 1);
        if (length < 0 || length + strlen(path) + 2 > PATH_MAX)
            return NULL;
        space[length] = '/';
        strcpy(space + length + 1, path);
        path = space;
    }
    if (strncmp(path, root, root_length) != 0 || (path[root_length] != '/' && path[root_length] != 0))
        return NULL;
    path += root_length;
    while (*path == '/')
        path++;
    return path;
}

static int is_known(ino_t inode)
{
    for (size_t i = known_count; i > 0; i--)
        if (known[i - 1] == inode)
            return 1;
    return 0;
}

static void know(ino_t inode)
{
    if (is_known(inode))
        return;
    if (known_count == known_room) {
        known_room = known_room ? 2 * known_room : 64;
        known = realloc(known, known_room * sizeof *known);
        if (!known)
            fail("memory");
    }
    known[known_count++] = inode;
}

static void forget(ino_t inode)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i] == inode)
            known[i--] = known[--known_count];
}

/* Takes the lock if the file is below the directory. */
static int take(int fd, struct stat *found)
{
    if (!control || fd < 0 || fstat(fd, found) != 0 || found->st_dev != device)
        return 0;
    if (!S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode))
        return 0;
    pthread_mutex_lock(&lock);
    if (is_known(found->st_ino))
        return 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void put(const void *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = syscall(SYS_pwrite64, trace, bytes, length, control[LENGTH]);
        if (written <= 0)
            fail("trace");
        bytes = (const char *)bytes + written;
        length -= written;
        control[LENGTH] += written;
    }
}

static void note_data(enum kind kind, uint64_t a, uint64_t b, const void *first, size_t first_length,
                      const void *second, size_t second_length)
{
    if (trace < 0)
        return;
    struct record record = {kind, first_length, second_length, 0, a, b};
    put(&record, sizeof record);
    put(first, first_length);
    put(second, second_length);
}

static void note(enum kind kind, uint64_t a, uint64_t b, const char *first, const char *second)
{
    note_data(kind, a, b, first, first ? strlen(first) : 0, second, second ? strlen(second) : 0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *directory = getenv("DISK_ROOT"), *fields = getenv("DISK_CONTROL");
    if (!directory || !fields)
        return;
    struct stat found;
    if (!realpath(directory, root) || stat(root, &found) != 0)
        fail(directory);
    device = found.st_dev;
    int file = syscall(SYS_openat, AT_FDCWD, fields, O_RDWR | O_CLOEXEC);
    if (file < 0)
        fail(fields);
    void *mapped = (void *)syscall(SYS_mmap, 0, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        fail(fields);
    close(file);
    control = mapped;
    const char *path = getenv("DISK_TRACE");
    if (path) {
        trace = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (trace < 0)
            fail(path);
    }
    root_length = strlen(root);
    /* Says that another program begins here. */
    know(found.st_ino);
    note(OPENED, found.st_ino, 0, "", NULL);
}

/* The path of an open file, as seen from the directory. */
static const char *path_of(int fd, char *space)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, space, PATH_MAX - 1);
    space[length > 0 ? length : 0] = 0;
    return strlen(space) > root_length ? space + root_length + 1 : space;
}

static void remember_failure(const char *call, int fd, const char *path)
{
    char space[PATH_MAX];
    if (control[FAILED]++ == 0)
        snprintf((char *)control + FAILED_CALL, CONTROL_BYTES - FAILED_CALL, "%s %s", call,
                 path ? path : path_of(fd, space));
}

static int is_journal(int fd, const char *path)
{
    char space[PATH_MAX];
    path = path ? path : path_of(fd, space);
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".jnl") == 0;
}

/* Whether this call is to fail. A full disk still lets go of files. */
static int fails(const char *call, int fd, const char *path, int frees)
{
    if (control[NO_JOURNALS] && is_journal(fd, path))
        return 0;
    uint64_t number = ++control[CALLS], at = control[FAIL_AT];
    if (control[KILL_AT] && number >= control[KILL_AT])
        kill(getpid(), SIGKILL);
    if (at == 0 || number < at || (number > at && !control[FAIL_KEEP]))
        return 0;
    if (frees && control[FAIL_ERRNO] == ENOSPC)
        return 0;
    remember_failure(call, fd, path);
    errno = control[FAIL_ERRNO];
    return 1;
}

static int leave(int result)
{
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

static int opening(int directory, const char *given, int flags, mode_t mode)
{
    char space[PATH_MAX];
    const char *path = below(directory, given, space);
    if (!path)
        return syscall(SYS_openat, directory, given, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat before, after;
    int was_there = fstatat(directory, given, &before, 0) == 0;
    int changes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    if (changes && fails("open", -1, path, 0))
        return leave(-1);
    int fd = syscall(SYS_openat, directory, given, flags, mode);
    if (fd < 0 || fstat(fd, &after) != 0)
        return leave(fd);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        note(UNKNOWN, 0, 0, "open of a file without a name", NULL);
    if (!was_there) {
        forget(after.st_ino);
        note(CREATED, after.st_ino, 0, path, NULL);
    } else if (!is_known(after.st_ino)) {
        note(OPENED, after.st_ino, 0, path, NULL);
    }
    know(after.st_ino);
    if (was_there && (flags & O_TRUNC) && before.st_size > 0)
        note(TRUNCATED, after.st_ino, 0, NULL, NULL);
    return leave(fd);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                     \
    int name(const char *path, int flags, ...)         \
    {                                                  \
        va_list arguments;                             \
        va_start(arguments, flags);                    \
        mode_t mode = mode_of(flags, arguments);       \
        va_end(arguments);                             \
        return opening(AT_FDCWD, path, flags, mode);   \
    }
#define OPENAT(name)                                           \
    int name(int directory, const char *path, int flags, ...)  \
    {                                                          \
        va_list arguments;                                     \
        va_start(arguments, flags);                            \
        mode_t mode = mode_of(flags, arguments);               \
        va_end(arguments);                                     \
        return opening(directory, path, flags, mode);          \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode)
{
    return opening(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* A write of one piece, at an offset or, if that is negative, where the file is. Called with the lock. */
static ssize_t writing(int fd, const struct stat *found, const void *data, size_t length, off_t offset)
{
    static int torn;
    if (torn) {
        torn = 0;
        errno = control[FAIL_ERRNO];
        return leave(-1);
    }
    if (fails("write", fd, NULL, 0)) {
        /* As Linux does it: the half is told, and the attempt to write the rest fails. */
        torn = control[FAIL_TORN] && control[CALLS] == control[FAIL_AT] && length > 1;
        if (!torn)
            return leave(-1);
        length /= 2;
    }
    if (control[ROOM] < length) {
        length = control[ROOM];
        if (length == 0) {
            remember_failure("write", fd, NULL);
            errno = ENOSPC;
            return leave(-1);
        }
    }
    off_t at = offset;
    if (fcntl(fd, F_GETFL) & O_APPEND)
        at = found->st_size;
    else if (offset < 0)
        at = lseek(fd, 0, SEEK_CUR);
    ssize_t written = offset < 0 ? syscall(SYS_write, fd, data, length)
                                 : syscall(SYS_pwrite64, fd, data, length, offset);
    if (written > 0) {
        note_data(WRITTEN, found->st_ino, at, data, written, NULL, 0);
        control[ROOM] -= written;
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

/* The size of a file that is appended to must be that under the lock. */
static int take_to_write(int fd, struct stat *found)
{
    return take(fd, found) && fstat(fd, found) == 0;
}

ssize_t write(int fd, const void *data, size_t length)
{
    struct stat found;
    if (!take_to_write(fd, &found))
        return syscall(SYS_write, fd, data, length);
    return writing(fd, &found, data, length, -1);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset)
{
    struct stat found;
    if (!take_to_write(fd, &found))
        return syscall(SYS_pwrite64, fd, data, length, offset);
    return writing(fd, &found, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    return pwrite64(fd, data, length, offset);
}

/* Of several pieces the first that is not empty is written, which is allowed. */
ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    struct stat found;
    if (!take_to_write(fd, &found))
        return syscall(SYS_writev, fd, pieces, count);
    for (int i = 0; i < count; i++)
        if (pieces[i].iov_len > 0)
            return writing(fd, &found, pieces[i].iov_base, pieces[i].iov_len, -1);
    return leave(0);
}

int ftruncate64(int fd, off64_t length)
{
    struct stat found;
    if (!take(fd, &found))
        return syscall(SYS_ftruncate, fd, length);
    if (fails("truncate", fd, NULL, 0))
        return leave(-1);
    int result = syscall(SYS_ftruncate, fd, length);
    if (result == 0)
        note(TRUNCATED, found.st_ino, length, NULL, NULL);
    return leave(result);
}

int ftruncate(int fd, off_t length)
{
    return ftruncate64(fd, length);
}

static int syncing(int fd, int call)
{
    struct stat found;
    if (!take(fd, &found))
        return syscall(call, fd);
    uint64_t micros = control[SYNC_MICROS];
    if (micros > 0) {
        /* What is written to the file while it is synced may be on disk or not: it counts as not. */
        note(SYNCED, found.st_ino, 1, NULL, NULL);
        pthread_mutex_unlock(&lock);
        struct timespec time = {micros / 1000000, micros % 1000000 * 1000};
        nanosleep(&time, NULL);
        pthread_mutex_lock(&lock);
    }
    if (fails("sync", fd, NULL, 0))
        return leave(-1);
    note(SYNCED, found.st_ino, micros > 0 ? 2 : 0, NULL, NULL);
    return leave(0);
}

int fsync(int fd)
{
    return syncing(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return syncing(fd, SYS_fdatasync);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    char from_space[PATH_MAX], to_space[PATH_MAX];
    const char *old = below(from_directory, from, from_space), *new = below(to_directory, to, to_space);
    if (!old && !new)
        return syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
    pthread_mutex_lock(&lock);
    if (!old || !new || (flags & RENAME_EXCHANGE))
        note(UNKNOWN, 0, 0, "rename across the border", NULL);
    if (fails("rename", -1, new ? new : old, 0))
        return leave(-1);
    struct stat replaced;
    int was_there = fstatat(to_directory, to, &replaced, AT_SYMLINK_NOFOLLOW) == 0;
    int result = syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
    if (result == 0) {
        if (was_there && replaced.st_nlink <= 1)
            forget(replaced.st_ino);
        note(RENAMED, 0, 0, old, new);
    }
    return leave(result);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return renameat2(from_directory, from, to_directory, to, 0);
}

int unlinkat(int directory, const char *given, int flags)
{
    char space[PATH_MAX];
    const char *path = below(directory, given, space);
    if (!path)
        return syscall(SYS_unlinkat, directory, given, flags);
    pthread_mutex_lock(&lock);
    struct stat found;
    int was_there = fstatat(directory, given, &found, AT_SYMLINK_NOFOLLOW) == 0;
    if (was_there && fails(flags & AT_REMOVEDIR ? "rmdir" : "unlink", -1, path, 1))
        return leave(-1);
    int result = syscall(SYS_unlinkat, directory, given, flags);
    if (result == 0) {
        if (was_there && (found.st_nlink <= 1 || S_ISDIR(found.st_mode)))
            forget(found.st_ino);
        note(flags & AT_REMOVEDIR ? REMOVED : UNLINKED, 0, 0, path, NULL);
    }
    return leave(result);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int directory, const char *given, mode_t mode)
{
    char space[PATH_MAX];
    const char *path = below(directory, given, space);
    if (!path)
        return syscall(SYS_mkdirat, directory, given, mode);
    pthread_mutex_lock(&lock);
    if (fails("mkdir", -1, path, 0))
        return leave(-1);
    int result = syscall(SYS_mkdirat, directory, given, mode);
    struct stat made;
    if (result == 0 && fstatat(directory, given, &made, 0) == 0) {
        forget(made.st_ino);
        know(made.st_ino);
        note(MADE, made.st_ino, 0, path, NULL);
    }
    return leave(result);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    char from_space[PATH_MAX], to_space[PATH_MAX];
    const char *old = below(from_directory, from, from_space), *new = below(to_directory, to, to_space);
    if (!old && !new)
        return syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    pthread_mutex_lock(&lock);
    if (fails("link", -1, new, 0))
        return leave(-1);
    int result = syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
    if (result == 0)
        note(old && new ? LINKED : UNKNOWN, 0, 0, old ? old : "link across the border", new);
    return leave(result);
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* How much room there is. */
static int room(const char *given, struct statvfs64 *found)
{
    static int (*next)(const char *, struct statvfs64 *);
    if (!next)
        next = (int (*)(const char *, struct statvfs64 *))dlsym(RTLD_NEXT, "statvfs64");
    int result = next(given, found);
    char space[PATH_MAX];
    if (result == 0 && below(AT_FDCWD, given, space) && control[SIZE]) {
        found->f_blocks = control[SIZE] / found->f_frsize;
        found->f_bfree = found->f_bavail = control[ROOM] / found->f_frsize;
    }
    return result;
}

int statvfs64(const char *path, struct statvfs64 *found)
{
    return room(path, found);
}

int statvfs(const char *path, struct statvfs *found)
{
    _Static_assert(sizeof(struct statvfs) == sizeof(struct statvfs64), "64 bits");
    return room(path, (struct statvfs64 *)found);
}
