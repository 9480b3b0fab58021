/* Files below /work, on behalf of the host. The programs own /work and may have left anything in
 * it: every component is opened without following links, and with the programs' own rights. */
#include "supervisor.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void reply_error(uint16_t id, int error)
{
    int32_t code = error;
    send_frame('X', id, &code, sizeof code);
}

/* Opens the folder that holds `path` and leaves its last component in `name`. */
static int open_parent(const char *path, char name[NAME_MAX + 1], bool create)
{
    int folder = open("/work", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    while (folder >= 0) {
        const char *slash = strchr(path, '/');
        size_t length = slash ? (size_t)(slash - path) : strlen(path);
        if (length == 0 || length > NAME_MAX || (length <= 2 && !memcmp(path, "..", length))) {
            close(folder);
            errno = EINVAL;
            return -1;
        }
        memcpy(name, path, length);
        name[length] = 0;
        if (!slash)
            return folder;
        if (create && mkdirat(folder, name, 0755) && errno != EEXIST) {
            int error = errno;
            close(folder);
            errno = error;
            return -1;
        }
        int next = openat(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        int error = errno;
        close(folder);
        errno = error;
        folder = next;
        path = slash + 1;
    }
    return -1;
}

/* Access as the programs' user: nothing can be reached through us that they could not reach. */
static void as_programs(bool on)
{
    setfsgid(on ? settings.uid : 0);
    setfsuid(on ? settings.uid : 0);
    prctl(PR_SET_DUMPABLE, 1); /* lost by the change; entering our box's namespaces needs it */
}

/* Payload: u8 flags (1 executable, 2 append), u16 length of the path, the path, content. */
void files_put(uint16_t id, const uint8_t *data, size_t length)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    if (length < 3)
        fatal("a put frame of %zu bytes", length);
    uint8_t flags = data[0];
    uint16_t path_length;
    memcpy(&path_length, data + 1, 2);
    if (length < 3u + path_length || path_length >= sizeof path)
        fatal("a put frame with a path of %u bytes", path_length);
    memcpy(path, data + 3, path_length);
    path[path_length] = 0;
    data += 3 + path_length;
    length -= 3u + path_length;

    int file = -1, error = 0;
    as_programs(true);
    int folder = strlen(path) == path_length ? open_parent(path, name, true) : (errno = EINVAL, -1);
    if (folder >= 0) {
        /* A new file, never what lies there: it may be a link, a pipe, or open elsewhere. */
        if (!(flags & 2) && unlinkat(folder, name, 0) && errno != ENOENT)
            error = errno;
        else
            file = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                          (flags & 2 ? O_APPEND : O_CREAT | O_EXCL), flags & 1 ? 0755 : 0644);
    }
    if (!error && file < 0)
        error = errno;
    struct stat info;
    if (file >= 0 && (fstat(file, &info) || !S_ISREG(info.st_mode)))
        error = EINVAL;
    while (!error && length) {
        ssize_t n = write(file, data, length);
        if (n < 0 && errno != EINTR)
            error = errno;
        if (n > 0)
            data += n, length -= (size_t)n;
    }
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    as_programs(false);
    if (error)
        reply_error(id, error);
    else
        send_frame('K', id, NULL, 0);
}

/* Payload: u64 most bytes, the path. Answers with data frames and 'K'. */
void files_get(uint16_t id, const uint8_t *data, size_t length)
{
    char path[PATH_MAX], name[NAME_MAX + 1];
    static uint8_t chunk[CHUNK];
    uint64_t most, sent = 0;
    if (length < 8 || length - 8 >= sizeof path)
        fatal("a get frame of %zu bytes", length);
    memcpy(&most, data, 8);
    memcpy(path, data + 8, length - 8);
    path[length - 8] = 0;

    int error = 0, file = -1;
    as_programs(true);
    int folder = strlen(path) == length - 8 ? open_parent(path, name, false) : (errno = EINVAL, -1);
    if (folder >= 0) {
        file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        error = file < 0 ? errno : 0;
        close(folder);
    } else {
        error = errno;
    }
    as_programs(false);
    struct stat info;
    if (file >= 0 && (fstat(file, &info) || !S_ISREG(info.st_mode)))
        error = EINVAL;
    else if (file >= 0 && (uint64_t)info.st_size > most)
        error = EFBIG;
    while (!error) {
        ssize_t n = read(file, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            error = errno;
        else if (sent + (uint64_t)n > most) /* it grew meanwhile */
            error = EFBIG;
        else if (n == 0)
            break;
        else
            send_frame('D', id, chunk, (size_t)n), sent += (uint64_t)n;
    }
    if (file >= 0)
        close(file);
    if (error)
        reply_error(id, error);
    else
        send_frame('K', id, NULL, 0);
}
