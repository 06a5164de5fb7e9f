// SPDX-License-Identifier: Apache-2.0

// The cost of an update of VQF: vqf_speed RECORDING [ROUNDS]. The recording is one of Simulators/Traces/broad. Prints
// nanoseconds as one JSON object, each the median of the rounds.

#include "vqf.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Sample {
    double gyr[3], acc[3], mag[3];
};

static std::vector<Sample> read(const char *path) {
    std::vector<Sample> samples;
    FILE *file = std::fopen(path, "r");
    if (!file) return samples;
    char line[256];
    while (std::fgets(line, sizeof line, file)) {
        Sample s;
        if (std::sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", s.gyr, s.gyr + 1, s.gyr + 2, s.acc, s.acc + 1,
                        s.acc + 2, s.mag, s.mag + 1, s.mag + 2) != 9) continue;
        for (int i = 0; i < 3; i++) s.gyr[i] *= 1e-4, s.acc[i] *= 1e-3, s.mag[i] *= 0.1;
        samples.push_back(s);
    }
    std::fclose(file);
    return samples;
}

static double sum = 0;

template <bool magnetometer, bool reading> static double round(const std::vector<Sample> &samples) {
    VQF filter(0.0105);
    auto start = std::chrono::steady_clock::now();
    for (const Sample &s : samples) {
        if (magnetometer) {
            filter.update(s.gyr, s.acc, s.mag);
        } else {
            filter.update(s.gyr, s.acc);
        }
        if (reading) {
            double q[4];
            if (magnetometer) {
                filter.getQuat9D(q);
            } else {
                filter.getQuat6D(q);
            }
            sum += q[0];
        }
    }
    auto end = std::chrono::steady_clock::now();
    double q[4];
    filter.getQuat9D(q);
    sum += q[0];
    return std::chrono::duration<double, std::nano>(end - start).count() / samples.size();
}

static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int main(int count, char **arguments) {
    std::vector<Sample> samples = read(count > 1 ? arguments[1] : "");
    int rounds = count > 2 ? std::atoi(arguments[2]) : 40;
    if (samples.empty() || rounds < 1) return 1;
    std::vector<double> six, nine, read6, read9;
    for (int i = 0; i < rounds; i++) {
        nine.push_back(round<true, false>(samples));
        six.push_back(round<false, false>(samples));
        read9.push_back(round<true, true>(samples));
        read6.push_back(round<false, true>(samples));
    }
    std::printf("{\"nine_ns\":%.1f,\"six_ns\":%.1f,\"nine_read_ns\":%.1f,\"six_read_ns\":%.1f,\"sum\":%g}\n",
                median(nine), median(six), median(read9), median(read6), sum);
}
