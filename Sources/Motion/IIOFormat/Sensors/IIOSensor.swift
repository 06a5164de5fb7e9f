// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// One motion sensor that was found in a device, ready to be read.
///
/// A chip with an accelerometer and a gyroscope in one device gives two of these.
package struct IIOSensor: Sendable, Equatable {
    /// What it measures.
    package var kind: SensorKind
    /// The driver's name, for example "mpu6050"; empty when there is none.
    package var name: String
    /// The label that the firmware gives, for example "accel-display"; empty when there is none.
    package var label: String
    /// Where on the machine it sits: "base", "display", "lid"; empty when nobody says.
    package var location: String
    /// Its axes x, y and z, or the one of a pressure sensor.
    package var axes: [IIOAxis] = []
    /// The rates that the driver offers.
    package var rates = SensorRates.unknown
    /// The rate that is set, in hertz; nil when the driver does not say. Some drivers start with 0, which is off.
    package var currentRate: Double?
    /// Where the rate is set; nil when neither its channels nor the device offer that. The trigger is another place.
    package var rateAttribute: IIORateAttribute?
    /// The driver's mount matrix, or identity.
    package var mountMatrix = MountMatrix.identity
    /// The file that the matrix comes from, for example "in_accel_mount_matrix", or "none given".
    package var mountMatrixOrigin = "none given"
    /// What somebody should know about it, for example that its matrix could not be used.
    package var remarks: [String] = []
    /// Those of the remarks that speak of the driver's matrix, and mean nothing where another is used.
    package var mountMatrixRemarks: [String] = []
    /// True when every axis can be captured in a buffer.
    package var canBuffer = false
    /// True when every axis can be read through an attribute.
    package var canPoll = true
    /// Why no reading could be right, in words that name the attribute and its value; nil when all is well.
    package var problemText: String?

    /// Why no reading could be right; nil when all is well. Nothing is to be read from a sensor with a problem.
    package var problem: DeviceError? { problemText.map { DeviceError(.inputOutput, $0) } }

    /// True when readings can be right.
    package var isUsable: Bool { problemText == nil }
}

/// Where the attribute sits that sets the sampling rate of a sensor.
package enum IIORateAttribute: Sendable, Hashable {
    /// An attribute of the device, of that name.
    case device(String)
    /// An attribute of the channel at that place in the device's list, of that name.
    case channel(Int, String)
}
