// SPDX-License-Identifier: Apache-2.0

// Imports one class and nothing else of the framework.

import class CoreLocation.CLLocation

func kilometres(from start: CLLocation, to end: CLLocation) -> Int {
    Int(start.distance(from: end) / 1000)
}
