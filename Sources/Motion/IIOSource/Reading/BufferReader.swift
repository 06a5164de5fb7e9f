// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Decodes a buffer's samples and delivers them to the hub, on the thread that reads the buffer. The arrays of a batch
/// are reused unless a subscriber has retained them.
struct BufferReader {
    private struct Stream {
        let decoder: IIOScanDecoder
        var batch: MotionBatch
    }

    /// Corrects timestamps and logs irregularities.
    private struct LoggedCorrector {
        let name: String
        let clock: any DeviceClock
        let library: any IIOLibrary
        var corrector: TimestampCorrector
        var loggedClockSteps = 0
        var hasLoggedRejection = false

        mutating func correct(_ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime) -> Bool {
            corrector.correct(times, arrival: arrival) { [clock, library] name in
                TimestampCorrector.offset(clock: clock) { library.time(of: name) }
            }
        }

        mutating func logIrregularities() {
            guard corrector.clockSteps != loggedClockSteps || corrector.areTimestampsRejected != hasLoggedRejection
            else { return }
            let log = Logger(label: "device-services.motion")
            loggedClockSteps = corrector.clockSteps
            if corrector.areTimestampsRejected, !hasLoggedRejection {
                log.warning("\(name): The driver's timestamps do not increase. The arrival times are used instead.")
            } else if loggedClockSteps <= 3 {
                log.notice("\(name): The clock of the timestamps was set. The resulting step is compensated.")
            }
            hasLoggedRejection = corrector.areTimestampsRejected
        }
    }

    private let reader: DeviceReader
    private let hub: MotionHub
    private let stride: Int
    private let decimation: Int
    private var samplesSinceSelection = 0
    private var streams: [Stream]
    private var timestamps: LoggedCorrector
    private(set) var lastRefill: BootTime

    init(
        layout: IIOScanLayout, decimation: Int, members: [DeviceGroup.Member], timestampChannel: Int?,
        corrector: TimestampCorrector,
        reader: DeviceReader, hub: MotionHub, clock: any DeviceClock, library: any IIOLibrary
    ) {
        self.reader = reader
        self.hub = hub
        lastRefill = clock.now
        stride = layout.sampleSize
        self.decimation = max(1, decimation)
        let streams = members.compactMap { member -> Stream? in
            IIOScanDecoder(layout: layout, axes: member.sensor.axes, timestampChannel: timestampChannel).map {
                var batch = MotionBatch(sensor: member.description.id, kind: member.sensor.kind)
                batch.decimationFactor = max(1, decimation)
                return Stream(decoder: $0, batch: batch)
            }
        }
        // The decoder ignores a timestamp channel whose format it does not support.
        timestamps = LoggedCorrector(
            name: members.first?.description.id ?? "", clock: clock, library: library,
            corrector: streams.first?.decoder.hasTimestamps == true
                ? corrector : TimestampCorrector(base: .none, interval: corrector.interval))
        self.streams = streams
    }

    var sensors: [SensorDescription.ID] { streams.map(\.batch.sensor) }
    var usesDriverTimestamps: Bool { timestamps.corrector.base != .none }
    var clockState: TimestampCorrector.ClockState? { timestamps.corrector.clockState }

    func secondsSinceRefill(now: BootTime) -> Double { now.seconds(since: lastRefill) }

    /// Blocks the thread to read and deliver samples until a refill fails. Returns the error number.
    mutating func run(_ buffer: any IIOBuffer) -> Int32 {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        while true {
            var reads = 1
            let result = buffer.refill(&bytes, reads: &reads)
            guard result >= 0 else { return Int32(clamping: -result) }
            // Refills without samples must not cause a busy loop.
            if !process(bytes) { WorkerThread.sleep(seconds: 0.01) }
        }
    }

    /// Returns false if `bytes` contains no samples or the reader has been asked to end.
    mutating func process(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let arrival = timestamps.clock.now
        let count = stride > 0 ? bytes.count / stride : 0
        guard count > 0, reader.mayDeliver else { return false }
        lastRefill = arrival
        reader.countRefill()
        if decimation == 1 {
            post(bytes, count: count, arrival: arrival)
        } else if case let selected = decimated(bytes, count: count), !selected.isEmpty {
            selected.withUnsafeBytes { post($0, count: selected.count / stride, arrival: arrival) }
        }
        return true
    }

    private mutating func post(_ bytes: UnsafeRawBufferPointer, count: Int, arrival: BootTime) {
        timestamps.logIrregularities()
        let isValid = decode(bytes, count: count, arrival: arrival)
        reader.isDelivering = true
        if isValid { for index in streams.indices { hub.post(streams[index].batch) } }
        reader.isDelivering = false
    }

    /// Returns the last sample of each group of `decimation` samples. A group may span several refills.
    private mutating func decimated(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8] {
        var selected: [UInt8] = []
        for index in Swift.stride(from: decimation - 1 - samplesSinceSelection, to: count, by: decimation) {
            selected.append(contentsOf: bytes[index * stride..<(index + 1) * stride])
        }
        samplesSinceSelection = (samplesSinceSelection + count) % decimation
        return selected
    }

    /// Decodes a refill into the streams' batches. Returns false if the refill must be dropped.
    private mutating func decode(_ bytes: UnsafeRawBufferPointer, count: Int, arrival: BootTime) -> Bool {
        var isValid = false
        var firstTimes: [BootTime] = []
        for index in streams.indices {
            // Move the arrays out of the batch, so that they are uniquely referenced and can be modified in place.
            var (values, times) = streams[index].batch.moveArrays(count: count)
            let decoder = streams[index].decoder
            let isFirst = index == 0
            values.withUnsafeMutableBufferPointer { values in
                times.withUnsafeMutableBufferPointer { times in
                    decoder.decode(
                        bytes, stride: stride, count: count, values: values,
                        times: isFirst && decoder.hasTimestamps ? times : nil, clockOffset: timestamps.corrector.offset)
                    if isFirst {
                        isValid = timestamps.correct(times, arrival: arrival)
                    } else {
                        // All sensors in a scan share one timestamp.
                        for sample in times.indices { times[sample] = firstTimes[sample] }
                    }
                }
            }
            if isFirst, streams.count > 1 { firstTimes = times }
            streams[index].batch.values = values
            streams[index].batch.times = times
            streams[index].batch.arrival = arrival
        }
        return isValid
    }
}

extension MotionBatch {
    /// Moves the arrays out of the batch, or creates new ones if their size is not `count`.
    fileprivate mutating func moveArrays(count: Int) -> ([SIMD3<Double>], [BootTime]) {
        if values.count != count || times.count != count {
            values = [SIMD3<Double>](repeating: .zero, count: count)
            times = [BootTime](repeating: .zero, count: count)
        }
        return (exchange(&values, with: []), exchange(&times, with: []))
    }
}
