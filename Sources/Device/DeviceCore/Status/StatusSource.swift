// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where the state of the machine itself comes from.
public protocol StatusSource: Sendable {
    /// The battery as it is now; nil when there is none.
    var battery: BatteryReading? { get }

    /// Hands the battery to the closure each time that it has changed, on a thread of the source's own and in order,
    /// until the subscription ends. Nil means that there is no battery any more.
    func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription
}
