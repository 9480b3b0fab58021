/* Shared declarations of the supervisor. main.c says what it is and how it works. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROTOCOL 1u
#define FRAME_MAX (1u << 20)       /* payload of the largest frame */
#define CHUNK 65536u               /* bytes taken from a pipe or a file at once */
#define COMMANDS 8                 /* that may run at the same time */
#define STDIN_WINDOW (256u << 10)  /* streamed stdin that the host may have under way */
#define TICK_NS 10000000ull        /* how often limits are looked at */

enum flag { FRESH = 1, READONLY_WORK = 2, RESULT_FD = 4, DISCARD_STDOUT = 8, STREAM_STDIN = 16 };

/* Why a command ended; the numbers are part of the protocol (agent/sandbox/protocol.py). */
enum ended {
    RUNNING, EXITED, SIGNALED, CPU_LIMIT, IDLE_LIMIT, WALL_LIMIT, MEMORY_LIMIT, OUTPUT_LIMIT, KILLED
};

#define SETUP (-1)

/* What a runner (box.c) tells of the program that it waited for. */
struct report {
    int32_t code, status;     /* si_code and si_status of waitid */
    int32_t exec_errno;       /* not 0: the program could not be started; SETUP: our failure */
    uint64_t wait_ns;         /* its main thread was runnable but waited for a core */
    uint64_t cpu_ns, peak;    /* as wait4 tells: only where nothing better is known */
};

/* A control group (cgroup.c); without rights to make one, the same figures are polled. */
struct group {
    char name[16];
    bool open;
    int join[3], cpu, oom, peak, usage, pids;
    uint64_t cpu_base, oom_base, memory_limit, peak_seen, cpu_seen;
    uint32_t pids_limit;
};

struct command {
    bool live, dead, reported;
    uint16_t id;
    uint32_t flags, pids_limit;
    uint64_t cpu_limit, idle_limit, wall_limit, memory_limit, cap[3]; /* ns, bytes */
    char **argv, **env, *cwd, *text; /* argv and env point into text */
    int stdin_fd, status_fd, feed_fd, pipe[3], child_fd[3]; /* stdout, stderr, result */
    bool feed_closed;
    uint8_t *feed;                    /* streamed stdin that the program has not taken yet */
    uint32_t feed_length;
    uint64_t bytes[3], started, ticked, cpu, wait, waited, idle;
    pid_t runner;
    enum ended ended;
    struct report report;
    struct group *group;
};

/* Set once at start. */
extern struct settings {
    int proc;                 /* the sandbox's own /proc */
    const char *cgroup;       /* folder of the hierarchies, NULL: polled */
    uint64_t disk;            /* bytes of /work and of /tmp, each */
    bool debug;               /* allow ptrace, for a debugger */
    bool rootless;            /* only one uid is mapped */
    uid_t uid;                /* of the programs */
    bool child;               /* true in every process but the supervisor itself */
} settings;

/* main.c */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void send_frame(uint8_t type, uint16_t id, const void *data, size_t length);
uint64_t now_ns(void);
int above(int fd, int least); /* the same file at a descriptor >= least, close-on-exec */

/* box.c: namespaces and processes */
void work_mount(void);
void box_run(struct command *command);  /* starts it: in a new box if FRESH, else in the living one */
void box_kill(void);                    /* nothing of the box is alive when it returns */
bool box_alive(void);
extern uint64_t box_cpu_ns;             /* of everything in the last box, once it is killed */

/* cgroup.c: limits and figures */
int group_setup(void);                  /* version of the hierarchy: 1, 2, or 0 for polled */
void group_hide(void);
void group_arm(struct group *group, uint64_t memory, uint32_t pids);
bool group_join(const struct group *group);     /* called by the program's process itself */
void group_read(struct group *group);           /* updates cpu_seen and peak_seen */
void group_correct(struct group *group, uint64_t cpu, uint64_t peak); /* when polling missed it */
uint64_t group_oom(const struct group *group);  /* processes killed for memory since armed */
bool group_empty(const struct group *group);
bool group_kill(struct group *group);           /* false: not possible without a cgroup */
void scan_tasks(uint64_t *wait_ns, bool *runnable, uint64_t *cpu_ns, uint64_t *memory);

/* files.c, filter.c */
void files_put(uint16_t id, const uint8_t *data, size_t length);
void files_get(uint16_t id, const uint8_t *data, size_t length);
void filter_install(bool allow_debug);
