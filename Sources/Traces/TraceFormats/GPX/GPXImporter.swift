// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Geodesy
import Trace

/// Writes the selected parts of a GPX file as a trace.
struct GPXImporter {
    private let plan: GPXSelection
    private let options: GPXOptions
    private let chunks: FileContents
    private var writer: GPXPointWriter
    private var hasPoints = false
    /// The latest time written so far, in nanoseconds since 1970.
    private var last = Int64.min

    init(_ plan: GPXSelection, _ options: GPXOptions, _ chunks: FileContents) {
        (self.plan, self.options, self.chunks) = (plan, options, chunks)
        writer = GPXPointWriter(start: plan.start, needsSorting: plan.needsSorting, options, name: chunks.name)
    }

    var remarks: [String] { plan.remarks + writer.remarks }

    mutating func write(to sink: some TraceSink) throws(DeviceError) {
        try writer.begin(sink)
        var timing = try PathTiming(speed: options.speed)
        for part in plan.parts {
            writer.beginPart()
            try write(part, &timing, to: sink)
        }
        try writer.finish(sink)
    }

    private mutating func write(
        _ part: GPXSummary.Part, _ timing: inout PathTiming, to sink: some TraceSink
    ) throws(DeviceError) {
        var reader = try GPXReader(chunks, at: part.position)
        reader.isClockSet = plan.isClockSet
        do throws(DeviceError) {
            try write(part, &reader, &timing, to: sink)
        } catch {
            // The first pass has already reported this error in the remarks.
            guard case .some = plan.failure, error.code == .invalidTrace else { throw error }
        }
    }

    /// Returns times for the untimed points at the beginning of a part. They are placed before the first point that has
    /// a time, at most one second apart.
    private func leadingTimes(of part: GPXSummary.Part) -> some IteratorProtocol<Int64> {
        let count = Int64(part.leading)
        let gap = plan.needsSorting || last == .min ? Int64.max : max(0, part.first.subtractingSaturated(last))
        let step = min(1_000_000_000, gap / (count + 1))
        return (0..<count).lazy.map { part.first.subtractingSaturated(step * (count - $0)) }.makeIterator()
    }

    private mutating func write(
        _ part: GPXSummary.Part, _ reader: inout GPXReader, _ timing: inout PathTiming, to sink: some TraceSink
    ) throws(DeviceError) {
        var leading = leadingTimes(of: part)
        while let item = try reader.next() {
            switch item {
            case .begin: break
            case .segment: writer.beginSegment()
            case .point(let content):
                guard content == part.content, reader.point.report.hasValidCoordinates else { continue }
                if let start = plan.start {
                    let time = reader.point.time ?? leading.next()
                    if let time { last = max(last, time) }
                    try writer.append(reader.point, at: time?.subtractingSaturated(start), to: sink)
                } else {
                    let report = reader.point.report
                    let coordinate = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
                    let isJump = writer.startsNewSegment && hasPoints
                    hasPoints = true
                    let time =
                        isJump
                        ? timing.jump(to: coordinate, after: 2 * GPXPointWriter.gap) : timing.time(of: coordinate)
                    try writer.append(reader.point, at: time, to: sink)
                }
            case .end(let content):
                if content == part.content { return }
            }
        }
    }
}

/// Imports the tracks of a GPX file during the first pass, so that no second pass is needed. This works only if all
/// points have times and are in chronological order, as in most files.
struct GPXSinglePassImporter {
    private let builder: TraceBuilder
    private let options: GPXOptions
    private var writer: GPXPointWriter?
    private var first: Int64 = 0
    private var last = Int64.min
    /// True if this importer's result cannot be used, so that ``GPXImporter`` must read the file again.
    private var needsSecondPass: Bool

    init(_ builder: TraceBuilder, _ options: GPXOptions) {
        self.builder = builder
        self.options = options
        needsSecondPass = options.number != nil || (options.content ?? .tracks) != .tracks
    }

    mutating func beginPart() { writer?.beginPart() }

    mutating func beginSegment() { writer?.beginSegment() }

    mutating func append(_ point: GPXPoint) {
        guard !needsSecondPass else { return }
        guard let time = point.time, time >= last else {
            needsSecondPass = true
            return
        }
        last = time
        do throws(DeviceError) {
            if writer == nil {
                first = time
                let made = GPXPointWriter(start: time, needsSorting: false, options, name: builder.name)
                try made.begin(builder)
                writer = made
            }
            try writer?.append(point, at: time.subtractingSaturated(first), to: builder)
        } catch {
            needsSecondPass = true
        }
    }

    /// Finishes the import and returns the trace. Returns nil if a second pass is needed, or if the trace does not
    /// begin at `start`, which is in nanoseconds since 1970.
    mutating func trace(from start: Int64?) throws(DeviceError) -> TraceFile? {
        guard !needsSecondPass, writer != nil, start == first else { return nil }
        try writer?.finish(builder)
        return try builder.file()
    }

    var remarks: [String] { writer?.remarks ?? [] }
}

/// Assigns times to the points of a path without times, at constant speed or at constant intervals.
package struct PathTiming: Sendable {
    /// The interval between points if no speed is specified, in nanoseconds (1 s).
    package static let standardStep: Int64 = 1_000_000_000
    /// The speed in metres per second, or nil if points are one second apart.
    package let speed: Double?
    private var last: (coordinate: GeodeticCoordinate, time: Int64)?

    /// Creates an instance that places the first point at time zero. `speed` is in metres per second. If it is nil,
    /// points are one second apart. Throws an error if the speed is less than 0.001 or infinite.
    package init(speed: Double?) throws(DeviceError) {
        if let speed {
            guard speed.isFinite, speed >= 0.001 else {
                throw DeviceError(
                    .invalidConfiguration,
                    "The speed of \(speed) m/s is invalid. Specify a positive speed in metres per second, for example 1.4 for walking."
                )
            }
        }
        self.speed = speed
    }

    /// Returns the next point's time, in nanoseconds since the first point.
    package mutating func time(of coordinate: GeodeticCoordinate) -> Int64 {
        guard let last else {
            self.last = (coordinate, 0)
            return 0
        }
        var step = Self.standardStep
        if let speed {
            step = Int64(saturatingSeconds: Geodesic.distance(from: last.coordinate, to: coordinate) / speed) ?? 0
        }
        let time = last.time.addingSaturated(step)
        self.last = (coordinate, time)
        return time
    }

    /// Returns the time of a point that does not continue the path. The point is placed `pause` nanoseconds after the
    /// last point, regardless of the distance between them.
    package mutating func jump(to coordinate: GeodeticCoordinate, after pause: Int64) -> Int64 {
        let time = (last?.time ?? 0).addingSaturated(pause)
        last = (coordinate, time)
        return time
    }
}
