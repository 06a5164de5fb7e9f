// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension IIODevice {
    /// Sets a sensor's rates and rate attribute. The channel's attributes are searched first, then those of the channel
    /// type, then those of the device.
    func setRates(of sensor: inout IIOSensor) {
        guard let first = sensor.axes.first, channels.indices.contains(first.channel) else { return }
        let channel = channels[first.channel]
        let name = "sampling_frequency"
        let typeAttributeName = "in_\(sensor.kind.channelType)_\(name)"
        if let rate = channel.attribute(name) {
            sensor.rateAttribute = .channel(first.channel, name)
            sensor.currentRate = Self.rate(rate)
        } else if let rate = attribute(typeAttributeName) ?? attribute(name) {
            sensor.rateAttribute = .device(rate.name)
            sensor.currentRate = Self.rate(rate)
        }
        let candidates = [
            channel.attribute("\(name)_available"), attribute("\(typeAttributeName)_available"),
            attribute("\(name)_available"),
        ]
        for case let text? in candidates.map({ $0?.value }) {
            sensor.rates = SensorRates(text)
            if sensor.rates != .unknown { return }
        }
    }

    private static func rate(_ attribute: IIOAttribute) -> Double? { attribute.number.flatMap { $0 >= 0 ? $0 : nil } }
}

extension SensorRates {
    /// Parses `sampling_frequency_available`, which is either a list of numbers separated by whitespace or commas, or a
    /// range of the form `[minimum step maximum]`. Invalid rates are omitted. If no rates remain, the result is
    /// `.unknown`.
    package init(_ text: String) {
        self = .unknown
        guard text.utf8.count <= 4096 else { return }
        let trimmed = IIONumber.trimmed(text)
        if trimmed.hasPrefix("[") {
            let parts = trimmed.dropFirst().prefix { $0 != "]" }.split(whereSeparator: Self.isSeparator)
            let numbers = parts.compactMap { IIONumber.double($0) }
            guard trimmed.hasSuffix("]"), parts.count == 3, numbers.count == 3, numbers[0] >= 0, numbers[1] >= 0,
                numbers[2] > 0, numbers[0] <= numbers[2], numbers[2] <= Self.limit
            else { return }
            self = .range(minimum: numbers[0], step: numbers[1], maximum: numbers[2])
            return
        }
        let rates = trimmed.split(whereSeparator: Self.isSeparator).prefix(256).compactMap { IIONumber.double($0) }
            .filter { $0 > 0 && $0 <= Self.limit }
        if !rates.isEmpty { self = .list(Set(rates).sorted()) }
    }

    /// The maximum valid rate in hertz. No motion sensor has a higher rate.
    private static let limit = 1e7

    private static func isSeparator(_ character: Character) -> Bool {
        // Some vendor drivers separate the rates with commas.
        character == "," || character.unicodeScalars.allSatisfy { IIONumber.isWhitespaceOrControl($0) }
    }
}

extension IIODevice {
    /// Sets a sensor's mount matrix to the first valid matrix, or to the identity if there is none. The channel
    /// attribute (for example `in_accel_mount_matrix`) has the highest precedence, followed by the device attribute
    /// `in_mount_matrix` and by `mount_matrix`. libiio represents `in_mount_matrix` as the attribute "matrix" of the
    /// channel "mount". A zero matrix, which an older driver reports, is ignored without a remark. Invalid and singular
    /// matrices are ignored with a remark. A matrix that contains a reflection also causes a remark, and is accepted
    /// only for an accelerometer.
    func setMountMatrix(of sensor: inout IIOSensor) {
        guard sensor.kind.isVector else { return }
        for attribute in mountMatrices(of: sensor) {
            guard let text = attribute.text else { continue }
            let origin = attribute.filename
            guard let matrix = MountMatrix(text) else {
                sensor.addMountMatrixRemark(
                    "\(origin) is \"\(text.prefix(80))\", which does not consist of nine numbers. It is ignored.")
                continue
            }
            switch matrix.validity(for: sensor.kind, origin: origin) {
            case .empty: continue
            case .rejected(let remark): sensor.addMountMatrixRemark(remark)
            case .accepted(let remark):
                sensor.mountMatrix = matrix
                sensor.mountMatrixOrigin = origin
                if let remark { sensor.addMountMatrixRemark(remark) }
                return
            }
        }
    }

    private func mountMatrices(of sensor: IIOSensor) -> [IIOAttribute] {
        let channelAttribute = sensor.axes.lazy.filter { channels.indices.contains($0.channel) }
            .compactMap { channels[$0.channel].attribute("mount_matrix") }.first
        let mount = channels.first { $0.id == "mount" }?.attribute("matrix")
        return [
            channelAttribute, attribute("in_\(sensor.kind.channelType)_mount_matrix"), mount,
            attribute("in_mount_matrix"), attribute("mount_matrix"),
        ].compactMap { $0 }
    }
}

extension IIOSensor {
    fileprivate mutating func addMountMatrixRemark(_ remark: String) {
        mountMatrixRemarks.append(remark)
        remarks.append(remark)
    }
}
