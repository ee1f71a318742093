"""Names of Python's library that Windows or macOS lacks: "Availability: Unix" or "Linux" in its documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MODULES = frozenset(
    {"crypt", "curses", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline", "resource", "spwd", "syslog"}
    | {"termios", "tty"}
)
_OF_OS = """CLD_.* EFD_.* EX_.* F_T?LOCK F_TEST F_ULOCK GRND_.* MFD_.* POSIX_.* PRIO_.* P_(ALL|PGID|PID|PIDFD)
RTLD_.* RWF_.* SCHED_.* SEEK_(DATA|HOLE) SPLICE_.* ST_.* W[A-Z]+ XATTR_.* O_(ACCMODE|ASYNC|CLOEXEC|DIRECT|DIRECTORY)
O_(DSYNC|EVTONLY|EXLOCK|FSYNC|LARGEFILE|NDELAY|NOATIME|NOCTTY|NOFOLLOW.*|NONBLOCK|PATH|RSYNC|SHLOCK|SYMLINK|SYNC)
O_TMPFILE l?chflags l?chown lchmod chroot confstr.* copy_file_range ctermid environb eventfd.* fchdir fchmod fchown
fdatasync fork forkpty f?pathconf.* f?statvfs fwalk get_blocking gete?[gu]id getenvb getgroup(s|list) getloadavg
getpgid getpgrp getpriority getrandom getres[gu]id getsid initgroups (get|set|list|remove)xattr killpg lockf login_tty
major makedev memfd_create minor mkfifo mknod nice openpty pidfd_open pipe2 posix_.* p(read|write)v? readv writev
register_at_fork sched_.* sendfile set_blocking sete?[gu]id setgroups setpgid setpgrp setpriority setre[gu]id
setres[gu]id setsid spawn[lv]pe? splice sync sysconf.* tc[gs]etpgrp ttyname uname wait wait3 wait4 waitid.*"""
_OF_SIGNAL = """ITIMER_.* SIG_(BLOCK|SETMASK|UNBLOCK) alarm [gs]etitimer pause pidfd_send_signal pthread_.*
siginterrupt sigpending sigtimedwait sigwait.* SIG(ALRM|BUS|CHLD|CLD|CONT|EMT|HUP|INFO|IO|IOT|KILL|PIPE|POLL|PROF)
SIG(PWR|QUIT|RTMAX|RTMIN|STKFLT|STOP|SYS|TRAP|TSTP|TTIN|TTOU|URG|USR1|USR2|VTALRM|WINCH|XCPU|XFSZ)"""
NAMES = {
    "os": _OF_OS,
    "signal": _OF_SIGNAL,
    "mmap": "MADV_.* MAP_.* PROT_.*",
    "select": "EPOLL.* KQ_.* PIPE_BUF POLL.* epoll kevent kqueue poll",
    "socket": "AF_UNIX AF_NETLINK CMSG_.* MSG_(DONTWAIT|NOSIGNAL|MORE) SCM_.* SO_PEERCRED SO_REUSEPORT .*_fds",
    "time": "CLOCK_.* clock_.* pthread_.* tzset",
}
_PATTERNS = {module: re.compile("|".join(names.split())) for module, names in NAMES.items()}
_METHODS = frozenset({"add_signal_handler", "mkfifo"})
_ARGUMENTS = frozenset({"preexec_fn", "dir_fd", "src_dir_fd", "dst_dir_fd"})
_PATHS = re.compile(r"/(proc|dev|sys|etc)(/|$)")


def found(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The lines and names of what not every system has; texts of documentation are no use of a name."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names if name.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] in MODULES:
                    yield node.lineno, module
                yield from ((node.lineno, name.name) for name in names if is_lacking(module, name.name))
            case ast.Attribute(value=ast.Name(id=module), attr=name) if is_lacking(module, name):
                yield node.lineno, f"{module}.{name}"
            case ast.Attribute(attr=name) if name in _METHODS:
                yield node.lineno, name
            case ast.Call(args=[ast.Name(id=module), ast.Constant(value=str(name)), *_]) if is_lacking(module, name):
                yield node.lineno, f"{module}.{name}"
            case ast.keyword(arg=str(name)) if name in _ARGUMENTS:
                yield node.lineno, name
            case ast.Constant(value=str(text)) if _PATHS.match(text) and id(node) not in documentation:
                yield node.lineno, text


def is_lacking(module: str, name: str) -> bool:
    """Whether not every system has this name of a module of Python's library."""
    return module in _PATTERNS and _PATTERNS[module].fullmatch(name) is not None
