// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A motion sensor that was found in a device. A device with an accelerometer and a gyroscope has two sensors.
package struct IIOSensor: Sendable, Equatable {
    package var kind: SensorKind
    /// The name from the driver, for example "mpu6050"; empty if there is none.
    package var name: String
    /// The label from the firmware, for example "accel-display"; empty if there is none.
    package var label: String
    /// The position on the machine, for example "base", "display" or "lid"; empty if it is unknown.
    package var location: String
    /// The axes x, y and z, or the single axis of a pressure sensor.
    package var axes: [IIOAxis] = []
    package var rates = SensorRates.unknown
    /// The current rate, in hertz; nil if it is unknown. Some drivers start with 0, which means off.
    package var currentRate: Double?
    /// The attribute that sets the rate; nil if there is none. The rate may then depend on the trigger.
    package var rateAttribute: IIORateAttribute?
    package var mountMatrix = MountMatrix.identity
    /// The file that contains the matrix, for example "in_accel_mount_matrix", or "none given".
    package var mountMatrixOrigin = "none given"
    package var remarks: [String] = []
    /// The remarks about the driver's matrix. They do not apply if another matrix is used.
    package var mountMatrixRemarks: [String] = []
    package var canBuffer = false
    package var canPoll = true
    /// The reason why readings would be invalid, with the attribute and its value; nil if there is no problem.
    package var problemText: String?

    /// The error of a sensor whose readings would be invalid and must not be read; nil if there is no problem.
    package var problem: DeviceError? { problemText.map { DeviceError(.inputOutput, $0) } }

    package var isUsable: Bool { problemText == nil }
}

/// The attribute that sets the sampling rate of a sensor, by its name.
package enum IIORateAttribute: Sendable, Hashable {
    case device(String)
    /// An attribute of the channel at an index in the device's list.
    case channel(Int, String)
}
