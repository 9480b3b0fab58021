/* The supervisor: runs untrusted programs for a host that it speaks to over stdin and stdout.
 *
 * It is PID 1 of a container without network whose root is read-only, and the only trusted
 * program in it. A frame is u32 length, u8 type, u16 id, then `length` bytes; integers are
 * little-endian. The host picks the ids of commands; file requests carry any id.
 *
 *   from the host                                   to the host
 *   'P' put a file (files.c)                        'H' hello: u32 protocol, u32 cgroup version,
 *   'G' get a file (files.c)                            u32 uid of the programs
 *   'Z' reset: kill all, empty /work                'K' done, 'X' refused: i32 errno
 *   'I' more of the next command's stdin            'D' content of a file
 *   'R' run: struct run, then texts                 'O' 'E' 'T' stdout, stderr, result of a command
 *   'W' write to a streamed stdin                   'A' u32 bytes of a streamed stdin taken
 *   'C' close a streamed stdin                      'F' finished: struct finished
 *   'S' stop a command                              '!' the sandbox failed: text, then it exits
 *
 * Nothing here blocks on a program: its pipes are drained as they fill, and its limits are looked
 * at every 10 ms. A malformed frame is fatal: the host is trusted, so it can only be a bug. */
#include "supervisor.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEADER 7
#define OUT_HIGH (2u << 20) /* when so much waits for the host, pipes are left alone */

struct run {
    uint64_t cpu_ns, idle_ns, wall_ns, memory, stdout_max, stderr_max, result_max;
    uint32_t pids, flags;
    uint16_t argc, envc;
} __attribute__((packed));

struct finished {
    uint8_t ended;
    int32_t exit_code, signal, exec_errno; /* exit_code, signal: -1 when it has none */
    uint64_t cpu_ns, wall_ns, wait_ns, peak, bytes[3];
} __attribute__((packed));

struct settings settings = {.proc = -1, .disk = 512u << 20};
static struct command commands[COMMANDS];
static struct group groups[COMMANDS];
static uint8_t in[HEADER + FRAME_MAX];
static size_t in_length;
static uint8_t *out;
static size_t out_start, out_length, out_room;
static int pending_stdin = -1; /* memfd that the next command reads */

uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int above(int fd, int least)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (moved < 0)
        fatal("out of descriptors");
    close(fd);
    return moved;
}

static void flush(bool wait)
{
    while (out_length) {
        ssize_t n = write(1, out + out_start, out_length);
        if (n > 0) {
            out_start += (size_t)n;
            out_length -= (size_t)n;
        } else if (errno == EAGAIN && wait) {
            struct pollfd one = {.fd = 1, .events = POLLOUT};
            if (poll(&one, 1, 30000) == 0)
                _exit(3); /* the host is stuck: go, and take all programs along */
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            _exit(0); /* the host is gone */
        }
    }
    out_start = 0;
}

void send_frame(uint8_t type, uint16_t id, const void *data, size_t length)
{
    size_t end = out_start + out_length, needed = end + HEADER + length;
    if (needed > out_room) {
        memmove(out, out + out_start, out_length);
        end = out_length;
        out_start = 0;
        needed = end + HEADER + length;
    }
    if (needed > out_room && !(out = realloc(out, out_room = needed + CHUNK)))
        _exit(4);
    uint32_t size = (uint32_t)length;
    memcpy(out + end, &size, 4);
    out[end + 4] = type;
    memcpy(out + end + 5, &id, 2);
    if (length)
        memcpy(out + end + HEADER, data, length);
    out_length += HEADER + length;
    if (out_length > CHUNK)
        flush(out_length > 2 * OUT_HIGH);
}

void fatal(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (settings.child) {
        dprintf(2, "%s\n", text);
    } else {
        send_frame('!', 0, text, n < 0 ? 0 : strlen(text));
        flush(true);
    }
    _exit(1);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static struct command *find(uint16_t id)
{
    for (int k = 0; k < COMMANDS; k++)
        if (commands[k].live && commands[k].id == id)
            return &commands[k];
    return NULL;
}

/* ---- a command's life ---------------------------------------------------------------------- */

/* All commands are in one box: without it they are dead. */
static void kill_all(enum ended reason)
{
    box_kill();
    for (int k = 0; k < COMMANDS; k++) {
        struct command *c = &commands[k];
        if (groups[k].open && !group_empty(&groups[k]))
            fatal("processes of %s outlived their namespace", groups[k].name);
        if (!c->live || c->dead)
            continue;
        if (!c->reported && c->ended == RUNNING)
            c->ended = reason;
        c->dead = true;
    }
}

static void stop(struct command *c, enum ended reason)
{
    if (c->ended == RUNNING)
        c->ended = reason;
    if (c->dead)
        return;
    if (c->flags & FRESH || !group_kill(c->group))
        kill_all(KILLED);
    c->dead = true;
}

static void count(struct command *c, int k, const uint8_t *data, size_t n)
{
    static const uint8_t types[] = {'O', 'E', 'T'};
    uint64_t room = c->bytes[k] < c->cap[k] ? c->cap[k] - c->bytes[k] : 0;
    size_t kept = n < room ? n : (size_t)room;
    c->bytes[k] += n;
    if (kept)
        send_frame(types[k], c->id, data, kept);
    if (kept < n && k == 0 && !(c->flags & DISCARD_STDOUT))
        stop(c, OUTPUT_LIMIT);
}

/* Takes what is there; false when the pipe is empty but may still be written to. */
static bool drain(struct command *c, int k)
{
    static uint8_t chunk[CHUNK];
    while (c->pipe[k] >= 0 && out_length < OUT_HIGH) {
        ssize_t n = read(c->pipe[k], chunk, sizeof chunk);
        if (n > 0)
            count(c, k, chunk, (size_t)n);
        else if (n < 0 && errno == EAGAIN)
            return false;
        else if (n == 0 || errno != EINTR)
            close_fd(&c->pipe[k]);
    }
    return c->pipe[k] < 0;
}

static void feed(struct command *c)
{
    uint32_t taken = 0;
    while (c->feed_fd >= 0 && taken < c->feed_length) {
        ssize_t n = write(c->feed_fd, c->feed + taken, c->feed_length - taken);
        if (n > 0)
            taken += (uint32_t)n;
        else if (n < 0 && errno == EAGAIN)
            break;
        else if (errno != EINTR) {
            close_fd(&c->feed_fd); /* nobody reads any more: swallow it */
            taken = c->feed_length;
        }
    }
    if (taken) {
        memmove(c->feed, c->feed + taken, c->feed_length - taken);
        c->feed_length -= taken;
        send_frame('A', c->id, &taken, sizeof taken);
    }
    if (c->feed_closed && !c->feed_length)
        close_fd(&c->feed_fd);
}

static void finish(struct command *c)
{
    struct group *g = c->group;
    group_read(g);
    group_correct(g, c->flags & FRESH ? box_cpu_ns : c->report.cpu_ns, c->report.peak);
    struct finished f = {.ended = (uint8_t)c->ended, .exit_code = -1, .signal = -1};
    bool exited = c->report.code == CLD_EXITED;
    if (c->ended == RUNNING && c->report.exec_errno == SETUP)
        fatal("a program could not be prepared (status %d)", c->report.status);
    if (c->reported && exited)
        f.exit_code = c->report.status;
    else if (c->reported)
        f.signal = c->report.status;
    if (c->reported)
        f.exec_errno = c->report.exec_errno;
    if (c->ended == RUNNING || c->ended == CPU_LIMIT) {
        uint64_t oom = group_oom(g);
        if (oom && g->peak_seen + (32u << 20) < g->memory_limit)
            fatal("the machine ran out of memory"); /* the limit was far: not the program's doing */
        if (c->ended == RUNNING)
            f.ended = oom ? MEMORY_LIMIT : g->cpu_seen > c->cpu_limit ? CPU_LIMIT
                    : exited ? EXITED : SIGNALED;
    }
    f.cpu_ns = g->cpu_seen;
    f.wall_ns = c->waited ? c->waited - c->started : now_ns() - c->started;
    f.wait_ns = c->report.wait_ns > c->wait ? c->report.wait_ns : c->wait;
    f.peak = g->peak_seen;
    for (int k = 0; k < 3; k++) {
        f.bytes[k] = c->bytes[k];
        close_fd(&c->pipe[k]);
    }
    send_frame('F', c->id, &f, sizeof f);
    close_fd(&c->feed_fd);
    close_fd(&c->status_fd);
    free(c->argv), free(c->text), free(c->feed);
    c->live = false;
}

/* The program's main process is gone, or its runner was killed. */
static void read_status(struct command *c)
{
    ssize_t n = read(c->status_fd, &c->report, sizeof c->report);
    close_fd(&c->status_fd);
    c->waited = now_ns();
    c->reported = n == sizeof c->report;
    if (!c->reported && c->ended == RUNNING)
        fatal("a program's runner died");
    if (c->flags & FRESH) {
        if (!c->dead)
            kill_all(KILLED); /* children may not outlive a fresh command */
    } else {
        waitpid(c->runner, NULL, 0);
    }
    c->dead = true;
}

/* Looks at the limits of a running command. */
static void tick(struct command *c, uint64_t now)
{
    struct group *g = c->group;
    uint64_t before = g->cpu_seen, wait = 0, step = now - c->ticked;
    bool runnable = false;
    group_read(g);
    uint64_t ran = g->cpu_seen - before;
    if (ran < step - step / 8) {
        scan_tasks(&wait, &runnable, NULL, NULL);
        uint64_t waited = wait > c->wait ? wait - c->wait : 0;
        c->wait += waited;
        /* A task that still waits for its core shows as runnable, not yet in its waiting time. */
        if (out_length >= OUT_HIGH) /* it may wait for the host, through us */
            runnable = true;
        if (!runnable && ran + waited < step)
            c->idle += step - ran - waited;
    }
    c->ticked = now;
    if (group_oom(g))
        stop(c, MEMORY_LIMIT);
    else if (g->cpu_seen > c->cpu_limit)
        stop(c, CPU_LIMIT);
    else if (c->idle > c->idle_limit)
        stop(c, IDLE_LIMIT);
    else if (now - c->started > c->wall_limit)
        stop(c, WALL_LIMIT);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void add_stdin(const uint8_t *data, size_t length)
{
    if (pending_stdin < 0)
        pending_stdin = above(memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING), 10);
    while (length) {
        ssize_t n = write(pending_stdin, data, length);
        if (n < 0 && errno != EINTR)
            fatal("cannot keep the input: %s", strerror(errno));
        if (n > 0)
            data += n, length -= (size_t)n;
    }
}

/* A read-only descriptor of its own offset on the sealed input. */
static int take_stdin(void)
{
    char path[64];
    if (pending_stdin < 0)
        return above(open("/dev/null", O_RDONLY | O_CLOEXEC), 10);
    fcntl(pending_stdin, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    snprintf(path, sizeof path, "self/fd/%d", pending_stdin);
    int fd = openat(settings.proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fatal("cannot reopen the input: %s", strerror(errno));
    close_fd(&pending_stdin);
    return above(fd, 10);
}

static char *next_text(char **rest, char *end)
{
    char *text = *rest;
    size_t length = text < end ? strnlen(text, (size_t)(end - text)) : 0;
    if (text + length >= end)
        fatal("a run frame without all of its texts");
    *rest = text + length + 1;
    return text;
}

/* One end of a new pipe for us (non-blocking), the other for the program. */
static void make_pipe(int *ours, int *theirs, bool we_read)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        fatal("cannot make a pipe: %s", strerror(errno));
    *ours = above(ends[we_read ? 0 : 1], 10);
    *theirs = above(ends[we_read ? 1 : 0], 10);
    fcntl(*ours, F_SETFL, O_NONBLOCK);
}

static void run(uint16_t id, const uint8_t *data, size_t length)
{
    struct run r;
    int slot = 0;
    if (length < sizeof r || find(id))
        fatal("a run frame of %zu bytes for command %u", length, id);
    memcpy(&r, data, sizeof r);
    if (r.flags & FRESH)
        kill_all(KILLED);
    while (slot < COMMANDS && (commands[slot].live || (groups[slot].open && !group_empty(&groups[slot]))))
        slot++; /* what an ended command left running keeps its group */
    if (slot == COMMANDS) {
        int32_t busy = EBUSY;
        close_fd(&pending_stdin);
        send_frame('X', id, &busy, sizeof busy);
        return;
    }
    struct command *c = &commands[slot];
    *c = (struct command){
        .live = true, .id = id, .flags = r.flags, .pids_limit = r.pids, .cpu_limit = r.cpu_ns,
        .idle_limit = r.idle_ns, .wall_limit = r.wall_ns, .memory_limit = r.memory,
        .cap = {r.stdout_max, r.stderr_max, r.result_max}, .status_fd = -1, .feed_fd = -1,
        .pipe = {-1, -1, -1}, .child_fd = {-1, -1, -1}, .group = &groups[slot],
    };
    size_t rest = length - sizeof r;
    c->text = malloc(rest + 1);
    c->argv = calloc((size_t)r.argc + r.envc + 2, sizeof *c->argv);
    if (!c->text || !c->argv || !r.argc)
        fatal("a run frame with %u arguments", r.argc);
    memcpy(c->text, data + sizeof r, rest);
    char *next = c->text, *end = c->text + rest;
    c->cwd = next_text(&next, end);
    for (unsigned k = 0; k < r.argc; k++)
        c->argv[k] = next_text(&next, end);
    c->env = c->argv + r.argc + 1;
    for (unsigned k = 0; k < r.envc; k++)
        c->env[k] = next_text(&next, end);

    snprintf(c->group->name, sizeof c->group->name, "c%d", slot);
    group_arm(c->group, c->memory_limit, c->pids_limit);
    if (c->flags & STREAM_STDIN) {
        make_pipe(&c->feed_fd, &c->stdin_fd, false);
        if (!(c->feed = malloc(STDIN_WINDOW)))
            fatal("out of memory");
    } else {
        c->stdin_fd = take_stdin();
    }
    for (int k = 0; k < (c->flags & RESULT_FD ? 3 : 2); k++)
        make_pipe(&c->pipe[k], &c->child_fd[k], true);
    c->started = c->ticked = now_ns();
    box_run(c);
    for (int k = 0; k < 3; k++)
        close_fd(&c->child_fd[k]);
    close_fd(&c->stdin_fd);
}

static void write_stdin(uint16_t id, const uint8_t *data, size_t length)
{
    struct command *c = find(id);
    if (!c) /* it has just finished */
        return;
    if (!c->feed || length > STDIN_WINDOW - c->feed_length)
        fatal("%zu bytes of stdin beyond the window", length);
    memcpy(c->feed + c->feed_length, data, length);
    c->feed_length += (uint32_t)length;
    feed(c);
}

static void handle(uint8_t type, uint16_t id, const uint8_t *data, size_t length)
{
    struct command *c;
    switch (type) {
    case 'P': files_put(id, data, length); break;
    case 'G': files_get(id, data, length); break;
    case 'I': add_stdin(data, length); break;
    case 'R': run(id, data, length); break;
    case 'W': write_stdin(id, data, length); break;
    case 'C':
        if ((c = find(id))) {
            c->feed_closed = true;
            feed(c);
        }
        break;
    case 'S':
        if ((c = find(id)))
            stop(c, KILLED);
        break;
    case 'Z':
        kill_all(KILLED);
        close_fd(&pending_stdin);
        work_mount();
        send_frame('K', id, NULL, 0);
        break;
    default: fatal("a frame of unknown type %u", type);
    }
}

static void read_host(void)
{
    ssize_t n = read(0, in + in_length, sizeof in - in_length);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        _exit(0); /* the host is gone, and with us everything here */
    in_length += n > 0 ? (size_t)n : 0;
    size_t at = 0;
    while (in_length - at >= HEADER) {
        uint32_t length;
        uint16_t id;
        memcpy(&length, in + at, 4);
        memcpy(&id, in + at + 5, 2);
        if (length > FRAME_MAX)
            fatal("a frame of %u bytes", length);
        if (in_length - at < HEADER + length)
            break;
        handle(in[at + 4], id, in + at + HEADER, length);
        at += HEADER + length;
    }
    memmove(in, in + at, in_length - at);
    in_length -= at;
}

static void loop(void)
{
    for (;;) {
        struct pollfd fds[2 + COMMANDS * 5];
        bool running = false;
        nfds_t n = 0;
        flush(false);
        fds[n++] = (struct pollfd){.fd = 0, .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = out_length ? 1 : -1, .events = POLLOUT};
        for (int k = 0; k < COMMANDS; k++) {
            struct command *c = &commands[k];
            if (!c->live)
                continue;
            running = true;
            fds[n++] = (struct pollfd){.fd = c->status_fd, .events = POLLIN};
            for (int p = 0; p < 3 && out_length < OUT_HIGH; p++)
                fds[n++] = (struct pollfd){.fd = c->pipe[p], .events = POLLIN};
            if (c->feed_length)
                fds[n++] = (struct pollfd){.fd = c->feed_fd, .events = POLLOUT};
        }
        if (poll(fds, n, running ? 10 : -1) < 0 && errno != EINTR)
            fatal("poll: %s", strerror(errno));
        if (fds[0].revents)
            read_host();
        uint64_t now = now_ns();
        for (int k = 0; k < COMMANDS; k++) {
            struct command *c = &commands[k];
            if (!c->live)
                continue;
            for (int p = 0; p < 3; p++)
                drain(c, p);
            if (c->feed_length)
                feed(c);
            struct pollfd status = {.fd = c->status_fd, .events = POLLIN};
            if (c->status_fd >= 0 && poll(&status, 1, 0) == 1)
                read_status(c);
            if (!c->dead && now - c->ticked >= TICK_NS)
                tick(c, now);
            if (!c->dead)
                continue;
            if (c->status_fd >= 0 && !(c->flags & FRESH))
                group_kill(c->group); /* it may have been stopped before it had joined */
            /* Of a fresh command every writer is dead, so the pipes end; else take what is there. */
            bool done = c->status_fd < 0 || c->flags & FRESH;
            for (int p = 0; p < 3; p++)
                done &= drain(c, p) || (!(c->flags & FRESH) && out_length < OUT_HIGH);
            if (done)
                finish(c);
        }
    }
}

/* We keep what we hold; whatever is executed below us can gain nothing. */
static void drop_bounding_set(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
        prctl(PR_CAPBSET_DROP, cap);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (!syscall(SYS_capget, &head, data)) {
        data[0].inheritable = data[1].inheritable = 0;
        syscall(SYS_capset, &head, data);
    }
}

static void parse(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "--debug"))
            settings.debug = true;
        else if (!strcmp(argv[k], "--rootless"))
            settings.rootless = true;
        else if (!strcmp(argv[k], "--cgroup") && k + 1 < argc)
            settings.cgroup = argv[++k];
        else if (!strcmp(argv[k], "--disk") && k + 1 < argc)
            settings.disk = strtoull(argv[++k], NULL, 10);
        else if (!strcmp(argv[k], "--uid") && k + 1 < argc)
            settings.uid = (uid_t)strtoul(argv[++k], NULL, 10);
        else
            fatal("unknown option %s", argv[k]);
    }
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
    fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    umask(022);
    parse(argc, argv);
    settings.proc = above(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 10);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        fatal("cannot make a mount namespace: %s", strerror(errno));
    uint32_t hello[3] = {PROTOCOL, (uint32_t)group_setup(), settings.uid};
    group_hide();
    static const char *const unused[] = {"/sys", "/dev/mqueue", "/proc/bus", "/proc/fs", "/proc/irq",
        "/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list",
        "/proc/latency_stats", "/proc/scsi"};
    for (unsigned k = 0; k < sizeof unused / sizeof *unused; k++)
        umount2(unused[k], MNT_DETACH); /* every box copies the mounts; it has a /proc of its own */
    drop_bounding_set();
    work_mount();
    send_frame('H', 0, hello, sizeof hello);
    loop();
}
