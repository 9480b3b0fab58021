/* The box: fresh PID, IPC and mount namespaces under an init of ours, and the programs in it.
 *
 * Two processes stand above a program, so that it is never PID 1 of its namespace (the kernel
 * ignores deadly signals there): the init, which reaps, and the program's runner, which waits for
 * it and tells the supervisor. For a FRESH command the init is the runner. In a living box the
 * runner is a child of the supervisor that has entered the namespaces. */
#include "supervisor.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct { pid_t init; int pidfd; } box = {0, -1};

static void mount_or_die(const char *type, const char *where, unsigned long flags, const char *options)
{
    if (mount(type, where, type, flags, options)) {
        dprintf(2, "cannot mount %s: %s\n", where, strerror(errno));
        _exit(1);
    }
}

/* A new, empty /work that belongs to the programs; what lay there before is gone. */
void work_mount(void)
{
    char options[128];
    while (umount2("/work", MNT_DETACH) == 0)
        ;
    snprintf(options, sizeof options, "size=%" PRIu64 ",nr_inodes=65536,mode=0755,uid=%u,gid=%u",
             settings.disk, settings.uid, settings.uid);
    if (mount("tmpfs", "/work", "tmpfs", MS_NOSUID | MS_NODEV, options))
        fatal("cannot mount /work: %s", strerror(errno));
}

static void mount_private(bool readonly_work)
{
    char options[128];
    snprintf(options, sizeof options, "size=%" PRIu64 ",nr_inodes=65536,mode=1777", settings.disk);
    mount_or_die("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, options);
    mount_or_die("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV | MS_NOEXEC, options);
    /* Only the box's own processes, and of them only those of the programs' user. */
    mount_or_die("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | (settings.rootless ? 0 : MS_RDONLY),
                 "hidepid=2,gid=0");
    if (readonly_work && mount(NULL, "/work", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
                               NULL))
        _exit(1);
}

static void limit(int resource, rlim_t value)
{
    struct rlimit both = {value, value};
    if (setrlimit(resource, &both)) { /* not above the hard limit: take all there is */
        struct rlimit now;
        getrlimit(resource, &now);
        now.rlim_cur = now.rlim_max;
        setrlimit(resource, &now);
    }
}

/* Only one uid exists: another user namespace at least takes the supervisor's rights away. */
static void become_other_in_userns(void)
{
    char text[64];
    if (unshare(CLONE_NEWUSER))
        _exit(1);
    int fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "deny", 4) != 4)
        _exit(1);
    close(fd);
    static const char *const maps[] = {"/proc/self/uid_map", "/proc/self/gid_map"};
    for (int k = 0; k < 2; k++) {
        fd = open(maps[k], O_WRONLY | O_CLOEXEC);
        int n = snprintf(text, sizeof text, "1000 %u 1", settings.uid);
        if (fd < 0 || write(fd, text, (size_t)n) != n)
            _exit(1);
        close(fd);
    }
}

/* Becomes the program. While *exec_errno is SETUP a failure is the sandbox's. */
static _Noreturn void become_program(const struct command *c, int32_t *exec_errno)
{
    setsid();
    dup2(c->stdin_fd, 0);
    for (int k = 0; k < 3; k++) /* stdout, stderr, result */
        if (c->child_fd[k] >= 0)
            dup2(c->child_fd[k], 1 + k);
    limit(RLIMIT_STACK, RLIM_INFINITY);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 4096);
    limit(RLIMIT_MEMLOCK, 64 << 10);
    if (c->cpu_limit < 1000000000000000ull) /* a backstop; the supervisor is earlier */
        limit(RLIMIT_CPU, c->cpu_limit / 1000000000 + 2);
    umask(022);
    if (!group_join(c->group))
        _exit(1);
    if (settings.rootless)
        become_other_in_userns();
    else if (syscall(SYS_setgroups, 0, NULL) || setresgid(settings.uid, settings.uid, settings.uid) ||
             setresuid(settings.uid, settings.uid, settings.uid))
        _exit(1);
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    filter_install(settings.debug);
    *exec_errno = 0;
    if (!chdir(c->cwd))
        execvpe(c->argv[0], c->argv, c->env);
    *exec_errno = errno;
    _exit(127);
}

static uint64_t rusage_ns(const struct rusage *used)
{
    return (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000u;
}

/* A runner or init that held a pipe would hide its end from those who read it. */
static void close_all_but(int fd)
{
    syscall(SYS_close_range, 0, fd - 1, 0);
    syscall(SYS_close_range, fd + 1, ~0u, 0);
}

/* Runs the program and waits for it: what a runner does. An init meanwhile reaps orphans. */
static void run_program(const struct command *c, int status_fd, int32_t *exec_errno)
{
    struct report report = {0};
    siginfo_t info = {0};
    *exec_errno = SETUP;
    pid_t pid = fork();
    if (pid == 0)
        become_program(c, exec_errno);
    close_all_but(status_fd);
    while (pid > 0) {
        if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT))
            continue;
        if (info.si_pid == pid)
            break;
        waitpid(info.si_pid, NULL, 0);
    }
    if (pid > 0) {
        char path[64], text[128];
        snprintf(path, sizeof path, "/proc/%d/schedstat", pid); /* readable while unreaped */
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        text[n > 0 ? n : 0] = 0;
        if (fd >= 0)
            close(fd);
        sscanf(text, "%*u %" SCNu64, &report.wait_ns);
        struct rusage used;
        wait4(pid, NULL, 0, &used);
        report.cpu_ns = rusage_ns(&used);
        report.peak = (uint64_t)used.ru_maxrss << 10;
    }
    report.code = info.si_code;
    report.status = info.si_status;
    report.exec_errno = *exec_errno;
    if (write(status_fd, &report, sizeof report) != sizeof report)
        _exit(1);
}

static _Noreturn void be_init(const struct command *c, int status_fd, int32_t *exec_errno)
{
    settings.child = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "init");
    int fd = openat(settings.proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) { /* the programs go first when the whole machine runs out */
        if (write(fd, "1000", 4) != 4)
            _exit(1);
        close(fd);
    }
    mount_private(c && c->flags & READONLY_WORK);
    if (c)
        run_program(c, status_fd, exec_errno);
    else if (close_all_but(status_fd), write(status_fd, "", 1) != 1)
        _exit(1);
    close(status_fd);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    for (;;) { /* reap what the programs left behind */
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        sigwaitinfo(&child, NULL);
    }
}

static pid_t start_init(const struct command *c, int status_fd, int32_t *exec_errno)
{
    struct clone_args args = {
        .flags = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS | CLONE_PIDFD,
        .pidfd = (uint64_t)(uintptr_t)&box.pidfd,
        .exit_signal = SIGCHLD,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
    if (pid < 0)
        fatal("cannot make namespaces: %s", strerror(errno));
    if (pid == 0)
        be_init(c, status_fd, exec_errno);
    return pid;
}

bool box_alive(void)
{
    return box.init > 0;
}

/* Starts a command; its pipes and group stand. Fills in runner and status_fd. */
void box_run(struct command *c)
{
    static int32_t *exec_errno; /* shared with the program until its exec */
    int ends[2];
    if (!exec_errno)
        exec_errno = mmap(NULL, sizeof *exec_errno * COMMANDS, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int32_t *slot = exec_errno + (c->group->name[1] - '0');
    *slot = 0;
    if (pipe2(ends, O_CLOEXEC))
        fatal("cannot make a pipe: %s", strerror(errno));
    int status = above(ends[1], 10);
    if (c->flags & FRESH) {
        c->runner = box.init = start_init(c, status, slot);
    } else {
        if (!box_alive()) {
            char ready;
            box.init = start_init(NULL, status, NULL);
            if (read(ends[0], &ready, 1) != 1)
                fatal("the box did not start");
        }
        c->runner = fork();
        if (c->runner < 0)
            fatal("cannot fork: %s", strerror(errno));
        if (c->runner == 0) {
            settings.child = true;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (setns(box.pidfd, CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS))
                _exit(1);
            run_program(c, status, slot);
            _exit(0);
        }
    }
    close(status);
    c->status_fd = ends[0];
}

uint64_t box_cpu_ns;

/* The kernel kills a PID namespace with its init, and the init is not reaped before they all are. */
void box_kill(void)
{
    if (!box_alive())
        return;
    kill(box.init, SIGKILL);
    struct rusage used;
    while (wait4(box.init, NULL, 0, &used) < 0 && errno == EINTR)
        ;
    box_cpu_ns = rusage_ns(&used);
    close(box.pidfd);
    box.init = 0;
    box.pidfd = -1;
}
