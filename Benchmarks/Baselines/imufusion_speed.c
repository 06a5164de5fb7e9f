// SPDX-License-Identifier: Apache-2.0

// The cost of an update of x-io Fusion, with its bias estimation and its rejections: imufusion_speed RECORDING
// [ROUNDS]. Prints nanoseconds as one JSON object, each the median of the rounds.

#include "Fusion.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    FusionVector gyr, acc, mag;
} Sample;

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static float sum = 0;

static double go(const Sample *samples, int count, bool magnetometer, bool reading) {
    FusionAhrs ahrs;
    FusionAhrsInitialise(&ahrs);
    FusionAhrsSettings settings = fusionAhrsDefaultSettings;
    settings.sampleRate = 1 / 0.0105f;
    settings.gyroscopeRange = 2000;
    settings.accelerationRejection = 10;
    settings.magneticRejection = 10;
    FusionAhrsSetSettings(&ahrs, &settings);
    FusionBias bias;
    FusionBiasInitialise(&bias);
    FusionBiasSettings biasSettings = fusionBiasDefaultSettings;
    biasSettings.sampleRate = 1 / 0.0105f;
    FusionBiasSetSettings(&bias, &biasSettings);
    double start = nanoseconds();
    for (int i = 0; i < count; i++) {
        FusionVector rate = FusionBiasUpdate(&bias, samples[i].gyr);
        if (magnetometer) {
            FusionAhrsUpdate(&ahrs, rate, samples[i].acc, samples[i].mag);
        } else {
            FusionAhrsUpdateNoMagnetometer(&ahrs, rate, samples[i].acc);
        }
        if (reading) sum += FusionAhrsGetQuaternion(&ahrs).element.w;
    }
    double end = nanoseconds();
    sum += FusionAhrsGetQuaternion(&ahrs).element.w;
    return (end - start) / count;
}

int main(int count, char **arguments) {
    FILE *file = fopen(count > 1 ? arguments[1] : "", "r");
    int rounds = count > 2 ? atoi(arguments[2]) : 40;
    Sample *samples = calloc(100000, sizeof *samples);
    double *times[4];
    int read = 0;
    char line[256];
    if (!file || rounds < 1 || !samples) return 1;
    while (read < 100000 && fgets(line, sizeof line, file)) {
        float v[9];
        if (sscanf(line, "%f,%f,%f,%f,%f,%f,%f,%f,%f", v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8) != 9)
            continue;
        for (int i = 0; i < 3; i++) { // degrees per second, g, any unit
            samples[read].gyr.array[i] = v[i] * 1e-4f * 57.29578f;
            samples[read].acc.array[i] = v[3 + i] * 1e-3f / 9.80665f;
            samples[read].mag.array[i] = v[6 + i] * 0.1f;
        }
        read++;
    }
    fclose(file);
    for (int i = 0; i < 4; i++)
        if (!(times[i] = calloc(rounds, sizeof(double)))) return 1;
    for (int i = 0; i < rounds; i++)
        for (int kind = 0; kind < 4; kind++) times[kind][i] = go(samples, read, kind % 2 == 0, kind >= 2);
    for (int i = 0; i < 4; i++) qsort(times[i], rounds, sizeof(double), order);
    printf("{\"nine_ns\":%.1f,\"six_ns\":%.1f,\"nine_read_ns\":%.1f,\"six_read_ns\":%.1f,\"sum\":%g}\n",
           times[0][rounds / 2], times[1][rounds / 2], times[2][rounds / 2], times[3][rounds / 2], sum);
    return 0;
}
