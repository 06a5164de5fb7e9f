// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// Something that is the case or not, and that a ``CLMonitor`` watches: one of the two conditions of the monitor.
///
/// A condition of a program's own is answered with an event whose `conditionUnsupported` is true.
public protocol CLCondition: Codable, Sendable {}

extension CLMonitor {
    /// The device is in a circle on the Earth.
    public struct CircularGeographicCondition: CLCondition {
        /// The centre in degrees on WGS 84.
        public let center: CLLocationCoordinate2D
        /// The radius in metres. Above 0 and at most 2,128,000, or the condition is not monitored.
        public let radius: CLLocationDistance

        /// A condition of those values, which are kept as they are given.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }

        private enum CodingKeys: String, CodingKey {
            case latitude, longitude, radius
        }

        /// Restores a condition.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            center = CLLocationCoordinate2D(
                latitude: try values.decode(Double.self, forKey: .latitude),
                longitude: try values.decode(Double.self, forKey: .longitude))
            radius = try values.decode(Double.self, forKey: .radius)
        }

        /// Writes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(center.latitude, forKey: .latitude)
            try values.encode(center.longitude, forKey: .longitude)
            try values.encode(radius, forKey: .radius)
        }
    }

    /// One of certain beacons is heard.
    public struct BeaconIdentityCondition: CLCondition, Hashable {
        /// Whose beacons they are.
        public let uuid: UUID
        /// Their group; nil for any.
        public let major: CLBeaconMajorValue?
        /// Which one of the group; nil for any.
        public let minor: CLBeaconMinorValue?

        /// Any beacon of a UUID.
        public init(uuid: UUID) {
            self.init(uuid, nil, nil)
        }

        /// The beacons of a group.
        public init(uuid: UUID, major: CLBeaconMajorValue) {
            self.init(uuid, major, nil)
        }

        /// One beacon.
        public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            self.init(uuid, major, minor)
        }

        private init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }
    }
}

extension CLMonitor.BeaconIdentityCondition {
    init(_ pattern: BeaconPattern) {
        self.init(pattern.uuid.foundation, pattern.major, pattern.minor)
    }

    init(_ identity: BeaconIdentity) {
        self.init(identity.uuid.foundation, identity.major, identity.minor)
    }
}

extension RegionShape {
    /// The shape of a condition; nil for one that nobody here knows.
    init?(_ condition: any CLCondition) {
        switch condition {
        case let condition as CLMonitor.CircularGeographicCondition:
            self = .circle(.init(center: condition.center, radius: condition.radius))
        case let condition as CLMonitor.BeaconIdentityCondition:
            self = .beacons(
                BeaconPattern(uuid: BeaconUUID(condition.uuid), major: condition.major, minor: condition.minor))
        default: return nil
        }
    }

    /// The condition of that shape.
    var condition: any CLCondition {
        switch self {
        case .circle(let circle): CLMonitor.CircularGeographicCondition(center: circle.center, radius: circle.radius)
        case .beacons(let pattern): CLMonitor.BeaconIdentityCondition(pattern)
        }
    }
}
