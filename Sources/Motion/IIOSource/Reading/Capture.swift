// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Decodes the samples of a buffer and delivers them to the hub.
///
/// Each refill requires one wait and, for each sensor, one pass over the bytes and one call of the hub. The arrays of a
/// batch are reused unless a subscriber has retained them.
struct Capture {
    private struct Stream {
        let decoder: IIOScanDecoder
        var batch: MotionBatch
    }

    private let reader: DeviceReader
    private let hub: MotionHub
    private let clock: any DeviceClock
    private let library: any IIOLibrary
    private let stride: Int
    private let thinning: Int
    /// The number of samples since the last one that was kept.
    private var passed = 0
    private var streams: [Stream]
    private var keeper: TimeKeeper
    private let hasTimestamps: Bool
    private let name: String
    /// The time of the last refill.
    private(set) var lastRefill: BootTime
    private var saidJumps = 0
    private var saidDistrust = false
    private let log = Logger(label: "device-services.motion")

    init(
        layout: IIOScanLayout, thinning: Int, members: [SensorUnit.Member], timestampChannel: Int?, keeper: TimeKeeper,
        reader: DeviceReader, hub: MotionHub, clock: any DeviceClock, library: any IIOLibrary
    ) {
        self.reader = reader
        self.hub = hub
        self.clock = clock
        self.library = library
        lastRefill = clock.now
        stride = layout.sampleSize
        self.thinning = max(1, thinning)
        self.keeper = keeper
        let streams = members.compactMap { member -> Stream? in
            IIOScanDecoder(layout: layout, axes: member.sensor.axes, timestampChannel: timestampChannel).map {
                var batch = MotionBatch(sensor: member.description.id, kind: member.sensor.kind)
                batch.thinning = max(1, thinning)
                return Stream(decoder: $0, batch: batch)
            }
        }
        name = members.first?.description.id ?? ""
        hasTimestamps = streams.first?.decoder.hasTimestamps ?? false
        self.streams = streams
    }

    /// The IDs of the sensors that the capture reads.
    var sensors: [SensorDescription.ID] { streams.map(\.batch.sensor) }

    /// True if the times of the samples are based on the timestamps of the driver.
    var hasStamps: Bool { hasTimestamps && keeper.base != .none && !keeper.isDistrusted }

    /// The state of another machine's clock; nil if it is unknown.
    var found: TimeKeeper.Found? { keeper.found }

    /// Returns the time since the last refill, in seconds.
    func quietSeconds(now: BootTime) -> Double { now.seconds(since: lastRefill) }

    /// Reads until a refill fails. Returns the positive error number.
    mutating func run(_ buffer: any IIOBuffer) -> Int32 {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        while true {
            var reads = 1
            let result = buffer.refill(&bytes, reads: &reads)
            guard result >= 0 else { return Int32(clamping: -result) }
            // Refills without samples must not cause a busy loop.
            if !take(bytes) { WorkerThread.pause(seconds: 0.01) }
        }
    }

    /// Hands over what a refill has given; false when that is nothing.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let arrival = clock.now
        let count = stride > 0 ? bytes.count / stride : 0
        guard count > 0, reader.isWanted else { return false }
        lastRefill = arrival
        reader.countRefill()
        if thinning == 1 {
            handOn(bytes, count: count, arrival: arrival)
        } else if case let kept = thinned(bytes, count: count), !kept.isEmpty {
            kept.withUnsafeBytes { handOn($0, count: kept.count / stride, arrival: arrival) }
        }
        return true
    }

    private mutating func handOn(_ bytes: UnsafeRawBufferPointer, count: Int, arrival: BootTime) {
        if keeper.jumps != saidJumps || keeper.isDistrusted != saidDistrust { say() }
        let kept = decode(bytes, count: count, arrival: arrival)
        reader.isDelivering = true
        if kept > 0 {
            for index in streams.indices { hub.post(streams[index].batch) }
        }
        reader.isDelivering = false
    }

    /// Returns the samples to keep: the last of every `thinning` consecutive samples, counted across refills.
    private mutating func thinned(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8] {
        var kept: [UInt8] = []
        for place in Swift.stride(from: thinning - 1 - passed, to: count, by: thinning) {
            kept.append(contentsOf: bytes[place * stride..<(place + 1) * stride])
        }
        passed = (passed + count) % thinning
        return kept
    }

    /// Logs irregularities of the timestamps, a limited number of times.
    private mutating func say() {
        saidJumps = keeper.jumps
        if keeper.isDistrusted, !saidDistrust {
            log.warning("\(name): The driver's timestamps do not increase. The arrival times are used instead.")
        } else if saidJumps <= 3 {
            log.notice("\(name): The clock of the timestamps was set. The resulting step is compensated.")
        }
        saidDistrust = keeper.isDistrusted
    }

    /// Fills the batches. Returns 0 if the samples are not usable.
    private mutating func decode(_ bytes: UnsafeRawBufferPointer, count: Int, arrival: BootTime) -> Int {
        var kept = 0
        var firstTimes: [BootTime] = []
        for index in streams.indices {
            // After their removal from the batch, the arrays are uniquely referenced and can be written in place.
            var (values, times) = streams[index].batch.takeArrays(count: count)
            let decoder = streams[index].decoder
            let isFirst = index == 0
            values.withUnsafeMutableBufferPointer { values in
                times.withUnsafeMutableBufferPointer { times in
                    decoder.decode(
                        bytes, stride: stride, count: count, values: values,
                        times: isFirst && hasTimestamps ? times : nil, clockOffset: keeper.offset)
                    if isFirst {
                        kept = keeper.settle(times, arrival: arrival) { [clock, library] name in
                            TimeKeeper.offset(clock: clock) { library.time(of: name) }
                        }
                    } else {
                        // All sensors of a scan have the same time.
                        for place in times.indices { times[place] = firstTimes[place] }
                    }
                }
            }
            if isFirst, streams.count > 1 { firstTimes = times }
            streams[index].batch.values = values
            streams[index].batch.times = times
            streams[index].batch.arrival = arrival
        }
        return kept
    }
}

extension MotionBatch {
    /// Removes the arrays from the batch, with the size for `count` readings. The memory is reused if nothing else
    /// retains it.
    fileprivate mutating func takeArrays(count: Int) -> ([SIMD3<Double>], [BootTime]) {
        if values.count != count || times.count != count {
            values = [SIMD3<Double>](repeating: .zero, count: count)
            times = [BootTime](repeating: .zero, count: count)
        }
        defer {
            values = []
            times = []
        }
        return (values, times)
    }
}
