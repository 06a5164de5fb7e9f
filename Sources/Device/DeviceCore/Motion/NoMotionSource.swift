// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The motion source of a device that has no motion sensors.
public struct NoMotionSource: MotionSource {
    /// There is nothing to make.
    public init() {}

    /// None.
    public var sensors: [SensorDescription] { [] }

    /// None.
    public var contextDescriptions: [String] { [] }

    /// None.
    public func description(of sensor: SensorDescription.ID) -> SensorDescription? { nil }

    /// A subscription to nothing.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) -> Subscription {
        Subscription {}
    }

    /// Not known.
    public func measuredRate(of sensor: SensorDescription.ID) -> Double? { nil }
}
