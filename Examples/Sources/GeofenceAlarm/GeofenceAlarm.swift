// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A circle to monitor.
package struct Fence: Codable, Equatable, Sendable {
    package var name: String
    /// The coordinates of the centre, in degrees.
    package var latitude: Double
    package var longitude: Double
    /// The radius in metres.
    package var radius: Double

    /// Creates a circle.
    package init(name: String, latitude: Double, longitude: Double, radius: Double) {
        (self.name, self.latitude, self.longitude, self.radius) = (name, latitude, longitude, radius)
    }
}

/// A message about a fence.
package struct Notice: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The board crossed the fence, which is the alarm.
        case entered, left
        /// The position of the board relative to a new fence.
        case isInside, isOutside
        /// The fence is not monitored, for the given reason.
        case unwatched(String)
    }

    package var fence: String
    package var kind: Kind
    /// The time at which the board was first detected on this side of the fence.
    package var date: Date
}

/// The error if two fences have the same name. A monitor would watch only one of them.
package struct SameName: Error, CustomStringConvertible {
    let name: String

    package var description: String { "Two fences have the name \"\(name)\". Give each a name of its own." }
}

/// Watches fences with a monitor, which remembers between runs whether the board is inside.
package struct GeofenceAlarm: Sendable {
    private let fences: [Fence]

    /// Creates an alarm for the fences. A monitor watches at most twenty. Throws if two fences have the same name.
    package init(_ fences: [Fence]) throws {
        var names: Set<String> = []
        for fence in fences where !names.insert(fence.name).inserted { throw SameName(name: fence.name) }
        self.fences = fences
    }

    /// Reports notices until the task is cancelled. Crossings between two runs are reported at the start of the second
    /// run.
    package func run(_ report: (Notice) -> Void) async throws {
        let monitor = await CLMonitor("geofence-alarm")
        var inside: [String: Bool] = [:]
        for name in await monitor.identifiers where !fences.contains(where: { $0.name == name }) {
            await monitor.remove(name)
        }
        for fence in fences {
            // An unchanged fence is not added again, because the monitor would then forget whether the board is inside.
            if let record = await monitor.record(for: fence.name), fence.isWatched(by: record.condition) {
                inside[fence.name] = record.lastEvent.state.isInside
            } else {
                await monitor.add(fence.condition, identifier: fence.name)
            }
        }
        for try await event in await monitor.events {
            guard let isInside = event.state.isInside else {
                if event.state == .unmonitored {
                    report(Notice(fence: event.identifier, kind: .unwatched(event.reason), date: event.date))
                }
                continue
            }
            let kind: Notice.Kind? =
                switch (inside[event.identifier], isInside) {
                case (nil, true): .isInside
                case (nil, false): .isOutside
                case (false, true): .entered
                case (true, false): .left
                default: nil
                }
            inside[event.identifier] = isInside
            if let kind { report(Notice(fence: event.identifier, kind: kind, date: event.date)) }
        }
    }
}

extension Fence {
    var condition: CLMonitor.CircularGeographicCondition {
        .init(center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius)
    }

    func isWatched(by condition: any CLCondition) -> Bool {
        guard let circle = condition as? CLMonitor.CircularGeographicCondition else { return false }
        return circle.center.latitude == latitude && circle.center.longitude == longitude && circle.radius == radius
    }
}

extension CLMonitor.Event.State {
    /// True if the board is inside, false if it is outside, and nil if this is not known.
    var isInside: Bool? {
        switch self {
        case .satisfied: true
        case .unsatisfied: false
        default: nil
        }
    }
}

extension CLMonitor.Event {
    /// The reason why the fence is not monitored.
    var reason: String {
        if authorizationDenied || authorizationRestricted { return "this program is not permitted to use the position" }
        if accuracyLimited { return "only approximate positions are permitted" }
        if conditionLimitExceeded { return "the monitor's maximum number of conditions is exceeded" }
        if conditionUnsupported { return "the circle is invalid" }
        return "the reason is unknown"
    }
}
