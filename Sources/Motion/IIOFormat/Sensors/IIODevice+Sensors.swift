// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension IIODevice {
    /// Returns the device's motion sensors, identified by their channel IDs. Call this method after the attribute
    /// values have been read. Sensors with missing or invalid attributes, such as a scale of 0, are included. Their
    /// ``IIOSensor/problem`` describes the error.
    package func sensors() -> [IIOSensor] { isTrigger ? [] : SensorKind.allCases.compactMap { sensor($0) } }

    private func sensor(_ kind: SensorKind) -> IIOSensor? {
        let ids = kind.channelIDs
        let channelIndices = ids.compactMap { id in channels.firstIndex { $0.id == id && !$0.isOutput } }
        guard channelIndices.count == ids.count else { return nil }
        var sensor = IIOSensor(kind: kind, name: name, label: label, location: location)
        for channelIndex in channelIndices {
            let (axis, problem) = axis(at: channelIndex, type: kind.channelType)
            sensor.axes.append(axis)
            // Report only the first problem, because the other axes usually have the same problem.
            if sensor.problemText == nil { sensor.problemText = problem }
        }
        sensor.canBuffer = zip(channelIndices, sensor.axes).allSatisfy { channelIndex, axis in
            guard let scan = channels[channelIndex].scan else { return false }
            // If a channel is read from `input`, it is unknown how to convert its raw numbers in a buffer.
            return scan.index >= 0 && scan.format.count == 1 && !axis.isProcessed
        }
        sensor.canPoll = zip(channelIndices, sensor.axes).allSatisfy { channelIndex, axis in
            channels[channelIndex].attribute(axis.attributeName) != nil
        }
        if !sensor.canBuffer, !sensor.canPoll, sensor.problemText == nil {
            sensor.problemText =
                "\(ids[0]) of \(title) cannot be read: it has no scan element and no attribute raw or input."
        }
        setRates(of: &sensor)
        setMountMatrix(of: &sensor)
        return sensor
    }

    fileprivate var title: String { name.isEmpty ? id : "\(id) (\(name))" }

    /// Searches the channel's attributes first, then those of the channel type, then those of the device.
    private func attribute(_ name: String, of channel: IIOChannel, type: String) -> IIOAttribute? {
        let filename = "in_\(channel.id)_\(name)"
        return channel.attributes.first { $0.name == name && $0.filename == filename } ?? channel.attribute(name)
            ?? attribute("in_\(type)_\(name)") ?? attribute("in_\(name)") ?? attribute(name)
    }
}

extension IIODevice {
    /// Returns a channel's axis. If the axis is unusable, sets its scale to 0 and also returns the problem.
    private func axis(at channelIndex: Int, type: String) -> (axis: IIOAxis, problem: String?) {
        let channel = channels[channelIndex]
        var axis = IIOAxis(channel: channelIndex, channelID: channel.id)
        let scale = attribute("scale", of: channel, type: type)
        // Prefer `raw`, because its numbers are the same as in a buffer. Use `input` if there is no scale. If there is
        // neither a scale nor `input`, the scale is 1: the raw number is the reading.
        axis.isProcessed = channel.attribute("input") != nil && (channel.attribute("raw") == nil || scale == nil)
        guard !axis.isProcessed else { return (axis, nil) }
        do throws(AttributeProblem) {
            if let scale { axis.scale = try number(scale, of: channel) }
            if let offset = attribute("offset", of: channel, type: type) {
                axis.offset = try number(offset, of: channel)
            }
            guard axis.scale != 0 else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, explanation: "and a scale cannot be 0")
            }
            // Even the largest 64-bit raw number must yield a finite reading.
            guard ((abs(axis.offset) + 0x1p64) * axis.scale).isFinite else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, explanation: "which is too large for a reading")
            }
            return (axis, nil)
        } catch {
            (axis.scale, axis.offset) = (0, 0)
            return (axis, error.text)
        }
    }

    private func number(_ attribute: IIOAttribute, of channel: IIOChannel) throws(AttributeProblem) -> Double {
        if let number = attribute.number { return number }
        let explanation = attribute.value == nil ? "" : "which is not a finite decimal number"
        throw AttributeProblem(attribute: attribute, device: self, channel: channel, explanation: explanation)
    }
}

private struct AttributeProblem: Error {
    let text: String

    init(attribute: IIOAttribute?, device: IIODevice, channel: IIOChannel, explanation: String) {
        let file = attribute?.filename ?? "the scale"
        let subject = "\(file) of \(channel.id) on \(device.title)"
        let remedy = "The readings would be invalid. Check the driver and the attribute."
        if let value = attribute?.text {
            text = "\(subject) is \"\(value.prefix(40))\", \(explanation). \(remedy)"
        } else {
            text = "\(subject) could not be read. \(remedy)"
        }
    }
}

/// A motion sensor found in a device. A device with an accelerometer and a gyroscope has two sensors.
package struct IIOSensor: Sendable, Equatable {
    package var kind: SensorKind
    package var name: String
    package var label: String
    package var location: String
    /// The x, y and z axes, or the single axis of a pressure sensor.
    package var axes: [IIOAxis] = []
    package var rates = SensorRates.unknown
    /// The current rate in hertz, or nil if unknown. Some drivers start with 0, which means off.
    package var currentRate: Double?
    /// The attribute that sets the rate, or nil if the rate cannot be set or depends on the trigger.
    package var rateAttribute: IIORateAttribute?
    package var mountMatrix = MountMatrix.identity
    /// The file that contains the matrix, for example "in_accel_mount_matrix", or "none given" if there is no matrix.
    package var mountMatrixOrigin = "none given"
    package var remarks: [String] = []
    /// Remarks about the driver's matrix, which do not apply if another matrix is used instead.
    package var mountMatrixRemarks: [String] = []
    package var canBuffer = false
    package var canPoll = true
    package var problemText: String?

    /// The error that prevents the sensor from being read, or nil if there is none.
    package var problem: DeviceError? { problemText.map { DeviceError(.inputOutput, $0) } }
    package var isUsable: Bool { problemText == nil }
}

package enum IIORateAttribute: Sendable, Hashable {
    case device(String)
    /// The channel's index in the device's channel list, and the attribute's name.
    case channel(Int, String)
}
