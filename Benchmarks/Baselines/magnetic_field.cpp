// SPDX-License-Identifier: Apache-2.0

// The cost of the magnetic field with GeographicLib. Prints nanoseconds as one JSON object, and the sum of all
// declinations. The argument is the directory with the files of the model, see magnetic_model.py.

#include <GeographicLib/MagneticModel.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <time.h>
#include <vector>

static const int places = 1024, rounds = 200;

struct Place {
    double latitude, longitude, altitude, year;
};

static double seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Places all over the earth, the same ones as in the Swift program.
static std::vector<Place> make_places() {
    std::vector<Place> found;
    for (int i = 0; i < places; i++) {
        found.push_back({std::fmod(i * 61.8, 180) - 90, std::fmod(i * 137.5, 360) - 180, std::fmod(i * 3.7, 1000),
                         2025 + std::fmod(i * 0.0137, 5)});
    }
    return found;
}

int main(int count, char **arguments) {
    if (count != 2) {
        return 64;
    }
    try {
        const GeographicLib::MagneticModel model("wmm", arguments[1]);
        const std::vector<Place> all = make_places();
        const double degree = 180 / M_PI;
        double east, north, up, east_rate, north_rate, up_rate, sum = 0, rates = 0;
        double start = seconds();
        for (int round = 0; round < rounds; round++) {
            for (const Place &p : all) {
                model(p.year, p.latitude, p.longitude, p.altitude, east, north, up);
                sum += std::atan2(east, north) * degree;
            }
        }
        const double declination = (seconds() - start) * 1e9 / (double(places) * rounds);
        start = seconds();
        for (int round = 0; round < rounds; round++) {
            for (const Place &p : all) {
                model(p.year, p.latitude, p.longitude, p.altitude, east, north, up, east_rate, north_rate, up_rate);
                rates += east_rate;
            }
        }
        const double with_rates = (seconds() - start) * 1e9 / (double(places) * rounds);
        std::printf("{\"client\":\"GeographicLib\",\"declination_ns\":%.17g,\"rates_ns\":%.17g,\"sum\":%.17g,"
                    "\"rate_sum\":%.17g}\n", declination, with_rates, sum / rounds, rates / rounds);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
