// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// One sensor that is read axis by axis.
struct Poll {
    let id: SensorDescription.ID
    let kind: SensorKind
    private let axes: [IIOAxis]
    private let attributes: any IIOPoll

    init(_ member: SensorUnit.Member, device: Int, connection: any IIOConnection) throws(IIOFailure) {
        id = member.description.id
        kind = member.sensor.kind
        axes = member.sensor.axes
        attributes = try connection.openPoll(
            device: device, channels: axes.map { (channel: $0.channel, attribute: $0.attributeName) })
    }

    /// The value of now, in the sensor's unit and axes.
    func read() throws(IIOFailure) -> SIMD3<Double> {
        var value = SIMD3<Double>.zero
        for (index, axis) in axes.prefix(3).enumerated() {
            let number = try attributes.read(index)
            guard number.isFinite else { throw IIOFailure.noNumber("\(axis.attributeName) of \(axis.channelID)") }
            value[index] = axis.value(of: number)
        }
        return value
    }
}
