// SPDX-License-Identifier: Apache-2.0

// The counterpart of magnetic_field.cpp: the cost of computing the magnetic field. Prints nanoseconds as one JSON
// object, and the sum of all declinations.

import Geodesy
import SystemCalls

struct Place {
    let latitude: Double
    let longitude: Double
    let altitude: Double
    let year: Double
}

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

let rounds = 200
// Places all over the earth, the same as in the C++ program.
let places = (0..<1024).map { index -> Place in
    let i = Double(index)
    let (latitude, longitude): (Double, Double) = (fmod(i * 61.8, 180) - 90, fmod(i * 137.5, 360) - 180)
    let (altitude, year): (Double, Double) = (fmod(i * 3.7, 1000), 2025 + fmod(i * 0.0137, 5))
    return Place(latitude: latitude, longitude: longitude, altitude: altitude, year: year)
}

/// Returns the nanoseconds per call and the sum of the results, for one round.
@MainActor func measure(_ body: (Place) -> Double) -> (nanoseconds: Double, sum: Double) {
    let all = places
    var sum = 0.0
    let start = seconds()
    for _ in 0..<rounds {
        for place in all { sum += body(place) }
    }
    return ((seconds() - start) * 1e9 / Double(all.count * rounds), sum / Double(rounds))
}

let model = MagneticModel.wmm2025
let declination = measure { place in
    model.field(
        latitude: place.latitude, longitude: place.longitude, altitude: place.altitude, year: place.year,
        withRates: false
    ).declination
}
let rates = measure { place in
    model.field(
        latitude: place.latitude, longitude: place.longitude, altitude: place.altitude, year: place.year
    ).yRate
}
print(
    "{\"client\":\"Geodesy\",\"declination_ns\":\(declination.nanoseconds),\"rates_ns\":\(rates.nanoseconds),"
        + "\"sum\":\(declination.sum),\"rate_sum\":\(rates.sum)}")
