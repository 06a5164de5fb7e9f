// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// Whether the device has what a program requires of it: the check that iOS makes before it starts a program.
///
/// Requirements are written as in the `UIRequiredDeviceCapabilities` of an Info.plist: a list of names, each of which
/// has to be there, or names with true (has to be there) and false (must not be). What a program can do without is not
/// listed.
///
/// ```swift
/// let problems = DeviceCapabilities.current.problems(required: ["accelerometer", "gps"])
/// guard problems.isEmpty else {
///     for problem in problems { print(problem) }
///     exit(1)
/// }
/// ```
///
/// | Name | What is asked |
/// | --- | --- |
/// | `accelerometer`, `gyroscope`, `magnetometer` | Is a sensor of that kind among those of the motion source? |
/// | `location-services` | Does the position source (gpsd) answer? |
/// | `gps` | Does it name a receiver, or has there been a fix? |
///
/// Any other name (telephony, camera-flash, ...) is unknown here and counts as not available. The list of motion
/// sensors may take a few seconds when a server has to be asked for it. If nobody has asked gpsd before, the call asks
/// it on a live device, and blocks for at most `positionTimeout` seconds. A receiver that is there may still have no
/// fix; only the accuracy of locations tells.
public struct DeviceCapabilities: Sendable {
    let device: Device

    /// How long a live position source is waited for, in seconds. Default: 2.
    public var positionTimeout: TimeInterval = 2

    /// Those of the device in force: that of `SimulatedDevice.use`, else the live one.
    public static var current: DeviceCapabilities { DeviceCapabilities(device: LiveDevice.resolved) }

    /// What is not as required, in the order of the list; empty when all is well.
    public func problems(required names: [String]) -> [Problem] { problems(of: names.map { ($0, true) }) }

    /// What is not as required, in the order of the names; empty when all is well.
    public func problems(required names: [String: Bool]) -> [Problem] {
        problems(of: names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// What is not as the Info.plist of a bundle requires; empty when all is well, and when it requires nothing.
    public func problems(requiredBy bundle: Bundle = .main) -> [Problem] {
        problems(requirement: bundle.object(forInfoDictionaryKey: "UIRequiredDeviceCapabilities"))
    }

    /// Takes either form as a property list has it.
    func problems(requirement: Any?) -> [Problem] {
        guard let requirement else { return [] }
        if let names = requirement as? [String] { return problems(required: names) }
        if let names = requirement as? [String: Bool] { return problems(required: names) }
        return [
            Problem(
                capability: "UIRequiredDeviceCapabilities", kind: .unknown,
                reason: "It is neither a list of names nor names with true or false.")
        ]
    }

    private func problems(of requirements: [(name: String, isRequired: Bool)]) -> [Problem] {
        var probe = CapabilityProbe(device: device, positionTimeout: positionTimeout)
        return requirements.compactMap { name, isRequired in
            let answer = probe.answer(for: name)
            switch (answer, isRequired) {
            case (.available, true), (.absent, false), (.unknown, false): return nil
            case (.absent(let reason), true): return Problem(capability: name, kind: .missing, reason: reason)
            case (.unknown, true):
                return Problem(
                    capability: name, kind: .unknown,
                    reason: "This library knows no such capability, so it counts as not available.")
            case (.available(let reason), false): return Problem(capability: name, kind: .forbidden, reason: reason)
            }
        }
    }
}

extension DeviceCapabilities {
    /// A capability that is not as a program requires.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// What is wrong with it.
        public enum Kind: String, Sendable {
            /// It is required, and not there.
            case missing
            /// It must not be there, and is.
            case forbidden
            /// It is required, and nothing is known of it.
            case unknown
        }

        /// The name, as it was required.
        public var capability: String
        /// What is wrong with it.
        public var kind: Kind
        /// Why, in words.
        public var reason: String

        /// All of it in one line.
        public var description: String { "\(capability) (\(kind.rawValue)): \(reason)" }
    }
}
