// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// What a GPX file holds, found by going through it once.
struct GPXSurvey {
    /// The most tracks and routes that are told apart.
    private static let maximumParts = 10_000

    /// Where a track or a route begins.
    struct Place {
        var offset: Int
        var line: Int
        /// The name of the element that it stands in.
        var root: String
    }

    /// A track, a route, or all waypoints.
    struct Part {
        var content: GPXOptions.Content
        /// Counted from 1 among those of its kind.
        var number: Int
        var name = ""
        /// Nil for the waypoints, which stand anywhere.
        var place: Place?
        /// Points with coordinates.
        var count = 0
        /// Those of them that have a time too.
        var timed = 0
        /// The first and the last of their times.
        var first = Int64.max
        var last = Int64.min
        /// The number of points with coordinates before the first one with a time.
        private(set) var leading = 0
        /// True when a time is earlier than the GPS epoch.
        private(set) var hasEarlyTimes = false
        /// False when a time goes back.
        var isOrdered = true
        /// The number of points with the time of the point before, and the line of the first of them.
        private(set) var repeated = (count: 0, line: 0)
        /// The time of the last point.
        private(set) var previous = Int64.min

        /// The time of the first point. Points before the first time are placed one second apart.
        var beginning: Int64 {
            // The first second that can be written as a date.
            max(first.subtractingSaturated(Int64(leading) * 1_000_000_000), -9_223_372_036_000_000_000)
        }

        mutating func note(_ point: GPXPoint, line: @autoclosure () -> Int) {
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
    /// True if times before 1980 were ignored because later ones exist; see ``UnsetClock``.
    private(set) var isClockSet = false
    /// Values that could not be read.
    private(set) var diagnostics = InputDiagnostics()
    private(set) var unknownReferences = 0
    /// Tracks and routes beyond those that are told apart.
    private(set) var surplus = 0
    /// Why the file could not be read to its end.
    private(set) var failure: DeviceError?
    private var waypoints: Int?
    private var counts: [GPXOptions.Content: Int] = [:]

    /// Goes through the file. What can be read before the first error counts; the error is thrown when that is nothing.
    ///
    /// - Parameter direct: gets the points of tracks as they come.
    init(_ chunks: FileChunks, _ direct: inout GPXDirectImport?) throws(DeviceError) {
        try read(chunks, &direct)
        guard parts.contains(where: \.hasEarlyTimes), parts.contains(where: { $0.last >= UnsetClock.gpsEpoch }) else {
            return
        }
        // The clock was set during the recording: the times from before are ignored.
        self = GPXSurvey(isClockSet: true)
        direct = nil
        try read(chunks, &direct)
    }

    private init(isClockSet: Bool) { self.isClockSet = isClockSet }

    private mutating func read(_ chunks: FileChunks, _ direct: inout GPXDirectImport?) throws(DeviceError) {
        var reader = try GPXReader(chunks)
        reader.isClockSet = isClockSet
        do throws(DeviceError) {
            try read(&reader, &direct)
        } catch {
            guard parts.contains(where: { $0.count > 0 }) else { throw error }
            failure = error
        }
        unknownReferences = reader.unknownReferences
        diagnostics = reader.diagnostics
    }

    private mutating func read(_ reader: inout GPXReader, _ direct: inout GPXDirectImport?) throws(DeviceError) {
        // The track or route that is open.
        var open: Int?
        while let item = try reader.next() {
            switch item {
            case .begin(let content):
                counts[content, default: 0] += 1
                if content == .tracks { direct?.beginPart() }
                guard parts.count < Self.maximumParts else {
                    surplus += 1
                    open = nil
                    continue
                }
                let place = Place(offset: reader.offset, line: reader.line(), root: reader.root)
                open = parts.count
                parts.append(Part(content: content, number: counts[content] ?? 1, place: place))
            case .segment: direct?.beginSegment()
            case .point(let content):
                guard let index = content == .waypoints ? indexOfWaypoints() : open else {
                    reader.recordStrayPoint()
                    continue
                }
                guard reader.point.report.isPlace else { continue }
                parts[index].note(reader.point, line: reader.line())
                if content == .tracks { direct?.take(reader.point) }
            case .end:
                if let open { parts[open].name = reader.partName }
                open = nil
            }
        }
    }

    private mutating func indexOfWaypoints() -> Int {
        if let waypoints { return waypoints }
        waypoints = parts.count
        parts.append(Part(content: .waypoints, number: 1, place: nil))
        return parts.count - 1
    }
}
