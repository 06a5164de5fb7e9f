// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import LoopbackServer
import Trace

/// The state shared by all connections of a server. A value type that performs no I/O and is protected by the lock of
/// `SharedIIODState`.
struct IIODState: Sendable {
    var context: SimulatedIIOContext
    var faults: IIODFaultState
    var samplesSent: Int64 = 0
    let versionLine: [UInt8]
    let xml: [UInt8]
    let end: IIODServerOptions.End
    private let options: IIODServerOptions
    private let signals: [IIODeviceSignals]
    /// Returns the current time of a clock, in nanoseconds. Tests pass their own closure.
    private let readClock: @Sendable (IIOTimestampClock) -> Int64
    private var started: BootTime?
    private var openCount: UInt64 = 0
    private var streamCounts: [Int: Int] = [:]
    private var buffersCounts: [Int: Int] = [:]

    init(
        context: SimulatedIIOContext, signals: [IIODeviceSignals], options: IIODServerOptions,
        readClock: @escaping @Sendable (IIOTimestampClock) -> Int64
    ) {
        (self.context, self.signals, self.options, self.readClock) = (context, signals, options, readClock)
        end = options.end
        xml = Array(context.context.xml(includingValues: false).utf8)
        let tag = "v" + context.context.version
        // Clients expect a tag of exactly seven characters.
        let padded = tag.utf8.prefix(7) + Array(repeating: UInt8(ascii: " "), count: max(0, 7 - tag.utf8.count))
        versionLine = Array(context.context.version.utf8) + [UInt8(ascii: ".")] + padded + [UInt8(ascii: "\n")]
        faults = IIODFaultState(deviceCount: context.context.devices.count)
        for fault in options.faults { add(fault) }
    }
}

// MARK: Time

extension IIODState {
    var speed: Double { if case .realTime(let speed) = options.pace, speed.isFinite, speed > 0 { speed } else { 1 } }
    private var isPaced: Bool { if case .realTime = options.pace { true } else { false } }

    /// Starts the timeline of all devices unless it is already running. Must be called before samples are accessed.
    mutating func start(now: BootTime) {
        if started == nil { started = options.sharedStart?.startIfNeeded(at: now) ?? now }
    }

    private func elapsed(_ now: BootTime) -> Int64 {
        guard let started else { return 0 }
        let real = now.nanoseconds.subtractingSaturated(started.nanoseconds)
        return speed == 1 ? real : Int64(max(-9e18, min(Double(real) * speed, 9e18)))
    }

    /// Returns the number of samples that are due at `now`, or nil if samples are delivered as fast as requested.
    func availableSampleCount(_ timeline: IIOTimeline, now: BootTime) -> Int64? {
        isPaced ? timeline.count(until: elapsed(now)) : nil
    }

    func sampleCount(before timeline: IIOTimeline, _ now: BootTime) -> Int64 { timeline.count(until: elapsed(now) - 1) }

    func dueTime(_ timeline: IIOTimeline, sample: Int64) -> BootTime {
        guard let started, let offset = timeline.offset(of: sample) else { return .never }
        // Converting this time back to trace time rounds it down. The extra nanosecond ensures that the sample is still
        // due.
        let real = speed == 1 ? offset : Int64(min(Double(offset) / speed, 9e18)).addingSaturated(1)
        return BootTime(nanoseconds: started.nanoseconds.addingSaturated(real))
    }
}

// MARK: Faults

extension IIODState {
    /// Adds a fault. Does nothing if the fault names an unknown device.
    mutating func add(_ fault: IIODFault) {
        var device: Int?
        if let name = fault.device {
            guard let index = context.index(of: name) else { return }
            device = index
        }
        faults.add(fault, device: device)
        if fault.moment == .start { _ = faults.apply(serial: openCount) { moment, _ in moment == .start } }
    }

    /// Applies all due faults. Returns true if any fault was applied.
    mutating func applyFaults(now: BootTime) -> Bool {
        // Another server may have started the shared playback.
        if started == nil { started = options.sharedStart?.time }
        // The timeline normally starts when a client first reads or captures samples. While a fault keeps the port
        // closed, no client can connect, so the timeline starts without one. Otherwise, the fault would never end.
        if !faults.isListening, faults.needsTime || faults.nextTime != nil { start(now: now) }
        guard let started else { return false }
        let passed = now.seconds(since: started)
        faults.scheduleEnds(at: passed)
        return faults.apply(serial: openCount) { moment, _ in
            if case .seconds(let time) = moment { time <= passed } else { false }
        }
    }

    mutating func applyFaults(device: Int, sample: Int64) {
        _ = faults.apply(serial: openCount) { moment, of in
            if case .reading(let wanted) = moment { wanted <= sample && (of == nil || of == device) } else { false }
        }
    }

    var nextFaultTime: BootTime {
        guard let started else { return .never }
        if faults.needsTime { return started }
        guard let time = faults.nextTime else { return .never }
        return started.advanced(bySeconds: time)
    }

    /// Returns the error for the stream with the given serial number, or nil if the stream can continue.
    func failure(of device: Int, since serial: UInt64) -> IIODStatus? {
        guard let failure = faults[device].failure, failure.serial >= serial else { return nil }
        return failure.status
    }
}

// MARK: Attributes

extension IIODState {
    /// Returns the value of one attribute with a terminating NUL. If the path names no attribute, returns all
    /// attributes, each preceded by its length.
    mutating func read(_ path: IIODAttributePath, now: BootTime) throws(IIODStatus) -> [UInt8] {
        let (device, channel, list) = try context.list(path)
        if let name = path.name { return try value(name, in: list, device: device, channel: channel, now: now) }
        var result: [UInt8] = []
        for attribute in context.context[keyPath: list] {
            var length: Int32
            var bytes: [UInt8] = []
            do throws(IIODStatus) {
                bytes = try value(attribute.name, in: list, device: device, channel: channel, now: now)
                length = Int32(truncatingIfNeeded: bytes.count)
            } catch {
                length = -error.number
            }
            length = length.bigEndian
            withUnsafeBytes(of: &length) { result.append(contentsOf: $0) }
            result += bytes
            result += Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        return result
    }

    mutating func write(_ bytes: [UInt8], to path: IIODAttributePath, now: BootTime) -> Int64 {
        do throws(IIODStatus) {
            let (device, _, list) = try context.list(path)
            if let number = faults[device].unpluggedError { throw IIODStatus(number) }
            if let name = path.name {
                try write(bytes[...], to: name, in: list, device: device)
                return Int64(bytes.count)
            }
            var rest = bytes[...]
            for attribute in context.context[keyPath: list] {
                guard rest.count >= 4 else { throw .invalid }
                let length = Int32(bitPattern: rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
                rest = rest.dropFirst(4)
                // A length of 0 or less leaves the attribute unchanged.
                guard length > 0 else { continue }
                guard rest.count >= Int(length) else { throw .invalid }
                try write(rest.prefix(Int(length)), to: attribute.name, in: list, device: device)
                rest = rest.dropFirst((Int(length) + 3) / 4 * 4)
            }
            return Int64(bytes.count)
        } catch {
            return error.code
        }
    }

    private mutating func write(
        _ bytes: ArraySlice<UInt8>, to name: String, in list: SimulatedIIOContext.List, device: Int
    ) throws(IIODStatus) {
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        try context.write(text, to: name, in: list, device: device, isBufferEnabled: isBufferEnabled(device))
    }

    private mutating func value(
        _ name: String, in list: SimulatedIIOContext.List, device: Int, channel: Int?, now: BootTime
    ) throws(IIODStatus) -> [UInt8] {
        let faults = faults[device]
        if let number = faults.unpluggedError { throw IIODStatus(number) }
        if let number = faults.attributeErrors[name] ?? faults.attributeErrors[""] { throw IIODStatus(number) }
        let index = try context.attribute(name, in: list)
        var text = context.context[keyPath: list][index].value ?? ""
        if let channel, name == "raw" || name == "input" {
            if options.refusesRawReadsWhileBufferEnabled, isBufferEnabled(device) { throw .busy }
            if let live = currentReading(name, device: device, channel: channel, now: now) { text = live }
        }
        // libiio replaces the last byte of an attribute, usually a line feed, with a NUL. For
        // `current_timestamp_clock`, the kernel appends a NUL after the line feed, so the line feed remains.
        if name == "current_timestamp_clock" { text += "\n" }
        return Array(text.utf8) + [0]
    }

    /// Returns the current reading of a measured channel, or nil if the channel has no signal.
    private mutating func currentReading(_ name: String, device: Int, channel: Int, now: BootTime) -> String? {
        let description = context.context.devices[device].channels[channel]
        guard options.attributesFollowSamples, let signal = signals[device].channels[description.id] else { return nil }
        start(now: now)
        var phase = elapsed(now)
        if let duration = signals[device].duration, end == .loop, duration > 0 { phase %= duration }
        let column = column(signal, device: device, channel: channel)
        if name == "input" { return IIODecimal.text(column.value(at: phase)) }
        let raw = column.raw(at: phase)
        guard let range = description.scan?.format.range else { return String(raw) }
        let clamped = max(range.lowerBound, min(Double(raw), range.upperBound))
        return Double(raw) == clamped ? String(raw) : IIODecimal.text(clamped)
    }

    private func column(_ signal: IIOSignal, device: Int, channel: Int) -> IIOColumn {
        IIOColumn(
            signal, scale: context.number("scale", device: device, channel: channel),
            offset: context.number("offset", device: device, channel: channel))
    }
}

// MARK: Buffers

extension IIODState {
    func isBufferEnabled(_ device: Int) -> Bool { (streamCounts[device] ?? 0) > 0 }

    /// Returns the number of kernel buffers for a device. OPEN determines the size of each buffer.
    func buffersCount(of device: Int) -> Int { buffersCounts[device] ?? 4 }

    mutating func setBuffersCount(_ count: Int64, of device: Int) {
        buffersCounts[device] = count > 0 ? Int(min(count, 64)) : 64
    }

    mutating func streamDidClose(_ stream: SampleStream) {
        streamCounts[stream.device] = max(0, (streamCounts[stream.device] ?? 0) - 1)
    }

    mutating func open(
        _ device: Int, samples: Int64, mask digits: String, isCyclic: Bool, now: BootTime
    ) throws(IIODStatus) -> SampleStream {
        start(now: now)
        let description = context.context.devices[device]
        // The order of the checks determines which error the client receives.
        guard let mask = IIODChannelMask(digits, channelCount: description.channels.count) else { throw .invalid }
        let enabledChannels = mask.channels.filter { (description.channels[$0].scan?.index ?? -1) >= 0 }
        guard let layout = description.layout(of: enabledChannels), layout.sampleSize > 0 else { throw .invalid }
        if isCyclic { throw isBufferEnabled(device) ? .busy : .notPermitted }
        guard samples != 0 else { throw .invalid }
        guard samples > 0, samples <= 1 << 28 else { throw .noMemory }
        if let number = faults[device].unpluggedError ?? faults[device].openError { throw IIODStatus(number) }
        if context.lacksTrigger(device) { throw .invalid }
        let stampChannel = description.timestampChannel.flatMap { enabledChannels.contains($0) ? $0 : nil }
        let columns = enabledChannels.filter { $0 != stampChannel }.map { channel in
            let signal = signals[device].channels[description.channels[channel].id]
            let raw = IIOColumn(
                .constant(context.number("raw", device: device, channel: channel) ?? 0), scale: 1, offset: 0)
            return (channel, signal.map { column($0, device: device, channel: channel) } ?? raw)
        }
        let timeline = IIOTimeline(
            signals[device], rate: rate(device, channels: enabledChannels), loops: options.end == .loop)
        openCount += 1
        streamCounts[device, default: 0] += 1
        return SampleStream(
            device: device, samples: Int(samples), mask: mask, serial: openCount,
            writer: IIOScanWriter(
                layout: layout, columns: columns, timestampChannel: stampChannel, timeline: timeline),
            stampOrigin: stampOrigin(description, now: now), first: sampleCount(before: timeline, now),
            stallCount: faults[device].stallCount)
    }

    /// Returns the time of the timestamp clock at the start of the trace, or 0 if timestamps are recorded times.
    private func stampOrigin(_ device: IIODevice, now: BootTime) -> Int64 {
        guard options.timestampPolicy == .clock else { return 0 }
        let clock = IIOTimestampClock(rawValue: device.timestampClock) ?? .realtime
        return (started ?? now).nanoseconds.addingSaturated(offsetFromBootTime(of: clock))
    }

    /// Returns the offset of a clock from the boot-time clock. Both clocks are read three times, because the thread can
    /// be preempted between the two readings. The pair with the shortest delay is used.
    private func offsetFromBootTime(of clock: IIOTimestampClock) -> Int64 {
        if clock == .boottime { return 0 }
        let pairs = (0..<3).map { _ in
            let before = readClock(.boottime)
            let reading = readClock(clock)
            let width = readClock(.boottime).subtractingSaturated(before)
            return (width: width, lead: reading.subtractingSaturated(before.addingSaturated(width / 2)))
        }
        return pairs.min { $0.width < $1.width }?.lead ?? 0
    }

    /// Returns the sampling rate of the device or, if it has none, of the first channel that has one. The default is
    /// 100 Hz.
    private func rate(_ device: Int, channels: [Int]) -> Double {
        let description = context.context.devices[device]
        let values =
            [description.attribute("sampling_frequency")?.number]
            + channels.map { description.channels[$0].attribute("sampling_frequency")?.number }
        return values.compactMap { $0 }.first { $0 > 0 } ?? 100
    }
}
