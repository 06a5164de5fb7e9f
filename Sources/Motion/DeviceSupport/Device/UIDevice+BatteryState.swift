// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension UIDevice {
    /// What a battery does.
    public enum BatteryState: Int, Sendable {
        /// Not watched, not there, or it does not say.
        case unknown = 0
        /// It feeds the machine.
        case unplugged = 1
        /// Power comes from outside, and it is not full.
        case charging = 2
        /// Power comes from outside, and it is full.
        case full = 3

        init(_ state: BatteryReading.State?) {
            switch state {
            case .unplugged: self = .unplugged
            case .charging: self = .charging
            case .full: self = .full
            case .unknown, nil: self = .unknown
            }
        }
    }
}
