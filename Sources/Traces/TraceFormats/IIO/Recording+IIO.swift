// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import IIOFormat

/// Import of raw libiio buffers.
extension Recording {
    /// The number of scans that are decoded at once.
    private static var chunk: Int { 4096 }
    /// The earliest timestamp treated as wall-clock time (March 1973), in nanoseconds since 1970. Smaller timestamps
    /// are treated as times since boot, because an uptime of more than three years is unlikely.
    private static var earliestCivilTime: Int64 { 100_000_000_000_000_000 }

    /// Reads scans that were captured from the buffers of a context's devices.
    ///
    /// Each scan must contain all input channels that have a scan element, including the timestamp, as `iio_readdev`
    /// writes by default. Scans without timestamps are spaced evenly. Timestamps that count from 1970 determine
    /// ``start``.
    ///
    /// - Parameter scans: A closure that returns a device's data, or nil if there is none.
    /// - Throws: An error that states the device and the missing information.
    package init(
        iio context: IIOContext, name: String, options: IIORecordingOptions = .init(),
        scans: (IIODevice) throws(DeviceError) -> [UInt8]?
    ) throws(DeviceError) {
        self.init()
        var civilTimeTracks: [Int] = []
        var bootTimeTracks: [Int] = []
        var problems: [String] = []
        for device in context.devices where !device.isTrigger {
            let channels = device.channels.indices.filter {
                !device.channels[$0].isOutput && device.channels[$0].scan != nil
            }
            guard !channels.isEmpty, let layout = device.layout(of: channels), layout.sampleSize > 0,
                let bytes = try scans(device)
            else { continue }
            let rest = bytes.count % layout.sampleSize
            if rest > 0 {
                remarks.append(
                    "The scans of \(device.id) have \(layout.sampleSize) bytes, and \(rest) bytes remain at the end: the file is truncated, or not all channels were captured."
                )
            }
            for sensor in device.sensors() {
                if let problem = sensor.problemText { problems.append("\(device.id): \(problem)") }
                guard sensor.isUsable, sensor.canBuffer,
                    let decoder = IIOScanDecoder(
                        layout: layout, axes: sensor.axes, timestampChannel: device.timestampChannel)
                else { continue }
                var track = MotionTrack(Self.description(sensor, device, name))
                let isStamped = Self.decode(bytes, layout.sampleSize, decoder, into: &track)
                if !isStamped { try Self.assignEvenTimes(to: &track, sensor, device, options) }
                guard let first = track.times.first else { continue }
                if isStamped, first >= Self.earliestCivilTime { civilTimeTracks.append(tracks.count) }
                if isStamped, first < Self.earliestCivilTime { bootTimeTracks.append(tracks.count) }
                tracks.append(track)
            }
        }
        remarks.append(contentsOf: problems)
        alignClocks(civilTimeTracks, bootTimeTracks)
        normalize()
        guard count > 0 else {
            let hint =
                problems.first
                ?? "Its buffer files must be beside it and have names such as \(IIOBufferFileNames.exportName(of: context.devices.first ?? IIODevice(id: "iio:device0")))."
            throw .invalidTrace("\(name) has no motion readings in its buffers. \(hint)")
        }
    }

    private static func description(_ sensor: IIOSensor, _ device: IIODevice, _ name: String) -> SensorDescription {
        var description = SensorDescription(id: "\(device.id)/\(sensor.kind.rawValue)", kind: sensor.kind)
        description.name = sensor.name
        description.label = sensor.label
        description.location = sensor.location
        description.source = name
        description.rates = sensor.rates
        description.mode = .recorded
        description.mountMatrix = sensor.mountMatrix
        description.mountMatrixOrigin = sensor.mountMatrixOrigin
        description.clock = device.timestampClock
        description.remarks = sensor.remarks
        return description
    }

    /// Decodes all scans. Returns false if they have no usable timestamps.
    private static func decode(
        _ bytes: [UInt8], _ stride: Int, _ decoder: IIOScanDecoder, into track: inout MotionTrack
    ) -> Bool {
        var values = [SIMD3<Double>](repeating: .zero, count: chunk)
        var stamps = [Int64](repeating: 0, count: chunk)
        track.reserve(bytes.count / stride)
        bytes.withUnsafeBytes { bytes in
            values.withUnsafeMutableBufferPointer { values in
                stamps.withUnsafeMutableBufferPointer { stamps in
                    var offset = 0
                    while bytes.count - offset >= stride {
                        let part = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                        let count = decoder.decode(
                            part, stride: stride, count: chunk, values: values, timestamps: stamps)
                        guard count > 0 else { return }
                        for index in 0..<min(count, chunk) { track.append(values[index], at: stamps[index]) }
                        offset += count * stride
                    }
                }
            }
        }
        guard decoder.hasTimestamps, let first = track.times.first, let last = track.times.last else { return false }
        // Drivers that do not support timestamps write zeros.
        return first != last || (track.count == 1 && first != 0)
    }

    /// Assigns evenly spaced times. Throws an error if the sample rate is unknown.
    private static func assignEvenTimes(
        to track: inout MotionTrack, _ sensor: IIOSensor, _ device: IIODevice, _ options: IIORecordingOptions
    ) throws(DeviceError) {
        guard let rate = options.rate ?? sensor.currentRate, rate.isFinite, rate >= 1e-3, rate <= 1e6 else {
            throw .invalidTrace(
                "The scans of \(device.id) have no timestamps, and its sampling_frequency is unknown. Specify the number of scans per second with --rate."
            )
        }
        var spaced = MotionTrack(track.sensor)
        spaced.reserve(track.count)
        for (index, value) in track.values.enumerated() {
            spaced.append(value, at: Int64(saturatingSeconds: Double(index) / rate) ?? 0)
        }
        track = spaced
    }

    /// Shifts the tracks so that they begin at time zero. Tracks with civil times and tracks with times since boot form
    /// two groups, each of which is shifted as a whole. More precise alignment is impossible, because the offset
    /// between the two clocks is unknown.
    private mutating func alignClocks(_ civilTimeTracks: [Int], _ bootTimeTracks: [Int]) {
        for group in [civilTimeTracks, bootTimeTracks] {
            guard let first = group.compactMap({ tracks[$0].times.min() }).min() else { continue }
            for index in group { tracks[index].shift(by: Int64(0).subtractingSaturated(first)) }
            if group == civilTimeTracks { start = WallTime(nanoseconds: first) }
        }
        if !civilTimeTracks.isEmpty, !bootTimeTracks.isEmpty {
            remarks.append(
                "The timestamps of the devices are from different clocks; the first readings of all devices were placed at the same time."
            )
        }
    }
}

/// Options for reading raw buffer files.
public struct IIORecordingOptions: Sendable, Hashable {
    /// The number of scans per second, for scans without timestamps. If nil, the context's `sampling_frequency` is
    /// used.
    public var rate: Double?

    /// Creates options. By default, all information is taken from the context.
    public init(rate: Double? = nil) { self.rate = rate }
}
