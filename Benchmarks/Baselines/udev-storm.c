// SPDX-License-Identifier: Apache-2.0

// Sends COUNT messages like udevd: virtual terminals are added and removed. Run as root in a separate network
// namespace.
//
//     udev-storm COUNT

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// MurmurHash2, 32 bits, as published by Austin Appleby; for words of four bytes and a remainder.
static uint32_t hash(const char *text) {
    const uint32_t m = 0x5bd1e995;
    size_t length = strlen(text);
    uint32_t h = (uint32_t)length;
    const unsigned char *data = (const unsigned char *)text;
    for (; length >= 4; data += 4, length -= 4) {
        uint32_t k;
        memcpy(&k, data, 4);
        k *= m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    uint32_t rest = 0;
    for (size_t i = length; i > 0; i--) rest = rest << 8 | data[i - 1];
    if (length > 0) h = (h ^ rest) * m;
    h ^= h >> 13;
    h *= m;
    return h ^ h >> 15;
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? atol(argv[1]) : 20000;
    const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) {
        perror("socket");
        return 1;
    }
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = 2};
    for (long i = 0; i < count; i++) {
        char message[1024] = "libudev";
        const int tty = (int)(i / 2 % 60) + 1;
        const int length = snprintf(
            message + 40, sizeof message - 40,
            "ACTION=%s%cDEVPATH=/devices/virtual/tty/tty%d%cSUBSYSTEM=tty%cSEQNUM=%ld%cMAJOR=4%cMINOR=%d%cDEVNAME=/dev/tty%d%c"
            "ID_SERIAL=Example_Corp_Weigh_Scale_WS-7731%cID_SERIAL_SHORT=WS-7731%cID_VENDOR_ID=1209%cID_MODEL_ID=0002%c"
            "ID_USB_INTERFACE_NUM=00%cEXTERNAL_ACCESSORY_PROTOCOLS=com.example.scale%c",
            i % 2 == 0 ? "remove" : "add", 0, tty, 0, 0, i + 1, 0, 0, tty, 0, tty, 0, 0, 0, 0, 0, 0, 0);
        const uint32_t head[8] = {htonl(0xfeedcafe), 40, 40, (uint32_t)length, htonl(hash("tty")), 0, 0, 0};
        memcpy(message + 8, head, sizeof head);
        if (sendto(fd, message, (size_t)length + 40, 0, (struct sockaddr *)&to, sizeof to) < 0) {
            perror("sendto");
            return 1;
        }
    }
    return 0;
}
