// SPDX-License-Identifier: Apache-2.0
// Prints values of the kernel's headers on the target processor, as lines of a name and a number. KernelLayoutTests
// compares them with the values in Swift.
#include <asm/ioctls.h>
#include <asm/termios.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/serial.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <linux/usbdevice_fs.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

#define NUMBER(value) printf(#value " %llu\n", (unsigned long long)(value))

int main(void) {
    NUMBER(sizeof(struct termios2));
    NUMBER(offsetof(struct termios2, c_cflag));
    NUMBER(offsetof(struct termios2, c_ispeed));
    NUMBER(offsetof(struct termios2, c_ospeed));
    NUMBER(TCGETS2);
    NUMBER(TCSETS2);
    NUMBER(CBAUD);
    NUMBER(BOTHER);
    NUMBER(TIOCGEXCL);
    NUMBER(TIOCM_DTR);
    NUMBER(sizeof(struct serial_struct));
    NUMBER(offsetof(struct serial_struct, flags));
    NUMBER(offsetof(struct serial_struct, closing_wait));
    NUMBER(ASYNC_LOW_LATENCY);

    NUMBER(USBDEVFS_SETINTERFACE);
    NUMBER(USBDEVFS_GETDRIVER);
    NUMBER(USBDEVFS_SUBMITURB);
    NUMBER(USBDEVFS_DISCARDURB);
    NUMBER(USBDEVFS_REAPURBNDELAY);
    NUMBER(USBDEVFS_CLAIMINTERFACE);
    NUMBER(USBDEVFS_RELEASEINTERFACE);
    NUMBER(USBDEVFS_URB_TYPE_BULK);
    NUMBER(USBDEVFS_URB_ZERO_PACKET);
    NUMBER(sizeof(struct usbdevfs_urb));
    NUMBER(offsetof(struct usbdevfs_urb, endpoint));
    NUMBER(offsetof(struct usbdevfs_urb, status));
    NUMBER(offsetof(struct usbdevfs_urb, flags));
    NUMBER(offsetof(struct usbdevfs_urb, buffer));
    NUMBER(offsetof(struct usbdevfs_urb, buffer_length));
    NUMBER(offsetof(struct usbdevfs_urb, actual_length));

    NUMBER(NETLINK_SOCK_DIAG);
    NUMBER(SOCK_DIAG_BY_FAMILY);
    NUMBER(NLM_F_REQUEST | NLM_F_DUMP);
    NUMBER(NLMSG_ERROR);
    NUMBER(NLMSG_DONE);
    NUMBER(UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER);
    NUMBER(UNIX_DIAG_NAME);
    NUMBER(UNIX_DIAG_VFS);
    NUMBER(UNIX_DIAG_PEER);
    NUMBER(sizeof(struct nlmsghdr));
    NUMBER(sizeof(struct unix_diag_msg));
    NUMBER(sizeof(struct nlmsghdr) + sizeof(struct unix_diag_req));
    NUMBER(offsetof(struct unix_diag_req, udiag_states));
    NUMBER(offsetof(struct unix_diag_req, udiag_show));
    NUMBER(offsetof(struct unix_diag_req, udiag_cookie));
    NUMBER(offsetof(struct unix_diag_vfs, udiag_vfs_dev));

    NUMBER(sizeof(struct inotify_event));
    NUMBER(offsetof(struct inotify_event, len));
    NUMBER(IN_MASK_ADD);

    NUMBER(sizeof(struct epoll_event));
    NUMBER(EPOLLIN);
    NUMBER(EPOLL_CTL_ADD);
    NUMBER(EPOLL_CTL_DEL);
    NUMBER(EPOLL_CLOEXEC);
    NUMBER(TFD_CLOEXEC | TFD_NONBLOCK);
    return 0;
}
