// SPDX-License-Identifier: Apache-2.0

// A loopback server that greets like gpsd and then sends prepared reports, as fast as possible or at a rate.
//
//   gpsd-flood [--port 0] [--mode tpv-short|tpv-full|sky12|sky40|mixed] [--count N] [--rate R] [--clients 1]
//
// Prints "port N" once it listens. Waits for a ?WATCH, responds, sends --count reports, then half-closes and waits for
// the client to close. --rate 0 (default): no pauses. --clients 0: serves one client after the other without end.
//
// Every report has its own time, 1 ms after the previous one (1/R s with a rate), so each is an epoch; in `mixed`, a
// TPV and the following SKY have the same time. A TPV contains its send time: the latitude is 48.1DDDDDDDD, where
// DDDDDDDD is CLOCK_MONOTONIC in units of 10 ns modulo one second. With rate 0, it is the time at which the block of
// reports was composed.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { block_size = 65536, longest_report = 8192 };

typedef struct report {
    char text[longest_report];
    size_t length, time_at, latitude_at;  // offsets; 0: absent
} report;

#define TIME_PLACE "2026-01-01T00:00:00.000Z"
#define LATITUDE_PLACE "48.100000000"

static void finish(report *r) {
    strcat(r->text, "}\r\n");
    r->length = strlen(r->text);
    const char *const time_at = strstr(r->text, TIME_PLACE);
    const char *const latitude_at = strstr(r->text, LATITUDE_PLACE);
    r->time_at = time_at != NULL ? (size_t)(time_at - r->text) : 0;
    r->latitude_at = latitude_at != NULL ? (size_t)(latitude_at - r->text) + 4 : 0;
}

static void make_tpv(report *r, bool full) {
    strcpy(r->text, "{\"class\":\"TPV\",\"device\":\"/dev/ttyACM0\",");
    if (full) {
        strcat(r->text, "\"status\":2,");
    }
    strcat(r->text, "\"mode\":3,\"time\":\"" TIME_PLACE "\",");
    if (full) {
        strcat(r->text, "\"leapseconds\":18,");
    }
    strcat(r->text, "\"ept\":0.005,\"lat\":" LATITUDE_PLACE ",\"lon\":11.576124500,\"altHAE\":565.4370,\"altMSL\":519.2370,"
        "\"alt\":519.2370,\"epx\":2.155,\"epy\":2.708,\"epv\":6.210,\"track\":73.4600,\"magtrack\":69.5210,\"magvar\":3.9,"
        "\"speed\":1.372,\"climb\":-0.031,\"eps\":0.54,\"epc\":12.42,");
    if (full) {
        strcat(r->text, "\"ecefx\":4180312.51,\"ecefy\":856334.09,\"ecefz\":4725101.27,\"ecefvx\":-0.41,\"ecefvy\":1.27,"
            "\"ecefvz\":0.33,\"ecefpAcc\":3.12,\"ecefvAcc\":0.54,");
    }
    strcat(r->text, "\"geoidSep\":46.200,\"eph\":3.461,\"sep\":7.410");
    finish(r);
}

static void make_sky(report *r, int satellites) {
    char one[200];
    snprintf(r->text, sizeof r->text, "{\"class\":\"SKY\",\"device\":\"/dev/ttyACM0\",\"time\":\"" TIME_PLACE "\",\"xdop\":0.58,"
        "\"ydop\":0.73,\"vdop\":1.31,\"tdop\":0.88,\"hdop\":0.94,\"gdop\":1.85,\"pdop\":1.61,\"nSat\":%d,\"uSat\":%d,"
        "\"satellites\":[", satellites, satellites * 2 / 3);
    for (int i = 0; i < satellites; i++) {
        const bool glonass = i % 4 == 3;
        snprintf(one, sizeof one, "%s{\"PRN\":%d,\"el\":%.1f,\"az\":%.1f,\"ss\":%.1f,\"used\":%s,\"gnssid\":%d,\"svid\":%d%s}",
            i > 0 ? "," : "", glonass ? 65 + i % 24 : 1 + i % 32, 5.0 + i * 17 % 80, i * 71 % 360 * 1.0,
            18.0 + i * 7 % 30, i < satellites * 2 / 3 ? "true" : "false", glonass ? 6 : 0,
            glonass ? 1 + i % 24 : 1 + i % 32, i % 10 == 0 ? ",\"health\":1" : "");
        strcat(r->text, one);
    }
    strcat(r->text, "]");
    finish(r);
}

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void digits(char *at, int64_t value, int count) {
    for (int i = count - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
}

// Writes the time that is `milliseconds` after the start of 2026.
static void put_time(char *at, int64_t milliseconds) {
    static int64_t second = -1;
    static char text[24];
    if (milliseconds / 1000 != second) {
        second = milliseconds / 1000;
        const time_t then = (time_t)(1767225600 + second);
        struct tm parts;
        gmtime_r(&then, &parts);
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    }
    memcpy(at, text, 19);
    digits(at + 20, milliseconds % 1000, 3);
}

static bool send_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool greet(int fd) {
    static const char version[] = "{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}\r\n";
    static const char answer[] =
        "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/ttyACM0\",\"driver\":\"u-blox\","
        "\"activated\":\"2026-01-01T00:00:00.000Z\",\"flags\":1,\"native\":1,\"bps\":9600,\"parity\":\"N\",\"stopbits\":1,\"cycle\":1.00}]}\r\n"
        "{\"class\":\"WATCH\",\"enable\":true,\"json\":true,\"nmea\":false,\"raw\":0,\"scaled\":false,\"timing\":false,"
        "\"split24\":false,\"pps\":false}\r\n";
    char request[4096];
    size_t have = 0;
    if (!send_all(fd, version, sizeof version - 1)) {
        return false;
    }
    while (have < sizeof request - 1) {
        const ssize_t got = recv(fd, request + have, sizeof request - 1 - have, 0);
        if (got <= 0) {
            return false;
        }
        have += (size_t)got;
        request[have] = '\0';
        const char *const watch = strstr(request, "?WATCH");
        if (watch != NULL && strpbrk(watch, "};\n") != NULL) {
            return send_all(fd, answer, sizeof answer - 1);
        }
    }
    return false;
}

static long serve(int fd, const report *reports, int kinds, long count, double rate) {
    static char block[block_size + longest_report];
    const int64_t start = monotonic();
    size_t filled = 0;
    int64_t now = start;
    for (long i = 0; i < count; i++) {
        const report *const r = &reports[i % kinds];
        if (rate > 0) {
            const int64_t due = start + (int64_t)((double)i * 1e9 / rate);
            const struct timespec until = { .tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000) };
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {}
        }
        if (rate > 0 || filled == 0) {
            now = monotonic();
        }
        char *const at = block + filled;
        memcpy(at, r->text, r->length);
        const long epoch = i / kinds;
        put_time(at + r->time_at, rate > 0 ? (int64_t)((double)epoch * (double)kinds * 1000 / rate) : epoch);
        if (r->latitude_at > 0) {
            digits(at + r->latitude_at, now % 1000000000 / 10, 8);
        }
        filled += r->length;
        if (rate > 0 || filled >= block_size || i + 1 == count) {
            if (!send_all(fd, block, filled)) {
                return i;
            }
            filled = 0;
        }
    }
    return count;
}

int main(int argc, char **argv) {
    int port = 0, clients = 1;
    long count = 100000;
    double rate = 0;
    const char *mode = "tpv-full";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--port") == 0) {
            port = atoi(argv[i + 1]);
        } else if (strcmp(argv[i], "--mode") == 0) {
            mode = argv[i + 1];
        } else if (strcmp(argv[i], "--count") == 0) {
            count = atol(argv[i + 1]);
        } else if (strcmp(argv[i], "--rate") == 0) {
            rate = atof(argv[i + 1]);
        } else if (strcmp(argv[i], "--clients") == 0) {
            clients = atoi(argv[i + 1]);
        } else {
            fprintf(stderr, "unknown option %s\n", argv[i]);
            return 2;
        }
    }
    static report reports[2];
    int kinds = 1;
    if (strcmp(mode, "tpv-short") == 0) {
        make_tpv(&reports[0], false);
    } else if (strcmp(mode, "tpv-full") == 0) {
        make_tpv(&reports[0], true);
    } else if (strcmp(mode, "sky12") == 0) {
        make_sky(&reports[0], 12);
    } else if (strcmp(mode, "sky40") == 0) {
        make_sky(&reports[0], 40);
    } else if (strcmp(mode, "mixed") == 0) {
        make_tpv(&reports[0], true);
        make_sky(&reports[1], 12);
        kinds = 2;
    } else {
        fprintf(stderr, "unknown mode %s\n", mode);
        return 2;
    }

    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
    };
    socklen_t size = sizeof address;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        perror("gpsd-flood");
        return 1;
    }
    printf("port %d\n", ntohs(address.sin_port));
    fprintf(stderr, "%s: %zu bytes a report\n", mode, kinds == 2 ? (reports[0].length + reports[1].length) / 2 : reports[0].length);
    fflush(stdout);
    for (int served = 0; clients == 0 || served < clients; served++) {
        const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (greet(fd)) {
            const long sent = serve(fd, reports, kinds, count, rate);
            if (sent < count) {
                fprintf(stderr, "client left after about %ld reports\n", sent);
            }
            shutdown(fd, SHUT_WR);
            char rest[256];
            const struct timeval patience = { .tv_sec = 60, .tv_usec = 0 };
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            while (recv(fd, rest, sizeof rest, 0) > 0) {}
        }
        close(fd);
    }
    close(listener);
    return 0;
}
