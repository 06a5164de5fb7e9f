// SPDX-License-Identifier: Apache-2.0

// One class in a public declaration, with imports internal by default.

public import class CoreLocation.CLLocation

/// The distance in whole kilometres.
public func kilometres(from start: CLLocation, to end: CLLocation) -> Int {
    Int(start.distance(from: end) / 1000)
}
