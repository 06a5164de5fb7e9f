// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

/// Devices at rest: the same readings for ever, at the rate that the client sets.
public struct IIORestSource: IIOSampleSource {
    private var signals: [String: IIOSignal] = [:]

    /// Readings by kind, in the kind's unit and in the sensor's axes: for example 9.80665 on the accelerometer axis that
    /// points up. Kinds that are left out keep what their raw attributes say.
    public init(_ readings: [SensorKind: SIMD3<Double>] = [:]) {
        for (kind, reading) in readings {
            for (component, id) in kind.channelIDs.enumerated() { signals[id] = .constant(reading[component]) }
        }
    }

    /// Readings by channel id.
    public init(channels: [String: Double]) {
        signals = channels.mapValues { .constant($0) }
    }

    /// The same for every device.
    public func signals(for device: IIODevice) -> IIODeviceSignals { IIODeviceSignals(channels: signals) }
}
