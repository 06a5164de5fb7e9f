// SPDX-License-Identifier: Apache-2.0

// The baseline in C: gps_open, gps_stream, epoll, gps_read until no data is left. Prints its results as one JSON
// object.
//
//   libgps_client PORT [paced]
//
// CPU is user + system time from the first report on. Latency (only with "paced"): see gpsd-flood.c.

#define _GNU_SOURCE
#include <errno.h>
#include <gps.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { most_latencies = 1000000 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// In KiB. ru_maxrss could be that of the parent process, if larger.
static long peak_memory(void) {
    char line[256];
    long peak = 0;
    FILE *const status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return peak;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static struct gps_data_t data;
    const int paced = argc > 2 && strcmp(argv[2], "paced") == 0;
    if (argc < 2 || gps_open("127.0.0.1", argv[1], &data) != 0) {
        fprintf(stderr, "cannot connect\n");
        return 1;
    }
    double *const latencies = paced ? malloc(most_latencies * sizeof *latencies) : NULL;
    const int waiter = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN };
    if ((paced && latencies == NULL) || waiter < 0
        || epoll_ctl(waiter, EPOLL_CTL_ADD, (int)data.gps_fd, &event) != 0
        || gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL) != 0) {
        fprintf(stderr, "cannot watch\n");
        return 1;
    }
    long tpv = 0, sky = 0;
    size_t samples = 0;
    double wall = 0, used = 0;
    volatile double sum = 0;
    for (int open = 1; open;) {
        if (epoll_wait(waiter, &event, 1, -1) < 0 && errno != EINTR) {
            break;
        }
        for (;;) {
            data.set = 0;
            const int length = gps_read(&data, NULL, 0);
            if (length <= 0) {
                open = length == 0;
                break;
            }
            const int is_sky = (data.set & SATELLITE_SET) != 0;
            const int is_tpv = !is_sky && (data.set & MODE_SET) != 0;
            if (!is_sky && !is_tpv) {
                continue;
            }
            if (tpv + sky == 0) {
                wall = seconds();
                used = cpu();
            }
            if (is_sky) {
                sky++;
                sum += data.skyview[0].ss;
                continue;
            }
            tpv++;
            sum += data.fix.latitude + data.fix.longitude;
            if (paced && samples < most_latencies) {
                struct timespec now;
                clock_gettime(CLOCK_MONOTONIC, &now);
                const int64_t sent = llround((data.fix.latitude - 48.1) * 1e9) * 10;
                latencies[samples++] = (double)((now.tv_nsec - sent + 1000000000) % 1000000000) * 1e-3;
            }
        }
    }
    wall = seconds() - wall;
    used = cpu() - used;
    const long reports = tpv + sky;
    printf("{\"client\":\"libgps %d.%d\",\"reports\":%ld,\"tpv\":%ld,\"sky\":%ld,\"wall_s\":%.4f,\"cpu_s\":%.4f,"
        "\"cpu_us_per_report\":%.3f,\"reports_per_s\":%.0f,\"max_rss_kb\":%ld", GPSD_API_MAJOR_VERSION, GPSD_API_MINOR_VERSION,
        reports, tpv, sky, wall, used, reports > 0 ? used * 1e6 / (double)reports : 0,
        reports > 0 ? (double)reports / wall : 0, peak_memory());
    if (samples > 0) {
        qsort(latencies, samples, sizeof *latencies, ascending);
        printf(",\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"max\":%.1f}", latencies[samples / 2],
            latencies[samples * 9 / 10], latencies[samples * 99 / 100], latencies[samples - 1]);
    }
    printf("}\n");
    gps_close(&data);
    free(latencies);
    return 0;
}
