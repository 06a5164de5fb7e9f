// SPDX-License-Identifier: Apache-2.0

/// The units of speeds, lengths and distances in text and figures. JSON output always uses SI units.
package enum UnitSystem: String, CaseIterable, Sendable {
    case metric, imperial, nautical

    package struct Unit: Sendable {
        package let name: String
        /// The number of units per metre, or per metre per second.
        package let perSI: Double
    }

    package var speed: Unit { all.speed }
    /// The unit of altitudes, accuracies and short distances.
    package var length: Unit { all.length }
    /// The unit of long distances.
    package var distance: Unit { all.distance }

    private var all: (speed: Unit, length: Unit, distance: Unit) {
        let foot = Unit(name: "ft", perSI: 1 / 0.3048)
        return switch self {
        case .metric:
            (Unit(name: "km/h", perSI: 3.6), Unit(name: "m", perSI: 1), Unit(name: "km", perSI: 1 / 1000))
        case .imperial: (Unit(name: "mph", perSI: 1 / 0.44704), foot, Unit(name: "mi", perSI: 1 / 1609.344))
        case .nautical: (Unit(name: "kn", perSI: 3600 / 1852), foot, Unit(name: "NM", perSI: 1 / 1852))
        }
    }

    /// Returns the unit in which a distance in metres is shown: ``distance`` from one such unit on.
    package func unit(for distance: Double) -> Unit { distance * self.distance.perSI >= 1 ? self.distance : length }
}
