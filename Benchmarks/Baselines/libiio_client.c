// SPDX-License-Identifier: Apache-2.0

// The baseline in C: a libiio buffer that is read by pointer with byte swap, shift and scale. Stores the same data as
// our source: an array of three doubles (with the size of four) and an array of time stamps. Prints its results as one
// JSON object.
//
//   libiio_client PORT BUFFER SAMPLES [paced]
//
// CPU is user + system time of the process while it captures. Latency (only with "paced"): see iiod-flood.c.

#define _GNU_SOURCE
#include <endian.h>
#include <iio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct vector {
    double x, y, z, padding;
} vector;

static int64_t now_in(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static long status(const char *format) {
    char line[256];
    long number = 0;
    FILE *const file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, format, &number) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: libiio_client PORT BUFFER SAMPLES [paced]\n");
        return 64;
    }
    char uri[64];
    snprintf(uri, sizeof uri, "ip:127.0.0.1:%s", argv[1]);
    const size_t size = strtoul(argv[2], NULL, 10);
    const long wanted = atol(argv[3]);
    const int paced = argc > 4 && strcmp(argv[4], "paced") == 0;
    struct iio_context *const context = iio_create_context_from_uri(uri);
    struct iio_device *const device = context != NULL ? iio_context_find_device(context, "iio:device0") : NULL;
    struct iio_channel *x = NULL;
    char text[64];
    double scale = 1;
    if (device == NULL) {
        fprintf(stderr, "no device\n");
        return 1;
    }
    for (unsigned i = 0; i < iio_device_get_channels_count(device); i++) {
        iio_channel_enable(iio_device_get_channel(device, i));
    }
    x = iio_device_find_channel(device, "accel_x", false);
    if (x != NULL && iio_channel_attr_read(x, "scale", text, sizeof text) > 0) {
        scale = strtod(text, NULL);
    }
    const struct iio_data_format *const format = iio_channel_get_data_format(x);
    const unsigned shift = format->shift;
    struct iio_buffer *const buffer = iio_device_create_buffer(device, size, false);
    vector *const values = malloc(size * sizeof *values);
    int64_t *const times = malloc(size * sizeof *times);
    double *const latencies = paced ? malloc((size_t)wanted * sizeof *latencies) : NULL;
    if (buffer == NULL || values == NULL || times == NULL || (paced && latencies == NULL)) {
        fprintf(stderr, "no buffer\n");
        return 1;
    }
    long count = 0;
    double sum = 0;
    const int64_t start = now_in(CLOCK_MONOTONIC);
    const double used_before = cpu();
    while (count < wanted) {
        if (iio_buffer_refill(buffer) < 0) {
            break;
        }
        const ptrdiff_t step = iio_buffer_step(buffer);
        const uint8_t *const end = iio_buffer_end(buffer);
        size_t index = 0;
        for (const uint8_t *scan = iio_buffer_first(buffer, x); scan < end; scan += step) {
            int16_t raw[3];
            int64_t time;
            memcpy(raw, scan, sizeof raw);
            memcpy(&time, scan + 8, sizeof time);
            values[index].x = (double)((int16_t)be16toh((uint16_t)raw[0]) >> shift) * scale;
            values[index].y = (double)((int16_t)be16toh((uint16_t)raw[1]) >> shift) * scale;
            values[index].z = (double)((int16_t)be16toh((uint16_t)raw[2]) >> shift) * scale;
            times[index] = (int64_t)le64toh((uint64_t)time);
            index++;
        }
        sum += values[index - 1].z;
        if (paced) {
            const int64_t now = now_in(CLOCK_MONOTONIC);
            const uint8_t *scan = iio_buffer_first(buffer, x);
            for (size_t i = 0; i < index && count + (long)i < wanted; i++, scan += step) {
                uint16_t raw[3];
                memcpy(raw, scan, sizeof raw);
                const uint64_t sent = (uint64_t)be16toh(raw[0]) | (uint64_t)be16toh(raw[1]) << 16
                    | (uint64_t)be16toh(raw[2]) << 32;
                latencies[count + (long)i] = (double)(((uint64_t)now - sent) & 0xFFFFFFFFFFFF) * 1e-3;
            }
        }
        count += (long)index;
    }
    const double used = cpu() - used_before;
    const double wall = (double)(now_in(CLOCK_MONOTONIC) - start) * 1e-9;
    printf("{\"client\":\"C libiio\",\"buffer\":%zu,\"samples\":%ld,\"wall_s\":%.4f,\"cpu_s\":%.4f,"
        "\"cpu_us_per_sample\":%.5f,\"samples_per_s\":%.0f,\"sum\":%.1f,\"max_rss_kb\":%ld,\"switches\":%ld",
        size, count, wall, used, used * 1e6 / (double)count, (double)count / wall, sum, status("VmHWM: %ld"),
        status("voluntary_ctxt_switches: %ld"));
    if (paced) {
        const size_t samples = (size_t)(count < wanted ? count : wanted);
        qsort(latencies, samples, sizeof *latencies, ascending);
        printf(",\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"max\":%.1f}", latencies[samples / 2],
            latencies[samples * 9 / 10], latencies[samples * 99 / 100], latencies[samples - 1]);
    }
    printf("}\n");
    iio_buffer_cancel(buffer);
    iio_buffer_destroy(buffer);
    iio_context_destroy(context);
    return 0;
}
