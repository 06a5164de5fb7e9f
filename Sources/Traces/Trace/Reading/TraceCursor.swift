// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Iterates over a trace's events without allocating memory. Each call needs the file's bytes, which
/// ``TraceFile/play(_:)`` provides.
///
/// The cursor skips unusable lines and reports them in ``warnings``. In a report, it checks only the beginning and the
/// end, because the decoder validates the JSON. To return to a position later, keep a copy of the cursor.
package struct TraceCursor: Sendable {
    package static let maximumWarnings = 100
    /// The first warnings, up to ``maximumWarnings``.
    package private(set) var warnings: [TraceWarning] = []
    /// The total number of warnings, including those that are not stored.
    package private(set) var warningCount = 0
    /// All warnings, including those of the header, grouped by reason.
    package private(set) var diagnostics = InputDiagnostics()
    /// The reasons for all warnings, including those that are not stored.
    package private(set) var reasons: Set<TraceWarning.Reason> = []
    /// The number of lines that were skipped because they are invalid or, in gpsd output, contain no report. Empty
    /// lines are not counted.
    package internal(set) var skippedLines = 0
    var lines: TraceLines
    private var lastTime: Int64 = 0
    /// The arrival stamp of the most recently read report, in nanoseconds since 1970, or nil if that report had no
    /// stamp. Used only for gpsd output.
    var stamp: Int64?
    /// The number of NMEA sentences among the skipped lines.
    var sentenceCount = 0
    var sensorTable: TraceSensors
    var accessories = AttachedAccessories()
    /// The records of an in-memory trace, which need no parsing. `nextReading` is the index of the next record.
    private var readings: [TraceRecord] = []
    private var nextReading = 0
    /// The problems found in the current line.
    private var problems: [TraceWarning.Reason] = []
    /// The mapped file, or nil for bytes in memory. The cursor releases the memory behind its position.
    let file: MappedFile?
    private let format: TraceFile.Format
    private let hasArrivalTimes: Bool
    /// The civil time at time zero, in nanoseconds since 1970.
    private let origin: Int64

    package init(_ file: TraceFile) {
        self.file = file.bytes.file
        format = file.format
        hasArrivalTimes = file.hasArrivalTimes
        origin = file.start?.nanoseconds ?? 0
        sensorTable = file.headerSensors
        lines = TraceLines(offset: file.eventsOffset, line: file.eventsLine, file: file.bytes.file)
        for warning in file.header?.warnings ?? [] { append(warning) }
    }

    init(_ file: TraceFile, readings: [TraceRecord]) {
        self.init(file)
        self.readings = readings
    }

    /// Creates a cursor that searches a file for gpsd reports during format detection.
    init(searchingFrom offset: Int, _ file: MappedFile?) {
        self.file = file
        format = .gpsd
        hasArrivalTimes = false
        origin = 0
        sensorTable = TraceSensors([])
        lines = TraceLines(offset: offset, line: 0, file: file)
    }

    /// The motion sensors found so far: those in the header, then any others in order of appearance. Sensors missing
    /// from the header have an identity mount matrix and a remark.
    package var sensors: [SensorDescription] { sensorTable.descriptions }

    /// The number of the last line read, starting at 1.
    package var line: Int { lines.line }

    package mutating func next(_ bytes: UnsafeRawBufferPointer) -> TraceRecord? {
        if nextReading < readings.count {
            defer { nextReading &+= 1 }
            return readings[nextReading]
        }
        while let (range, isEnded) = lines.next(bytes) {
            guard !range.isEmpty else {
                skip(.lineTooLong)
                reportProblems(bytes, range)
                continue
            }
            let record =
                switch format {
                case .native: nativeRecord(bytes, range, isEnded: isEnded)
                case .gpsd: gpsdRecord(bytes, range, isEnded: isEnded)
                }
            if !problems.isEmpty { reportProblems(bytes, range) }
            if let record { return record }
        }
        if let file, file.isTruncated, !reasons.contains(.fileTruncated) {
            append(TraceWarning(line: line, reason: .fileTruncated))
        }
        return nil
    }

    /// Returns `time`. If `time` is earlier than the previous event, adds a warning and returns that event's time
    /// instead.
    @inline(__always) mutating func nondecreasingTime(_ time: Int64) -> Int64 {
        if time >= lastTime {
            lastTime = time
        } else {
            warn(.decreasingTime)
        }
        return lastTime
    }

    /// Returns the previous event's time and adds a warning, because the current line has no valid time.
    mutating func timeOfPreviousEvent() -> Int64 {
        warn(.missingTime)
        return lastTime
    }

    /// Returns the time of a report in gpsd output, or nil if the file has no arrival times.
    mutating func arrivalTime(isStamped: Bool) -> Int64? {
        guard hasArrivalTimes else { return nil }
        if let stamp { return nondecreasingTime(stamp.subtractingReportingOverflow(origin).partialValue) }
        return isStamped ? timeOfPreviousEvent() : lastTime
    }

    @inline(never) mutating func skipMalformed(isEnded: Bool) { skip(isEnded ? .malformedLine : .truncatedLine) }

    @inline(never) mutating func skip(_ reason: TraceWarning.Reason) {
        skippedLines += 1
        warn(reason)
    }

    @inline(never) mutating func warn(_ reason: TraceWarning.Reason) { problems.append(reason) }

    @inline(never) private mutating func reportProblems(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) {
        for reason in problems {
            let isKept = warnings.count < Self.maximumWarnings || !reasons.contains(reason)
            let text = isKept ? TraceWarning.text(bytes[line]) : ""
            append(TraceWarning(line: lines.line, reason: reason, text: text))
        }
        problems.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ warning: TraceWarning) {
        warningCount += 1
        reasons.insert(warning.reason)
        if warnings.count < Self.maximumWarnings { warnings.append(warning) }
        diagnostics.record(warning)
    }
}
