// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

extension Recording {
    /// Scans that are decoded at a time.
    private static var chunk: Int { 4096 }
    /// Stamps beyond this are civil time: 1973. A machine is not up that long.
    private static var earliestCivilTime: Int64 { 100_000_000_000_000_000 }

    /// Reads the scans that buffers of a context's devices gave.
    ///
    /// The bytes of a device are scans behind one another, each with all channels of the device that can be captured,
    /// the time stamp included, as `iio_readdev` writes them when no channel is named. Without a time stamp the scans
    /// are evenly spaced. Stamps of the realtime clock give ``start``.
    ///
    /// - Parameters:
    ///   - context: the devices, with the values of their attributes: scales, offsets, mount matrices.
    ///   - name: what to call the recording in messages.
    ///   - options: what the context does not say.
    ///   - scans: gives the bytes of a device; nil when there are none.
    /// - Throws: an error that names the device and says what is missing.
    public init(
        iio context: IIOContext, name: String, options: IIORecordingOptions = .init(),
        scans: (IIODevice) throws(DeviceError) -> [UInt8]?
    ) throws(DeviceError) {
        self.init()
        var civil: [Int] = []
        var sinceBoot: [Int] = []
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
                    "The scans of \(device.id) have \(layout.sampleSize) bytes, and \(rest) bytes are left at the end: the file was cut off, or not all channels were captured."
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
                if !isStamped { try Self.space(&track, sensor, device, options) }
                guard let first = track.times.first else { continue }
                if isStamped, first >= Self.earliestCivilTime { civil.append(tracks.count) }
                if isStamped, first < Self.earliestCivilTime { sinceBoot.append(tracks.count) }
                tracks.append(track)
            }
        }
        remarks.append(contentsOf: problems)
        rebase(civil, sinceBoot)
        settle()
        guard count > 0 else {
            let hint =
                problems.first
                ?? "The files beside it are called like its devices, for example \(IIORecordingNames.written(context.devices.first ?? IIODevice(id: "iio:device0")))."
            throw DeviceError(.invalidTrace, "\(name) has no readings of motion sensors in its buffers. \(hint)")
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

    /// Decodes all scans; false when they carry no time stamps that rise.
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
        // A driver that stamps nothing leaves zeros.
        return first != last || (track.count == 1 && first != 0)
    }

    /// Gives evenly spaced times to scans without stamps.
    private static func space(
        _ track: inout MotionTrack, _ sensor: IIOSensor, _ device: IIODevice, _ options: IIORecordingOptions
    ) throws(DeviceError) {
        guard let rate = options.rate ?? sensor.currentRate, rate.isFinite, rate >= 1e-3, rate <= 1e6 else {
            throw DeviceError(
                .invalidTrace,
                "The scans of \(device.id) carry no time stamps, and its sampling_frequency is not known. --rate says how many scans a second there are."
            )
        }
        var spaced = MotionTrack(track.sensor)
        spaced.reserve(track.count)
        for (index, value) in track.values.enumerated() {
            spaced.append(value, at: Int64(saturatingSeconds: Double(index) / rate) ?? 0)
        }
        track = spaced
    }

    /// Brings stamps of different clocks to one start. What is known of two clocks is only that both began here.
    private mutating func rebase(_ civil: [Int], _ sinceBoot: [Int]) {
        for group in [civil, sinceBoot] {
            guard let first = group.compactMap({ tracks[$0].times.min() }).min() else { continue }
            for index in group { tracks[index].shift(by: Int64(0).subtractingSaturated(first)) }
            if group == civil { start = WallTime(nanoseconds: first) }
        }
        if !civil.isEmpty, !sinceBoot.isEmpty {
            remarks.append("The devices stamp by different clocks; the first readings of each were put at one time.")
        }
    }
}

/// What a program knows about raw buffer files beyond what the context says.
public struct IIORecordingOptions: Sendable, Hashable {
    /// Scans a second where they carry no time stamps; nil to take `sampling_frequency` from the context.
    public var rate: Double?

    /// Options that leave everything to the context, but for those that are given.
    public init(rate: Double? = nil) { self.rate = rate }
}
