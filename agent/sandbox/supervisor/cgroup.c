/* Limits and figures of a command: from its control group, v1 or v2, or polled from /proc. */
#include "supervisor.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY, PIDS, CPU, ROOTS };
static int version;       /* 1, 2; 0: no rights here */
static int root[ROOTS];   /* the sandbox's own group in each hierarchy (v2: three times the same) */
static const char *const v1_names[ROOTS] = {"memory", "pids", "cpuacct"};

static ssize_t read_text(int folder, const char *name, char *text, size_t size)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n;
}

static bool write_text(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return good;
}

static int must_open(int folder, const char *name, int flags)
{
    int fd = openat(folder, name, flags | O_CLOEXEC);
    if (fd < 0)
        fatal("cgroup: cannot open %s: %s", name, strerror(errno));
    return fd;
}

/* The number in a file, or after `key` in a file of "key number" lines. */
static uint64_t number(int fd, const char *key)
{
    char text[4096];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n <= 0)
        fatal("cgroup: cannot read a counter: %s", n ? strerror(errno) : "empty");
    text[n] = 0;
    if (!key)
        return strtoull(text, NULL, 10);
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ' ')
            return strtoull(line + strlen(key), NULL, 10);
    }
    fatal("cgroup: no counter %s", key);
}

/* A container sees its groups read-only, but we may mount: make them writable. */
static void make_writable(const char *path)
{
    if (access(path, W_OK) && errno == EROFS)
        mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Opens the hierarchies below settings.cgroup; 0 when there are none in which we may make groups. */
int group_setup(void)
{
    int base = settings.cgroup ? open(settings.cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (base < 0)
        return 0;
    if (!faccessat(base, "cgroup.controllers", F_OK, 0)) {
        make_writable(settings.cgroup);
        mkdirat(base, "supervisor", 0755); /* v2: a group with children may hold no process */
        write_text(base, "supervisor/cgroup.procs", "0");
        if (!write_text(base, "cgroup.subtree_control", "+memory +pids"))
            return 0;
        for (int k = 0; k < ROOTS; k++)
            root[k] = base;
        return version = 2;
    }
    for (int k = 0; k < ROOTS; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", settings.cgroup, v1_names[k]);
        make_writable(path);
        root[k] = openat(base, v1_names[k], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (root[k] < 0 || faccessat(root[k], "cgroup.procs", W_OK, 0))
            return 0;
    }
    close(base);
    return version = 1;
}

/* Takes the hierarchies out of sight; the descriptors that we hold stay good. */
void group_hide(void)
{
    char path[256];
    for (int k = 0; settings.cgroup && k < ROOTS; k++) {
        snprintf(path, sizeof path, "%s/%s", settings.cgroup, v1_names[k]);
        umount2(path, MNT_DETACH);
    }
    if (settings.cgroup)
        umount2(settings.cgroup, MNT_DETACH);
}

static void group_close(struct group *g)
{
    for (int k = 0; k < (version == 2 ? 1 : ROOTS); k++) {
        close(g->join[k]);
        if (unlinkat(root[k], g->name, AT_REMOVEDIR) && errno != ENOENT)
            fatal("cgroup: cannot remove %s: %s", g->name, strerror(errno));
    }
    close(g->pids), close(g->cpu), close(g->oom), close(g->peak), close(g->usage);
    g->open = false;
}

static void group_open(struct group *g)
{
    for (int k = 0; k < (version == 2 ? 1 : ROOTS); k++) {
        if (mkdirat(root[k], g->name, 0755) && errno != EEXIST)
            fatal("cgroup: cannot make %s: %s", g->name, strerror(errno));
        int folder = must_open(root[k], g->name, O_RDONLY | O_DIRECTORY);
        g->join[k] = must_open(folder, "cgroup.procs", O_WRONLY);
        if (k == MEMORY) {
            g->oom = must_open(folder, version == 2 ? "memory.events" : "memory.oom_control", O_RDONLY);
            g->peak = version == 2 ? openat(folder, "memory.peak", O_RDONLY | O_CLOEXEC)
                                   : must_open(folder, "memory.max_usage_in_bytes", O_RDWR);
            g->usage = must_open(folder, version == 2 ? "memory.current" : "memory.usage_in_bytes",
                                 O_RDONLY);
        }
        if (k == PIDS || version == 2)
            g->pids = must_open(folder, "pids.current", O_RDONLY);
        if (k == CPU || version == 2)
            g->cpu = must_open(folder, version == 2 ? "cpu.stat" : "cpuacct.usage", O_RDONLY);
        close(folder);
    }
    g->open = true;
    g->memory_limit = 0;
    g->pids_limit = 0;
}

static bool set_memory(int folder, uint64_t bytes)
{
    char text[32], back[64];
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    if (version == 2) {
        write_text(folder, "memory.swap.max", "0"); /* absent: the kernel knows no swap */
        if (faccessat(folder, "memory.swap.max", F_OK, 0) == 0 &&
            (read_text(folder, "memory.swap.max", back, sizeof back) <= 0 || back[0] != '0'))
            return false;
        return write_text(folder, "memory.max", text) &&
               read_text(folder, "memory.max", back, sizeof back) > 0 &&
               strtoull(back, NULL, 10) / 4096 == bytes / 4096;
    }
    /* memory + swap may never be below memory: one of the two orders works, up or down */
    const char *both = "memory.memsw.limit_in_bytes", *one = "memory.limit_in_bytes";
    if (!faccessat(folder, both, F_OK, 0)) {
        if (!write_text(folder, one, text) && !write_text(folder, both, text))
            return false;
        write_text(folder, one, text);
        if (!write_text(folder, both, text))
            return false;
    } else if (!write_text(folder, one, text) || !write_text(folder, "memory.swappiness", "0")) {
        return false;
    }
    return read_text(folder, one, back, sizeof back) > 0 &&
           strtoull(back, NULL, 10) / 4096 == bytes / 4096;
}

static bool set_pids(int folder, uint32_t most)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu32, most);
    return write_text(folder, "pids.max", text);
}

/* Makes the (empty) group ready for one command: limits set, or the sandbox is at fault. */
void group_arm(struct group *g, uint64_t memory, uint32_t pids)
{
    g->peak_seen = g->cpu_seen = 0;
    if (!version) {
        g->memory_limit = memory;
        scan_tasks(NULL, NULL, &g->cpu_base, NULL);
        return;
    }
    /* Reusing a group saves a tenth of a trivial test. But pages that an earlier command left in
     * /work are still charged to it, and on v2 an old peak cannot be forgotten. */
    if (g->open && (version == 2 || number(g->usage, NULL) > (1u << 20)))
        group_close(g);
    if (!g->open)
        group_open(g);
    if (g->memory_limit != memory || g->pids_limit != pids) {
        int a = must_open(root[MEMORY], g->name, O_RDONLY | O_DIRECTORY);
        int b = must_open(root[PIDS], g->name, O_RDONLY | O_DIRECTORY);
        if (!set_memory(a, memory))
            fatal("cgroup: cannot set a memory limit of %" PRIu64 " bytes: %s", memory, strerror(errno));
        if (!set_pids(b, pids))
            fatal("cgroup: cannot set a limit of %u processes: %s", pids, strerror(errno));
        close(a), close(b);
        g->memory_limit = memory;
        g->pids_limit = pids;
    }
    if (version == 1 && pwrite(g->peak, "0", 1, 0) != 1)
        fatal("cgroup: cannot reset the peak: %s", strerror(errno));
    g->oom_base = number(g->oom, "oom_kill");
    g->cpu_base = number(g->cpu, version == 2 ? "usage_usec" : NULL);
}

/* Moves the calling process in. "0" is the writer itself, whatever its number elsewhere. */
bool group_join(const struct group *g)
{
    for (int k = 0; k < (version == 2 ? 1 : version ? ROOTS : 0); k++)
        if (write(g->join[k], "0", 1) != 1)
            return false;
    return true;
}

void group_read(struct group *g)
{
    uint64_t cpu, memory;
    if (version) {
        cpu = (number(g->cpu, version == 2 ? "usage_usec" : NULL) - g->cpu_base) *
              (version == 2 ? 1000 : 1);
        memory = number(g->peak >= 0 ? g->peak : g->usage, NULL);
    } else {
        scan_tasks(NULL, NULL, &cpu, &memory);
        cpu -= cpu < g->cpu_base ? cpu : g->cpu_base;
    }
    if (cpu > g->cpu_seen)
        g->cpu_seen = cpu;
    if (memory > g->peak_seen)
        g->peak_seen = memory;
}

void group_correct(struct group *g, uint64_t cpu, uint64_t peak)
{
    if (!version && cpu > g->cpu_seen)
        g->cpu_seen = cpu;
    if (!version && peak > g->peak_seen)
        g->peak_seen = peak;
}

uint64_t group_oom(const struct group *g)
{
    return version ? number(g->oom, "oom_kill") - g->oom_base : g->peak_seen > g->memory_limit;
}

bool group_empty(const struct group *g)
{
    return !version || !g->open || number(g->pids, NULL) == 0;
}

/* Kills every process of the group. It may not fork any more, so the loop comes to an end. */
bool group_kill(struct group *g)
{
    if (!version)
        return false;
    int pids = must_open(root[PIDS], g->name, O_RDONLY | O_DIRECTORY);
    set_pids(pids, 0);
    g->pids_limit = 0;
    for (int round = 0; round < 2000 && !group_empty(g); round++) {
        char text[4096], *next = text;
        /* Opened each time: v1 shows a reader the list that it saw first. */
        read_text(pids, "cgroup.procs", text, sizeof text);
        for (long pid; (pid = strtol(next, &next, 10)) > 0;)
            kill((pid_t)pid, SIGKILL);
        usleep(round < 20 ? 100 : 5000);
    }
    close(pids);
    if (!group_empty(g))
        fatal("cgroup: processes of %s cannot be killed", g->name);
    return true;
}

/* Looks at every task of the box in /proc: the supervisor's PID namespace holds nothing else but
 * itself. wait_ns: summed time that living threads waited for a core; cpu_ns: of living processes
 * and the children that they waited for (10 ms steps); memory: summed resident bytes. */
void scan_tasks(uint64_t *wait_ns, bool *runnable, uint64_t *cpu_ns, uint64_t *memory)
{
    uint64_t wait = 0, ticks = 0, pages = 0;
    bool any = false;
    char path[64], text[1024];
    int copy = openat(settings.proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *processes = copy < 0 ? NULL : fdopendir(copy);
    if (!processes)
        fatal("cannot list /proc: %s", strerror(errno));
    for (struct dirent *entry; (entry = readdir(processes));) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid())
            continue;
        snprintf(path, sizeof path, "%ld/stat", pid);
        char *after = read_text(settings.proc, path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
        uint64_t user, system, child_user, child_system;
        long resident;
        if (after && sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                            " %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %*u %*u %ld", &user, &system,
                            &child_user, &child_system, &resident) == 5) {
            ticks += user + system + child_user + child_system;
            pages += (uint64_t)resident;
        }
        if (!wait_ns && !runnable)
            continue;
        snprintf(path, sizeof path, "%ld/task", pid);
        int folder = openat(settings.proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *threads = folder < 0 ? NULL : fdopendir(folder);
        for (struct dirent *thread; threads && (thread = readdir(threads));) {
            uint64_t ran, waited;
            if (!isdigit((unsigned char)thread->d_name[0]))
                continue;
            snprintf(path, sizeof path, "%.20s/schedstat", thread->d_name);
            if (read_text(folder, path, text, sizeof text) > 0 &&
                sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2)
                wait += waited;
            snprintf(path, sizeof path, "%.20s/stat", thread->d_name);
            after = read_text(folder, path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
            any |= after && after[2] == 'R';
        }
        if (threads)
            closedir(threads);
    }
    closedir(processes);
    if (wait_ns)
        *wait_ns = wait;
    if (runnable)
        *runnable = any;
    if (cpu_ns)
        *cpu_ns = ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
    if (memory)
        *memory = pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
