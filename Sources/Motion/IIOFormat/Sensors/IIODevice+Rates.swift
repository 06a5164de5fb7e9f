// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

internal import DeviceCore

extension IIODevice {
    /// Fills in which rates a sensor offers, which one is set, and where.
    ///
    /// The rate of the channel's type comes before that of the whole device. Which rates there are may stand at either
    /// place, whatever the place of the rate itself.
    func setRates(of sensor: inout IIOSensor) {
        guard let first = sensor.axes.first, channels.indices.contains(first.channel) else { return }
        let channel = channels[first.channel]
        let name = "sampling_frequency"
        let ofType = "in_\(sensor.kind.channelType)_\(name)"
        if let rate = channel.attribute(name) {
            sensor.rateAttribute = .channel(first.channel, name)
            sensor.currentRate = Self.rate(rate)
        } else if let rate = attribute(ofType) ?? attribute(name) {
            sensor.rateAttribute = .device(rate.name)
            sensor.currentRate = Self.rate(rate)
        }
        let places = [
            channel.attribute("\(name)_available"), attribute("\(ofType)_available"), attribute("\(name)_available"),
        ]
        for case let text? in places.map({ $0?.value }) {
            sensor.rates = SensorRates(text)
            if sensor.rates != .unknown { return }
        }
    }

    private static func rate(_ attribute: IIOAttribute) -> Double? {
        attribute.number.flatMap { $0 >= 0 ? $0 : nil }
    }
}
