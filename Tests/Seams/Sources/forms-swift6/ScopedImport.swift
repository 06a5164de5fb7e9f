// SPDX-License-Identifier: Apache-2.0

// Imports one class for a public declaration. Imports are internal by default.

public import class CoreLocation.CLLocation

/// The distance in whole kilometers.
public func kilometres(from start: CLLocation, to end: CLLocation) -> Int {
    Int(start.distance(from: end) / 1000)
}
