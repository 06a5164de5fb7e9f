// SPDX-License-Identifier: Apache-2.0

// An accessory at the end of a pseudo-terminal, and a client that uses blocking reads and writes.
//
//   accessory serve               prints the path of the port; then responds to: 'e' n: echoes n bytes one at a time;
//                                 'b' n: sends n bytes, 4096 at a time (n: four bytes, little-endian)
//   accessory echo PATH COUNT     round trips of a byte; prints the median and the 99th percentile in microseconds
//   accessory bulk PATH BYTES     receives this number of bytes; prints megabytes per second
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int all(int descriptor, unsigned char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t part = read(descriptor, bytes + done, count - done);
        if (part > 0) done += part;
        else if (part == 0 || (errno != EINTR && errno != EIO)) return 0;
        else if (errno == EIO) usleep(2000);  // No process has opened the other side.
    }
    return 1;
}

static int serve(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master)) return 1;
    // Set to raw mode before the first write, and then closed, so that a client has exclusive access.
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct termios line;
    tcgetattr(slave, &line);
    cfmakeraw(&line);
    tcsetattr(slave, TCSANOW, &line);
    close(slave);
    printf("%s\n", ptsname(master));
    fflush(stdout);
    static unsigned char block[4096];
    unsigned char order[5];
    while (all(master, order, 5)) {
        uint32_t count = order[1] | order[2] << 8 | order[3] << 16 | (uint32_t)order[4] << 24;
        if (order[0] == 'e') {
            for (unsigned char byte; count > 0; count--)
                if (read(master, &byte, 1) != 1 || write(master, &byte, 1) != 1) return 1;
        } else {
            while (count > 0) {
                ssize_t part = write(master, block, count < sizeof block ? count : sizeof block);
                if (part < 0) return 1;
                count -= part;
            }
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "serve")) return serve();
    if (argc != 4) return 2;
    int port = open(argv[2], O_RDWR | O_NOCTTY);
    uint32_t count = strtoul(argv[3], NULL, 10);
    int isEcho = !strcmp(argv[1], "echo");
    unsigned char order[5] = {isEcho ? 'e' : 'b', count, count >> 8, count >> 16, count >> 24};
    if (port < 0 || write(port, order, 5) != 5) return 1;
    if (isEcho) {
        double *times = malloc(count * sizeof *times);
        for (uint32_t i = 0; i < count; i++) {
            unsigned char byte = i;
            double start = seconds();
            if (write(port, &byte, 1) != 1 || read(port, &byte, 1) != 1) return 1;
            times[i] = (seconds() - start) * 1e6;
        }
        qsort(times, count, sizeof *times, compare);
        printf("{\"p50_us\": %.2f, \"p99_us\": %.2f}\n", times[count / 2], times[count * 99 / 100]);
    } else {
        static unsigned char buffer[4096];
        double start = seconds();
        for (uint32_t done = 0; done < count;) {
            ssize_t part = read(port, buffer, sizeof buffer);
            if (part <= 0) return 1;
            done += part;
        }
        printf("{\"mb_per_s\": %.2f}\n", count / (seconds() - start) / 1e6);
    }
    return 0;
}
