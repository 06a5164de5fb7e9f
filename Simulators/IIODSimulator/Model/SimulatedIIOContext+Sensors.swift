// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOFormat

extension SimulatedIIOContext {
    /// Creates simulated devices from descriptions of sensors, without a recorded context.
    ///
    /// Each device has 32-bit little-endian axes, a timestamp channel, `raw` and `scale` for each axis, a mount matrix
    /// for vectors, and the sampling rates. Sensors share a device if their ids differ only in the last component, they
    /// support the same rates and they measure different quantities. Every other sensor has its own device.
    ///
    /// - Parameters:
    ///   - sensors: The sensors to simulate.
    ///   - peaks: The largest magnitude of the readings of each kind, in the unit of the kind. It determines the scale,
    ///     which is the smallest power of ten for which the raw peak value fits into 31 bits. Kinds without a peak have
    ///     a scale of 1e-7, which allows magnitudes up to 200.
    ///   - rate: The value of `sampling_frequency`, in hertz. Sensors with known rates use their lowest rate that is
    ///     not below this value. If all of their rates are below it, they use the highest.
    public init(sensors: [SensorDescription], peaks: [SensorKind: Double] = [:], rate: Double = 100) {
        var groups: [[SensorDescription]] = []
        for sensor in sensors {
            let groupIndex = groups.firstIndex { group in
                guard let first = group.first else { return false }
                return SimulatedIIOContext.deviceID(of: first) == SimulatedIIOContext.deviceID(of: sensor)
                    && first.rates == sensor.rates && !group.contains { $0.kind == sensor.kind }
            }
            if let groupIndex { groups[groupIndex].append(sensor) } else { groups.append([sensor]) }
        }
        let devices = groups.enumerated().map { groupIndex, group in
            SimulatedIIOContext.device(of: group, id: "iio:device\(groupIndex)", peaks: peaks, rate: rate)
        }
        self.init(
            IIOContext(
                description: "simulated", attributes: [IIOAttribute(name: "local,kernel", value: "simulated")],
                devices: devices))
    }

    /// Returns the id without its last component. Sensors in the same device share this prefix.
    private static func deviceID(of sensor: SensorDescription) -> Substring {
        guard let end = sensor.id.lastIndex(of: "/"), end > sensor.id.startIndex else { return sensor.id[...] }
        return sensor.id[..<end]
    }

    private static func device(
        of sensors: [SensorDescription], id: String, peaks: [SensorKind: Double], rate: Double
    ) -> IIODevice {
        var channels: [IIOChannel] = []
        for sensor in sensors {
            let (type, step) = (sensor.kind.channelType, step(forPeak: peaks[sensor.kind]))
            let matrix = IIOAttribute(
                name: "mount_matrix", filename: "in_\(type)_mount_matrix", value: sensor.mountMatrix.text)
            let scale = IIOAttribute(name: "scale", filename: "in_\(type)_scale", value: IIODecimal.text(step))
            for axis in sensor.kind.channelIDs {
                let raw = IIOAttribute(name: "raw", filename: "in_\(axis)_raw", value: "0")
                let scan = IIODataFormat(bits: 32, storageBits: 32).map {
                    IIOScanElement(index: channels.count, format: $0, scale: step)
                }
                let attributes = sensor.kind.isVector ? [matrix, raw, scale] : [raw, scale]
                channels.append(IIOChannel(id: axis, scan: scan, attributes: attributes))
            }
        }
        let stamp = IIODataFormat(bits: 64, storageBits: 64).map { IIOScanElement(index: channels.count, format: $0) }
        channels.append(IIOChannel(id: "timestamp", scan: stamp))
        let first = sensors.first
        let rates = first?.rates ?? .unknown
        let values = [
            ("current_timestamp_clock", "realtime"),
            ("location", first.flatMap { $0.location.isEmpty ? nil : $0.location }),
            ("sampling_frequency", IIODecimal.text(rates.rate(atLeast: rate) ?? rate)),
            ("sampling_frequency_available", rates.availableText),
        ]
        let attributes = values.compactMap { name, value in value.map { IIOAttribute(name: name, value: $0) } }
        let kinds = sensors.map(\.kind.channelType).joined(separator: "_")
        return IIODevice(
            id: id, name: first.map { $0.name.isEmpty ? "simulated_\(kinds)" : $0.name } ?? "",
            label: first?.label ?? "", channels: channels, attributes: attributes,
            bufferAttributes: [IIOAttribute(name: "data_available", value: "0")])
    }

    /// Returns the scale: the smallest power of ten for which the raw peak value fits into 31 bits.
    private static func step(forPeak peak: Double?) -> Double {
        // The powers are literals, because repeated multiplication by 0.1 does not yield exactly 1e-7.
        let steps = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1]
        guard let peak, peak.isFinite, peak > 0 else { return 1e-7 }
        return steps.first { peak / $0 < 2_147_483_647 } ?? 1
    }
}

extension SensorRates {
    var availableText: String? {
        switch self {
        case .unknown: nil
        case .list(let rates): rates.map { IIODecimal.text($0) }.joined(separator: " ")
        case .range(let least, let step, let greatest):
            "[\([least, step, greatest].map { IIODecimal.text($0) }.joined(separator: " "))]"
        }
    }
}
