// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A circle that somebody wants to hear of.
package struct Fence: Codable, Equatable, Sendable {
    package var name: String
    /// Degrees.
    package var latitude: Double
    package var longitude: Double
    /// Metres.
    package var radius: Double

    /// A circle.
    package init(name: String, latitude: Double, longitude: Double, radius: Double) {
        (self.name, self.latitude, self.longitude, self.radius) = (name, latitude, longitude, radius)
    }
}

/// Something to tell of a fence.
package struct Notice: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Crossed: the alarm.
        case entered, left
        /// Where the board was when the fence was new.
        case isInside, isOutside
        /// Nobody watches it, and why.
        case unwatched(String)
    }

    package var fence: String
    package var kind: Kind
    /// When the board was first seen on that side.
    package var date: Date
}

/// Two fences have one name: a monitor would watch one of them only.
package struct SameName: Error, CustomStringConvertible {
    let name: String

    package var description: String { "Two fences have the name \"\(name)\". Give each a name of its own." }
}

/// Watches fences with a monitor, which remembers from run to run where the board was.
package struct GeofenceAlarm: Sendable {
    private let fences: [Fence]

    /// An alarm for those fences, of which a monitor takes twenty. Throws when two of them have one name.
    package init(_ fences: [Fence]) throws {
        var names: Set<String> = []
        for fence in fences where !names.insert(fence.name).inserted { throw SameName(name: fence.name) }
        self.fences = fences
    }

    /// Tells until the task is cancelled. What happened between two runs is told at the beginning of the second.
    package func run(_ tell: (Notice) -> Void) async throws {
        let monitor = await CLMonitor("geofence-alarm")
        var inside: [String: Bool] = [:]
        for name in await monitor.identifiers where !fences.contains(where: { $0.name == name }) {
            await monitor.remove(name)
        }
        for fence in fences {
            // A fence that has not changed goes on. Adding it again would forget which side the board was on.
            if let record = await monitor.record(for: fence.name), fence.isWatched(by: record.condition) {
                inside[fence.name] = record.lastEvent.state.isInside
            } else {
                await monitor.add(fence.condition, identifier: fence.name)
            }
        }
        for try await event in await monitor.events {
            guard let isInside = event.state.isInside else {
                if event.state == .unmonitored {
                    tell(Notice(fence: event.identifier, kind: .unwatched(event.reason), date: event.date))
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
            if let kind { tell(Notice(fence: event.identifier, kind: kind, date: event.date)) }
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
    /// Nil when that is not known.
    var isInside: Bool? {
        switch self {
        case .satisfied: true
        case .unsatisfied: false
        default: nil
        }
    }
}

extension CLMonitor.Event {
    /// Why nobody watches.
    var reason: String {
        if authorizationDenied || authorizationRestricted { return "this program may not know the position" }
        if accuracyLimited { return "only rough positions are allowed" }
        if conditionLimitExceeded { return "there are more fences than a monitor takes" }
        if conditionUnsupported { return "this is no circle on the earth" }
        return "it is not known why"
    }
}
