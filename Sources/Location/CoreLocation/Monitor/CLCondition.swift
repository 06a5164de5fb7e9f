// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A condition for a ``CLMonitor``. The monitor supports only the two condition types that ``CLMonitor`` declares. Any
/// other type produces an event whose `conditionUnsupported` is true.
public protocol CLCondition: Codable, Sendable {}

extension CLMonitor {
    /// A condition that is satisfied while the device is inside a circle on the Earth's surface.
    public struct CircularGeographicCondition: CLCondition {
        /// The centre, in degrees on WGS 84.
        public let center: CLLocationCoordinate2D
        /// The radius in metres. The condition is monitored only if its radius is greater than 0 and at most 2,128,000.
        public let radius: CLLocationDistance

        /// Creates a condition without validating its values.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }

        /// Apps may store encoded conditions, so the keys must not change. The same applies to the property names of
        /// `BeaconIdentityCondition`, which determine its keys.
        private enum CodingKeys: String, CodingKey {
            case latitude, longitude, radius
        }

        /// Decodes a condition.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            center = CLLocationCoordinate2D(
                latitude: try values.decode(Double.self, forKey: .latitude),
                longitude: try values.decode(Double.self, forKey: .longitude))
            radius = try values.decode(Double.self, forKey: .radius)
        }

        /// Encodes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(center.latitude, forKey: .latitude)
            try values.encode(center.longitude, forKey: .longitude)
            try values.encode(radius, forKey: .radius)
        }
    }

    /// A condition that is satisfied while the device is receiving a matching beacon.
    public struct BeaconIdentityCondition: CLCondition, Hashable {
        /// The UUID of the beacons.
        public let uuid: UUID
        /// The major value of the beacons. If nil, any value matches.
        public let major: CLBeaconMajorValue?
        /// The minor value of the beacons. If nil, any value matches.
        public let minor: CLBeaconMinorValue?

        /// Creates a condition that is satisfied by any beacon with the given UUID.
        public init(uuid: UUID) { self.init(uuid, nil, nil) }

        /// Creates a condition that is satisfied by any beacon with the given UUID and major value.
        public init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major, nil) }

        /// Creates a condition that is satisfied by one specific beacon.
        public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            self.init(uuid, major, minor)
        }

        private init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }
    }
}

extension CLMonitor.BeaconIdentityCondition {
    init(_ pattern: BeaconPattern) { self.init(pattern.uuid.foundationUUID, pattern.major, pattern.minor) }

    init(_ identity: BeaconIdentity) { self.init(identity.uuid.foundationUUID, identity.major, identity.minor) }
}

extension RegionShape {
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

    var condition: any CLCondition {
        switch self {
        case .circle(let circle): CLMonitor.CircularGeographicCondition(center: circle.center, radius: circle.radius)
        case .beacons(let pattern): CLMonitor.BeaconIdentityCondition(pattern)
        }
    }
}
