// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

extension IIODevice {
    /// The motion sensors in the device, known by the ids of their channels; channels of other types are passed over.
    ///
    /// The values of the attributes have to be there: scales, offsets, rates and matrices. A sensor that cannot give a
    /// right reading, as one whose scale is 0, is among them with its problem.
    package func sensors() -> [IIOSensor] { isTrigger ? [] : SensorKind.allCases.compactMap { sensor($0) } }

    private func sensor(_ kind: SensorKind) -> IIOSensor? {
        let ids = kind.channelIDs
        let places = ids.compactMap { id in channels.firstIndex { $0.id == id && !$0.isOutput } }
        guard places.count == ids.count else { return nil }
        var sensor = IIOSensor(kind: kind, name: name, label: label, location: location)
        for place in places {
            let (axis, problem) = axis(at: place, type: kind.channelType)
            sensor.axes.append(axis)
            // One clear sentence says more than three of a kind.
            if sensor.problemText == nil { sensor.problemText = problem }
        }
        sensor.canBuffer = zip(places, sensor.axes).allSatisfy { place, axis in
            guard let scan = channels[place].scan else { return false }
            // What a buffer holds of a channel that is read scaled, no attribute says.
            return scan.index >= 0 && scan.format.count == 1 && !axis.isProcessed
        }
        sensor.canPoll = zip(places, sensor.axes).allSatisfy { place, axis in
            channels[place].attribute(axis.attributeName) != nil
        }
        if !sensor.canBuffer, !sensor.canPoll, sensor.problemText == nil {
            sensor.problemText =
                "\(ids[0]) of \(title) has no place in the buffer and no attribute raw or input: it cannot be read."
        }
        setRates(of: &sensor)
        setMountMatrix(of: &sensor)
        return sensor
    }

    /// The device in words, for messages.
    var title: String { name.isEmpty ? id : "\(id) (\(name))" }

    /// The attribute of that name that speaks of a channel: its own file, then its type's, then the device's.
    func attribute(_ name: String, of channel: IIOChannel, type: String) -> IIOAttribute? {
        let own = "in_\(channel.id)_\(name)"
        return channel.attributes.first { $0.name == name && $0.filename == own }
            ?? channel.attribute(name)
            ?? attribute("in_\(type)_\(name)")
            ?? attribute("in_\(name)")
            ?? attribute(name)
    }
}
