// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What `doctor` looks at. The rules in ``Diagnosis`` see nothing else, so that they can be tested on any machine.
struct MachineFacts: Sendable {
    /// What happened to a sensor that was listened to for a moment.
    struct Trial: Sendable {
        var sensor: SensorDescription
        /// The readings that came.
        var readings: Int
        /// How long it was listened to, in seconds.
        var seconds: Double
        /// The rate by the time stamps, in hertz; nil when too few readings came.
        var measuredRate: Double?
        /// Why nothing came, when the source has said so.
        var failure: DeviceError?
    }

    var configuration: Configuration
    /// Variables of the environment that look like this package's and are none of them.
    var unknownVariables: [String] = []
    /// The optional libraries that the program was built with.
    var traits: [String]
    /// The name of the user.
    var user: String
    /// True when everything is allowed; the user is then the one who became root, if known.
    var isRoot: Bool
    /// True when the kernel has Industrial I/O.
    var hasKernelBus: Bool
    /// The devices that the kernel shows.
    var kernelSensors: [KernelSensor]
    /// The triggers that there are, by name.
    var triggers: [String]
    /// True when the kernel can make triggers from a timer.
    var canMakeTimerTriggers: Bool
    var trials: [Trial]
    /// What is stored of calibrations.
    var calibrations: [StoredCalibrations.Entry] = []
    /// Why something that is stored cannot be used.
    var calibrationProblems: [DeviceError] = []
    /// Now, by the machine's clock.
    var now = WallTime.epoch
    /// Why places where sensors were looked for could not be asked.
    var motionProblems: [DeviceError] = []
    /// Why gpsd does not answer; nil when it does.
    var positionFailure: DeviceError?
    /// gpsd's receivers; nil when it did not list them.
    var receivers: [ReceiverDescription]?
    var battery: BatteryReading?
    var accessories = AccessoryFacts()
}
