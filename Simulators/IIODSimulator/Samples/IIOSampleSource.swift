// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import IIOFormat

/// Says what the devices of a simulated iiod measure.
///
/// The server asks once for each device, when it is made. All devices share one time line, so that an accelerometer and a
/// gyroscope that are two devices stay in step.
public protocol IIOSampleSource: Sendable {
    /// The signals of a device, in the units of the Linux IIO documentation and in the sensor's own axes.
    func signals(for device: IIODevice) -> IIODeviceSignals
}
