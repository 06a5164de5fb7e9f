// SPDX-License-Identifier: Apache-2.0

// A loopback server that implements the part of iiod's protocol that a libiio client needs to capture one
// accelerometer, and sends prepared scans: as fast as they are requested, or at a rate.
//
//   iiod-flood [--port 0] [--rate R] [--samples N]
//
// Prints "port N" once it listens. A scan is 3 x be:s16 and a 64-bit time stamp, 16 bytes. --rate 0 (default): no
// pauses. --samples: closes every connection after this number of samples (default 0: never).
//
// With a rate, a sample contains its send time: x, y and z are the low, middle and high 16 bits of CLOCK_MONOTONIC in
// ns.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { scan_size = 16, block_scans = 8192 };

static const char context[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><!DOCTYPE context [<!ELEMENT context (device | context-attribute)*>"
    "<!ELEMENT context-attribute EMPTY><!ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*>"
    "<!ELEMENT channel (scan-element?, attribute*)><!ELEMENT attribute EMPTY><!ELEMENT scan-element EMPTY>"
    "<!ELEMENT debug-attribute EMPTY><!ELEMENT buffer-attribute EMPTY><!ATTLIST context name CDATA #REQUIRED "
    "version-major CDATA #REQUIRED version-minor CDATA #REQUIRED version-git CDATA #REQUIRED description CDATA #IMPLIED>"
    "<!ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED><!ATTLIST device id CDATA #REQUIRED "
    "name CDATA #IMPLIED label CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED "
    "name CDATA #IMPLIED><!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED>"
    "<!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED><!ATTLIST debug-attribute name CDATA #REQUIRED>"
    "<!ATTLIST buffer-attribute name CDATA #REQUIRED>]><context name=\"local\" version-major=\"0\" version-minor=\"24\" "
    "version-git=\"v0.24\" description=\"Linux flood\"><context-attribute name=\"local,kernel\" value=\"6.1\" />"
    "<device id=\"iio:device0\" name=\"mpu6050\">"
#define AXIS(axis, index)                                                                                              \
    "<channel id=\"accel_" axis "\" type=\"input\"><scan-element index=\"" index "\" format=\"be:S16/16&gt;&gt;0\" />" \
    "<attribute name=\"raw\" filename=\"in_accel_" axis "_raw\" />"                                                    \
    "<attribute name=\"scale\" filename=\"in_accel_scale\" /></channel>"
    AXIS("x", "0") AXIS("y", "1") AXIS("z", "2")
    "<channel id=\"timestamp\" type=\"input\"><scan-element index=\"3\" format=\"le:S64/64&gt;&gt;0\" /></channel>"
    "<attribute name=\"current_timestamp_clock\" /><attribute name=\"sampling_frequency\" />"
    "<attribute name=\"sampling_frequency_available\" /></device></context>";

typedef struct connection {
    int socket;
    char text[65536];
    size_t start, end;
    size_t chunk;  // samples of an OPEN; 0: closed
    int64_t due, sent;
} connection;

static double rate;
static long sample_limit;
static uint8_t block[block_scans * scan_size];
static char frequency[64] = "1000";

static int64_t now_in(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int send_all(int socket, struct iovec *parts, int count) {
    while (count > 0) {
        const struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)count };
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return -1;
        }
        while (count > 0 && (size_t)sent >= parts->iov_len) {
            sent -= (ssize_t)parts->iov_len;
            parts++;
            count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + sent;
            parts->iov_len -= (size_t)sent;
        }
    }
    return 0;
}

static int send_text(int socket, const char *text, size_t length) {
    struct iovec part = { (void *)text, length };
    return send_all(socket, &part, 1);
}

static int answer(int socket, long code) {
    char text[32];
    return send_text(socket, text, (size_t)snprintf(text, sizeof text, "%ld\n", code));
}

// A value includes its terminating NUL.
static int value(int socket, const char *text) {
    char line[256];
    int length = snprintf(line, sizeof line, "%zu\n%s", strlen(text) + 1, text) + 1;
    line[length++] = '\n';
    return send_text(socket, line, (size_t)length);
}

static char *line(connection *c) {
    for (;;) {
        char *const found = memchr(c->text + c->start, '\n', c->end - c->start);
        if (found != NULL) {
            char *const text = c->text + c->start;
            c->start = (size_t)(found - c->text) + 1;
            *found = 0;
            if (found > text && found[-1] == '\r') {
                found[-1] = 0;
            }
            return text;
        }
        memmove(c->text, c->text + c->start, c->end - c->start);
        c->end -= c->start;
        c->start = 0;
        if (c->end == sizeof c->text) {
            return NULL;
        }
        const ssize_t count = recv(c->socket, c->text + c->end, sizeof c->text - c->end, 0);
        if (count <= 0) {
            return NULL;
        }
        c->end += (size_t)count;
    }
}

// The data of a WRITE, of which only the rate is used.
static int skip(connection *c, size_t count, char *kept, size_t room) {
    size_t done = 0;
    while (done < count) {
        if (c->start == c->end) {
            const ssize_t more = recv(c->socket, c->text, sizeof c->text, 0);
            if (more <= 0) {
                return -1;
            }
            c->start = 0;
            c->end = (size_t)more;
        }
        const char byte = c->text[c->start++];
        if (done + 1 < room) {
            kept[done] = byte;
        }
        done++;
    }
    kept[done < room ? done : room - 1] = 0;
    return 0;
}

static int read_attribute(int socket, const char *request) {
    const char *const name = strrchr(request, ' ') + 1;
    if (strcmp(name, "scale") == 0) {
        return value(socket, "0.000598550");
    }
    if (strcmp(name, "raw") == 0) {
        return value(socket, "100");
    }
    if (strcmp(name, "sampling_frequency") == 0) {
        return value(socket, frequency);
    }
    if (strcmp(name, "sampling_frequency_available") == 0) {
        // With a fixed rate, it is the only available one.
        return value(socket, rate == 0 ? "10 50 100 1000" : frequency);
    }
    if (strcmp(name, "current_timestamp_clock") == 0) {
        return value(socket, "boottime");
    }
    return answer(socket, -ENOENT);
}

static int read_buffer(connection *c, size_t bytes) {
    size_t left = bytes / scan_size;
    int is_first = 1;
    if (c->chunk == 0) {
        return answer(c->socket, -EBADF);
    }
    if (left == 0) {
        return answer(c->socket, 0);
    }
    while (left > 0) {
        size_t count = left < c->chunk ? left : c->chunk;
        if (count > block_scans) {
            count = block_scans;
        }
        uint8_t paced[scan_size * block_scans];
        const uint8_t *scans = block;
        if (rate > 0) {
            for (size_t i = 0; i < count; i++) {
                const int64_t step = (int64_t)(1e9 / rate);
                const int64_t now = now_in(CLOCK_MONOTONIC);
                // A client that was disconnected does not receive old samples.
                c->due = c->due + step < now - 100 * step ? now : c->due + step;
                const struct timespec due = { c->due / 1000000000, c->due % 1000000000 };
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
                const int64_t sent = now_in(CLOCK_MONOTONIC);
                uint8_t *const scan = paced + i * scan_size;
                for (int axis = 0; axis < 3; axis++) {
                    const uint16_t part = htobe16((uint16_t)(sent >> (16 * axis)));
                    memcpy(scan + 2 * axis, &part, 2);
                }
                memset(scan + 6, 0, 2);
                const int64_t stamp = now_in(CLOCK_BOOTTIME);
                memcpy(scan + 8, &stamp, 8);
            }
            scans = paced;
        }
        char head[64];
        const int length = snprintf(head, sizeof head, is_first ? "%zu\n0000000f\n" : "%zu\n", count * scan_size);
        struct iovec parts[2] = { { head, (size_t)length }, { (void *)scans, count * scan_size } };
        if (send_all(c->socket, parts, 2) != 0) {
            return -1;
        }
        is_first = 0;
        left -= count;
        c->sent += (int64_t)count;
        if (sample_limit > 0 && c->sent >= sample_limit) {
            exit(0);
        }
    }
    return 0;
}

static void *serve(void *argument) {
    connection *const c = argument;
    char *text, kept[64];
    int state = 0;
    while (state == 0 && (text = line(c)) != NULL) {
        size_t number = 0;
        if (*text == 0) {
            continue;
        } else if (strcasecmp(text, "EXIT") == 0) {
            break;
        } else if (strcasecmp(text, "VERSION") == 0) {
            state = send_text(c->socket, "0.24.v0.24  \n", 13);
        } else if (strcasecmp(text, "PRINT") == 0) {
            char length[32];
            struct iovec parts[3] = { { length, (size_t)snprintf(length, sizeof length, "%zu\n", sizeof context - 1) },
                { (void *)context, sizeof context - 1 }, { "\n", 1 } };
            state = send_all(c->socket, parts, 3);
        } else if (strncasecmp(text, "TIMEOUT ", 8) == 0 || strncasecmp(text, "SET ", 4) == 0
            || strncasecmp(text, "SETTRIG ", 8) == 0) {
            state = answer(c->socket, 0);
        } else if (strncasecmp(text, "GETTRIG ", 8) == 0) {
            state = answer(c->socket, -ENOENT);
        } else if (strncasecmp(text, "READ ", 5) == 0) {
            state = read_attribute(c->socket, text);
        } else if (strncasecmp(text, "WRITE ", 6) == 0) {
            number = strtoul(strrchr(text, ' ') + 1, NULL, 10);
            // With a fixed rate, writes of the rate have no effect.
            const int is_rate = rate == 0 && strstr(text, "sampling_frequency") != NULL;
            state = skip(c, number, kept, sizeof kept);
            if (is_rate) {
                strcpy(frequency, kept);
            }
            state = state == 0 ? answer(c->socket, (long)number) : state;
        } else if (sscanf(text, "OPEN %*s %zu", &number) == 1) {
            c->chunk = number;
            c->due = now_in(CLOCK_MONOTONIC);
            state = answer(c->socket, number > 0 ? 0 : -EINVAL);
        } else if (sscanf(text, "READBUF %*s %zu", &number) == 1) {
            state = read_buffer(c, number);
        } else if (strncasecmp(text, "CLOSE ", 6) == 0) {
            state = answer(c->socket, c->chunk > 0 ? 0 : -ENXIO);
            c->chunk = 0;
        } else {
            state = answer(c->socket, -EINVAL);
        }
    }
    close(c->socket);
    free(c);
    return NULL;
}

int main(int argc, char **argv) {
    uint16_t port = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--port") == 0) {
            port = (uint16_t)atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--rate") == 0) {
            rate = atof(argv[i + 1]);
            if (rate > 0) {
                snprintf(frequency, sizeof frequency, "%g", rate);
            }
        } else if (strcmp(argv[i], "--samples") == 0) {
            sample_limit = atol(argv[i + 1]);
        }
    }
    // At rest face up, with noise. Time stamps are 1 ms apart, because their values are irrelevant here.
    uint32_t noise = 1;
    for (size_t i = 0; i < block_scans; i++) {
        const int16_t centre[3] = { 0, 0, 16384 };
        for (int axis = 0; axis < 3; axis++) {
            noise = noise * 1664525 + 1013904223;
            const uint16_t sample = htobe16((uint16_t)(centre[axis] + (int16_t)(noise >> 28)));
            memcpy(block + i * scan_size + 2 * (size_t)axis, &sample, 2);
        }
        const int64_t stamp = 1000000000 + (int64_t)i * 1000000;
        memcpy(block + i * scan_size + 8, &stamp, 8);
    }
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0
        || getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        perror("listen");
        return 1;
    }
    printf("port %u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        connection *const c = calloc(1, sizeof *c);
        pthread_t thread;
        if (c == NULL || (c->socket = accept(listener, NULL, NULL)) < 0) {
            free(c);
            continue;
        }
        setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (pthread_create(&thread, NULL, serve, c) != 0) {
            close(c->socket);
            free(c);
            continue;
        }
        pthread_detach(thread);
    }
}
