// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import SensorTools

/// The demo's state, as reported by the delegate callbacks and drawn by the panel.
struct DemoState {
    struct TrailPoint {
        var latitude: Double
        var longitude: Double
        var speed: Double
        var isAfterGap: Bool
    }

    struct Fence {
        let region: NamedRegion
        var isInside = false
        var entries = 0
    }

    /// The maximum number of points in the trail.
    private static let limit = 8192

    init(regions: [NamedRegion]) { self.regions = regions.map { Fence(region: $0) } }

    private(set) var regions: [Fence]

    private(set) var location: CLLocation?
    private(set) var trail: [TrailPoint] = []
    /// The altitudes in metres above sea level, with times in seconds since the first position.
    private(set) var altitudes: [(time: Double, altitude: Double)] = []
    /// The distance travelled, in metres, excluding gaps.
    private(set) var distance = 0.0
    func length(_ units: UnitSystem) -> String {
        let unit = units.unit(for: distance)
        return String(format: "%.*f %@", unit.perSI < 1 ? 2 : 0, distance * unit.perSI, unit.name)
    }
    private(set) var locations = 0
    private(set) var losses = 0
    private(set) var failure: String?
    /// The highest speed so far, in metres per second.
    private(set) var fastest = 0.0
    private var first: WallTime?
    /// The decimation factor. The trail includes every `stride`-th position and the first position after each gap.
    private var stride = 1

    mutating func add(_ location: CLLocation) {
        let isAfterGap = failure != nil && locations > 0
        // A stationary device's positions scatter, so they do not count towards the distance.
        if let last = self.location, !isAfterGap, location.speed != 0 { distance += location.distance(from: last) }
        self.location = location
        failure = nil
        locations += 1
        fastest = max(fastest, location.speed)
        if first == nil { first = location.time }
        if isAfterGap || locations % stride == 0 {
            trail.append(
                TrailPoint(
                    latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                    speed: location.speed, isAfterGap: isAfterGap))
            if let altitude = location.altitudeAboveSeaLevel, location.verticalAccuracy >= 0, let first {
                altitudes.append((location.time.seconds(since: first), altitude))
            }
        }
        if trail.count > Self.limit { decimate() }
    }

    mutating func recordFailure(_ reason: String) {
        if failure == nil, locations > 0 { losses += 1 }
        failure = reason
    }

    mutating func recordEntry(_ name: String) {
        for index in regions.indices where regions[index].region.name == name {
            regions[index].isInside = true
            regions[index].entries += 1
        }
    }

    mutating func setInside(_ name: String, _ isInside: Bool) {
        for index in regions.indices where regions[index].region.name == name { regions[index].isInside = isInside }
    }

    /// Removes every other stored position, except those after a gap, and halves the rate at which positions are
    /// stored.
    private mutating func decimate() {
        trail = trail.enumerated().filter { $0.offset % 2 == 0 || $0.element.isAfterGap }.map(\.element)
        altitudes = altitudes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        // If the trail is still too long because the filter keeps the first position after each gap, removes the oldest
        // positions.
        if trail.count > Self.limit { trail.removeFirst(trail.count - Self.limit / 2) }
        stride *= 2
    }
}
