// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

extension GPSDReport {
    /// The same report of receivers with other names.
    func renamed(by names: [String: String]) -> GPSDReport {
        func renamed(_ receiver: ReceiverDescription) -> ReceiverDescription {
            var receiver = receiver
            receiver.path = names[receiver.path] ?? receiver.path
            return receiver
        }
        switch self {
        case .sky(var sky):
            sky.receiver = names[sky.receiver] ?? sky.receiver
            return .sky(sky)
        case .attitude(var attitude):
            attitude.receiver = names[attitude.receiver] ?? attitude.receiver
            return .attitude(attitude)
        case .devices(let receivers): return .devices(receivers.map(renamed))
        case .device(let receiver): return .device(renamed(receiver))
        case .position, .version, .watch, .error, .other, .malformed: return self
        }
    }
}
