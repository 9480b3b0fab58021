/* The system calls that a program may not make. A deny-list: an allow-list breaks with every new
 * libc (a start that needs one new call would turn every program into a runtime error). */
#include "supervisor.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "add the audit architecture of this machine"
#endif

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
                    CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */)

/* Answered with EPERM. The first two are what a debugger needs. */
static const int denied[] = {
    __NR_ptrace, __NR_personality,
    /* other processes, kernel objects outside our namespaces */
    __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, __NR_add_key, __NR_request_key,
    __NR_keyctl, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, 425 /* io_uring_setup */,
    426, 427, 438 /* pidfd_getfd */, 440 /* process_madvise */, 447 /* memfd_secret */,
    448 /* process_mrelease */, __NR_fanotify_init, __NR_name_to_handle_at,
    __NR_open_by_handle_at, __NR_syslog, __NR_acct, __NR_quotactl, 443 /* quotactl_fd */,
    /* network; socketpair stays, it reaches nobody */
    __NR_socket, __NR_bind, __NR_connect, __NR_listen,
    /* memory that outlives a process */
    __NR_shmget, __NR_shmat, __NR_shmctl, __NR_semget, __NR_semop, __NR_semtimedop, __NR_semctl,
    __NR_msgget, __NR_msgsnd, __NR_msgrcv, __NR_msgctl, __NR_mq_open, __NR_mq_unlink,
    __NR_mq_timedsend, __NR_mq_timedreceive, __NR_mq_notify, __NR_mq_getsetattr,
    /* namespaces and mounts */
    __NR_unshare, __NR_setns, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot,
    428 /* open_tree */, 429, 430, 431, 432, 433 /* fspick */, 442 /* mount_setattr */,
    457 /* statmount */, 458 /* listmount */, 467 /* open_tree_attr */,
    /* the machine */
    __NR_swapon, __NR_swapoff, __NR_reboot, __NR_kexec_load, __NR_init_module, __NR_finit_module,
    __NR_delete_module, __NR_sethostname, __NR_setdomainname, __NR_settimeofday,
    __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime, __NR_vhangup, __NR_mbind,
    __NR_migrate_pages, __NR_move_pages, __NR_set_mempolicy, 450 /* set_mempolicy_home_node */,
    __NR_vmsplice, __NR_sched_setaffinity /* a pinned sandbox stays on its core */,
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
#ifdef __NR_iopl
    __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_uselib, __NR_ustat, __NR_sysfs,
#endif
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
/* if (accumulator OP k) run the next instruction, else skip it */
#define IF(op, k) BPF_JUMP(BPF_JMP | op | BPF_K, k, 0, 1)
#define ERRNO(e) (SECCOMP_RET_ERRNO | (e))

/* Filters the calling process and all its descendants; needs no_new_privs. */
void filter_install(bool allow_debug)
{
    enum { FIXED = 40, COUNT = sizeof denied / sizeof *denied };
    struct sock_filter code[FIXED + 2 * COUNT];
    unsigned n = 0;
#define EMIT(...) do { \
        struct sock_filter part[] = {__VA_ARGS__}; \
        for (unsigned k = 0; k < sizeof part / sizeof *part; k++) code[n++] = part[k]; \
    } while (0)
    /* 32-bit calls have other numbers: no filter for them, no program either */
    EMIT(LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
         RETURN(SECCOMP_RET_KILL_PROCESS));
    EMIT(LOAD(nr));
#ifdef __x86_64__
    EMIT(IF(BPF_JGE, 0x40000000u), RETURN(SECCOMP_RET_KILL_PROCESS)); /* x32 */
#endif
    for (unsigned k = allow_debug ? 2 : 0; k < COUNT; k++)
        EMIT(IF(BPF_JEQ, (unsigned)denied[k]), RETURN(ERRNO(EPERM)));
    /* clone3 has its flags in memory, where a filter cannot look: libc falls back to clone */
    EMIT(IF(BPF_JEQ, 435), RETURN(ERRNO(ENOSYS)));
    EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3), LOAD(args[0]),
         IF(BPF_JSET, NAMESPACES), RETURN(ERRNO(EPERM)));
    EMIT(LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 3), LOAD(args[1]),
         IF(BPF_JEQ, TIOCSTI), RETURN(ERRNO(EPERM)));
    EMIT(RETURN(SECCOMP_RET_ALLOW));
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
        _exit(126);
}
