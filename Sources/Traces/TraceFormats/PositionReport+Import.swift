// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension CSVQuantity {
    /// The quantities of a position other than its coordinates.
    static let ofPositions: [CSVQuantity] = [
        .altMSL, .altHAE, .speed, .course, .climb, .horizontalAccuracy, .verticalAccuracy, .speedAccuracy,
        .courseAccuracy,
    ]
}

extension PositionReport {
    /// True if the report contains coordinates in range.
    var hasValidCoordinates: Bool { latitude.magnitude <= 90 && longitude.magnitude <= 180 }

    /// Sets a quantity of a table; NaN if it is absent. Negative speeds, courses and accuracies count as unknown,
    /// because programs write negative numbers for them.
    mutating func set(_ quantity: CSVQuantity, _ value: Double) {
        let known = value >= 0 ? value : .nan
        switch quantity {
        case .altMSL: altitudeMSL = value
        case .altHAE: altitudeHAE = value
        case .speed: speed = known
        case .course: track = known <= 360 ? known : .nan
        case .climb: climb = value
        case .horizontalAccuracy: horizontalError = known
        case .verticalAccuracy: verticalError = known
        case .speedAccuracy: speedError = known
        case .courseAccuracy: trackError = known
        default: break
        }
    }

    /// Sets the geoid separation and the mode from the altitudes.
    mutating func setMode() {
        geoidSeparation = altitudeHAE - altitudeMSL
        mode = altitudeHAE.isNaN && altitudeMSL.isNaN ? .twoDimensional : .threeDimensional
    }

    /// The latitude and longitude in degrees with at most seven decimals, for remarks.
    var coordinates: String {
        let (latitude, longitude) = ((latitude * 1e7).rounded() / 1e7, (longitude * 1e7).rounded() / 1e7)
        return "\(latitude), \(longitude)"
    }
}
