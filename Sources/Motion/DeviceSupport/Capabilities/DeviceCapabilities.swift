// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// The capabilities of a device. An app can compare them with its requirements, as iOS does before launching an app.
///
/// The requirements have the same form as `UIRequiredDeviceCapabilities` in an Info.plist: either a list of
/// capabilities that must be available, or a dictionary that maps each capability to true (must be available) or false
/// (must not be available). Do not list optional capabilities.
///
/// ```swift
/// let problems = DeviceCapabilities.current.problems(required: ["accelerometer", "gps"])
/// guard problems.isEmpty else {
///     for problem in problems { print(problem) }
///     exit(1)
/// }
/// ```
///
/// The following capabilities are known:
///
/// - `accelerometer`, `gyroscope`, `magnetometer`: The motion source has a sensor of this kind.
/// - `location-services`: The position source (gpsd) responds.
/// - `gps`: The position source reports a receiver or has reported a fix.
///
/// All other capabilities, for example `telephony`, are treated as unavailable. For `gps`, a receiver without a fix is
/// sufficient. If a server provides the motion sensors, the methods may take a few seconds. They wait up to
/// `positionTimeout` for gpsd.
public struct DeviceCapabilities: Sendable {
    let device: Device
    /// The maximum time to wait for a live position source. The default is 2 s and the maximum is 60 s.
    public var positionTimeout = Duration.seconds(2)

    /// The capabilities of the current device: the one set with `SimulatedDevice.use` or, by default, the live device.
    public static var current: DeviceCapabilities { DeviceCapabilities(device: LiveDevice.resolved) }

    /// Returns the unmet requirements in the order of the list.
    public func problems(required names: [String]) -> [Problem] { problems(of: names.map { ($0, true) }) }

    /// Returns the unmet requirements in alphabetical order.
    public func problems(required names: [String: Bool]) -> [Problem] {
        problems(of: names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Returns the unmet requirements from the bundle's Info.plist.
    public func problems(requiredBy bundle: Bundle = .main) -> [Problem] {
        problems(requirement: bundle.object(forInfoDictionaryKey: "UIRequiredDeviceCapabilities"))
    }

    func problems(requirement: Any?) -> [Problem] {
        guard let requirement else { return [] }
        if let names = requirement as? [String] { return problems(required: names) }
        if let names = requirement as? [String: Bool] { return problems(required: names) }
        return [
            Problem(
                capability: "UIRequiredDeviceCapabilities", kind: .unknown,
                reason: "The value is neither an array of names nor a dictionary of names and Booleans.")
        ]
    }

    private func problems(of requirements: [(name: String, isRequired: Bool)]) -> [Problem] {
        var probe = CapabilityProbe(device: device, positionTimeout: positionTimeout)
        return requirements.compactMap { name, isRequired in
            let answer = probe.availability(of: name)
            switch (answer, isRequired) {
            case (.available, true), (.absent, false), (.unknown, false): return nil
            case (.absent(let reason), true): return Problem(capability: name, kind: .missing, reason: reason)
            case (.unknown, true):
                return Problem(
                    capability: name, kind: .unknown,
                    reason: "This library does not know the capability, so it counts as not available.")
            case (.available(let reason), false): return Problem(capability: name, kind: .forbidden, reason: reason)
            }
        }
    }

    /// An unmet requirement.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The reason why a requirement is not met.
        public enum Kind: String, Sendable {
            /// The capability is required but missing.
            case missing
            /// The capability is available but must not be.
            case forbidden
            /// The capability is required but its name is unknown.
            case unknown
        }

        /// The name of the capability, as written in the requirement.
        public var capability: String
        /// The kind of problem.
        public var kind: Kind
        /// An explanation of the problem.
        public var reason: String

        /// The name, kind and reason on one line.
        public var description: String { "\(capability) (\(kind.rawValue)): \(reason)" }
    }
}
