// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A summary of a GPX file, collected in a first pass.
struct GPXSummary {
    private static let maximumParts = 10_000

    struct ElementPosition {
        var offset: Int
        var line: Int
        var root: String
    }

    struct Part {
        var content: GPXOptions.Content
        /// The part's number among the parts of its kind, starting at 1.
        var number: Int
        var name = ""
        /// The part's position in the file, or nil for waypoints, which may be anywhere in the file.
        var position: ElementPosition?
        var count = 0
        var timed = 0
        /// The earliest and latest times, in nanoseconds since 1970.
        var first = Int64.max
        var last = Int64.min
        /// The number of points that precede the first point with a time. Points without coordinates are not counted.
        private(set) var leading = 0
        private(set) var hasEarlyTimes = false
        var isOrdered = true
        /// The number of points with the same time as the previous point, and the line of the first such point.
        private(set) var repeated = (count: 0, line: 0)
        private(set) var previous = Int64.min

        /// The first point's time, in nanoseconds since 1970. If the first points have no time, they are assumed to be
        /// one second apart.
        var beginning: Int64 {
            // The lower limit is the first whole second that `Int64` nanoseconds can represent.
            max(first.subtractingSaturated(Int64(leading) * 1_000_000_000), -9_223_372_036_000_000_000)
        }

        mutating func add(_ point: GPXPoint, line: @autoclosure () -> Int) {
            count += 1
            guard let time = point.time else {
                if timed == 0 { leading += 1 }
                return
            }
            timed += 1
            if time < UnsetClock.gpsEpoch { hasEarlyTimes = true }
            if time < previous { isOrdered = false }
            if time == previous {
                if repeated.count == 0 { repeated.line = line() }
                repeated.count += 1
            }
            previous = time
            first = min(first, time)
            last = max(last, time)
        }
    }

    private(set) var parts: [Part] = []
    /// True if the file contains times both before and after 1980. The earlier times are ignored, because they are from
    /// before the logger's clock was set.
    private(set) var isClockSet = false
    private(set) var diagnostics = InputDiagnostics()
    private(set) var unknownReferences = 0
    private(set) var excessPartCount = 0
    private(set) var failure: DeviceError?
    private var waypoints: Int?
    private var counts: [GPXOptions.Content: Int] = [:]

    /// Reads the file and passes the track points to `singlePass`. Sets `singlePass` to nil if a second pass is
    /// necessary. If an error occurs, uses the points before it, or throws the error if there are none.
    init(_ chunks: FileContents, _ singlePass: inout GPXSinglePassImporter?) throws(DeviceError) {
        try read(chunks, &singlePass)
        guard parts.contains(where: \.hasEarlyTimes), parts.contains(where: { $0.last >= UnsetClock.gpsEpoch }) else {
            return
        }
        // The clock was set during the recording, so the file is read again, ignoring times before 1980.
        self = GPXSummary(isClockSet: true)
        singlePass = nil
        try read(chunks, &singlePass)
    }

    private init(isClockSet: Bool) { self.isClockSet = isClockSet }

    private mutating func read(_ chunks: FileContents, _ singlePass: inout GPXSinglePassImporter?) throws(DeviceError) {
        var reader = try GPXReader(chunks)
        reader.isClockSet = isClockSet
        do throws(DeviceError) {
            try read(&reader, &singlePass)
        } catch {
            guard parts.contains(where: { $0.count > 0 }) else { throw error }
            failure = error
        }
        unknownReferences = reader.unknownReferences
        diagnostics = reader.diagnostics
    }

    private mutating func read(_ reader: inout GPXReader, _ singlePass: inout GPXSinglePassImporter?)
        throws(DeviceError)
    {
        var open: Int?
        while let item = try reader.next() {
            switch item {
            case .begin(let content):
                counts[content, default: 0] += 1
                if content == .tracks { singlePass?.beginPart() }
                guard parts.count < Self.maximumParts else {
                    excessPartCount += 1
                    open = nil
                    continue
                }
                let position = ElementPosition(offset: reader.offset, line: reader.line(), root: reader.root)
                open = parts.count
                parts.append(Part(content: content, number: counts[content] ?? 1, position: position))
            case .segment: singlePass?.beginSegment()
            case .point(let content):
                guard let index = content == .waypoints ? indexOfWaypoints() : open else {
                    reader.recordStrayPoint()
                    continue
                }
                guard reader.point.report.hasValidCoordinates else { continue }
                parts[index].add(reader.point, line: reader.line())
                if content == .tracks { singlePass?.append(reader.point) }
            case .end:
                if let open { parts[open].name = reader.partName }
                open = nil
            }
        }
    }

    private mutating func indexOfWaypoints() -> Int {
        if let waypoints { return waypoints }
        waypoints = parts.count
        parts.append(Part(content: .waypoints, number: 1, position: nil))
        return parts.count - 1
    }
}
