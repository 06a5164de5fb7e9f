// SPDX-License-Identifier: Apache-2.0

// The cost of decoding in C: libiio's iio_channel_convert for each channel of a scan, and the same with pointers by
// hand. The scans are those of iiod-flood. Prints nanoseconds per scan as one JSON object.

#define _GNU_SOURCE
#include <endian.h>
#include <iio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { scans = 4096, scan_size = 16, rounds = 3000 };

#define AXIS(axis, index)                                                                                              \
    "<channel id=\"accel_" axis "\" type=\"input\"><scan-element index=\"" index "\" format=\"be:S16/16&gt;&gt;0\" /></channel>"

static const char context_xml[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?><context name=\"local\" description=\"x\"><device id=\"iio:device0\" "
    "name=\"mpu6050\">" AXIS("x", "0") AXIS("y", "1") AXIS("z", "2")
    "<channel id=\"timestamp\" type=\"input\"><scan-element index=\"3\" format=\"le:S64/64&gt;&gt;0\" /></channel>"
    "</device></context>";

static uint8_t block[scans * scan_size];
static struct { double x, y, z, padding; } values[scans];
static int64_t times[scans];

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(void) {
    struct iio_context *const context = iio_create_xml_context_mem(context_xml, sizeof context_xml - 1);
    struct iio_device *const device = context != NULL ? iio_context_get_device(context, 0) : NULL;
    if (device == NULL || iio_device_get_channels_count(device) != 4) {
        fprintf(stderr, "no context\n");
        return 1;
    }
    struct iio_channel *channels[4];
    for (unsigned i = 0; i < 4; i++) {
        channels[i] = iio_device_get_channel(device, i);
    }
    uint32_t noise = 1;
    for (size_t i = 0; i < sizeof block; i++) {
        noise = noise * 1664525 + 1013904223;
        block[i] = (uint8_t)(noise >> 24);
    }
    const double scale = 0.00059855;
    double sum = 0, start = seconds();
    for (int round = 0; round < rounds / 10; round++) {
        for (size_t i = 0; i < scans; i++) {
            const uint8_t *const scan = block + i * scan_size;
            int16_t raw[3];
            iio_channel_convert(channels[0], &raw[0], scan);
            iio_channel_convert(channels[1], &raw[1], scan + 2);
            iio_channel_convert(channels[2], &raw[2], scan + 4);
            iio_channel_convert(channels[3], &times[i], scan + 8);
            values[i].x = raw[0] * scale;
            values[i].y = raw[1] * scale;
            values[i].z = raw[2] * scale;
        }
        sum += values[round % scans].z;
    }
    const double convert = (seconds() - start) * 1e9 / ((double)scans * (rounds / 10));
    start = seconds();
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < scans; i++) {
            const uint8_t *const scan = block + i * scan_size;
            uint16_t raw[3];
            uint64_t time;
            memcpy(raw, scan, sizeof raw);
            memcpy(&time, scan + 8, sizeof time);
            values[i].x = (int16_t)be16toh(raw[0]) * scale;
            values[i].y = (int16_t)be16toh(raw[1]) * scale;
            values[i].z = (int16_t)be16toh(raw[2]) * scale;
            times[i] = (int64_t)le64toh(time);
        }
        sum += values[round % scans].z;
        // Prevents the compiler from doing the work once for all rounds.
        __asm__ volatile("" : : "r"(block), "r"(values) : "memory");
    }
    const double walk = (seconds() - start) * 1e9 / ((double)scans * rounds);
    printf("{\"client\":\"C libiio\",\"iio_channel_convert_ns\":%.2f,\"pointer_walk_ns\":%.2f,\"sum\":%.3f}\n", convert,
        walk, sum);
    iio_context_destroy(context);
    return 0;
}
