// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

/// Writes the positions of a trace as a path. GPX, KML and GeoJSON share this writer.
struct PathWriter: ~Copyable {
    struct Segment {
        var epochs: PositionEpochs
        var count = 0
        var isTimed = true
        /// True if all positions have an altitude above mean sea level.
        var hasAltitude = true
        /// True if all positions have a height above the ellipsoid.
        var hasHeight = true
    }

    var file: ExportFile
    let trace: TraceFile
    let options: ExportOptions
    /// Valid only while ``writer(_:)`` calls its body, so a path writer must not outlive that call.
    private let bytes: UnsafeRawBufferPointer
    private var omittedAccuracies = 0
    private var omittedAltitudes = 0
    private var undefinedAltitudes = 0
    private var positionsWithoutTime = 0
    /// The iterator in its initial state, before the first position.
    let start: PositionEpochs

    /// Returns a function that creates the file and calls `body` to write it. The function throws an error if the trace
    /// contains no positions.
    static func writer(
        _ body: @escaping @Sendable (inout PathWriter) throws(DeviceError) -> [String]
    ) -> @Sendable (TraceFile, String, ExportOptions) throws(DeviceError) -> [String] {
        { (trace, path, options) throws(DeviceError) in
            try trace.bytes.withUnsafeBytes { (bytes) throws(DeviceError) in
                let start = PositionEpochs(trace, receiver: options.receiver)
                var probe = start
                guard probe.next(bytes) != nil else { throw missingPositions(trace, options) }
                let file = try ExportFile(path: path, options)
                var writer = PathWriter(file: file, trace: trace, options: options, bytes: bytes, start: start)
                return try body(&writer)
            }
        }
    }

    static func missingPositions(_ trace: TraceFile, _ options: ExportOptions) -> DeviceError {
        let hint = options.receiver.map { " of the receiver \($0)" } ?? ""
        return .invalidTrace("\(trace.name) contains no positions\(hint), so there is nothing to write.")
    }

    func next(_ epochs: inout PositionEpochs) -> PositionEpochs.Epoch? { epochs.next(bytes) }

    /// Calls `body` with each position of a segment. Returns an iterator positioned after the segment.
    mutating func forEach(
        _ segment: Segment, _ body: (inout PathWriter, PositionEpochs.Epoch, _ index: Int) -> Void
    ) throws(DeviceError) -> PositionEpochs {
        var epochs = segment.epochs
        for index in 0..<segment.count {
            guard let epoch = epochs.next(bytes) else { break }
            body(&self, epoch, index)
            try file.flushIfLarge()
        }
        return epochs
    }

    /// Counts a position's values that are not written to the file, so that the remarks can mention them. `altitude` is
    /// the altitude that is written, or NaN.
    mutating func countOmissions(of epoch: PositionEpochs.Epoch, altitude: Double) {
        let report = epoch.report
        if !report.horizontalError.isNaN || !report.longitudeError.isNaN || !report.verticalError.isNaN {
            omittedAccuracies += 1
        }
        if report.mode == .threeDimensional, altitude.isNaN,
            !report.altitudeHAE.isNaN || !report.altitudeMSL.isNaN || !report.altitudeUndefined.isNaN
        {
            omittedAltitudes += 1
        }
        if report.hasUndefinedAltitude { undefinedAltitudes += 1 }
        if epoch.time == nil { positionsWithoutTime += 1 }
    }

    /// Returns the segment that starts at the iterator's position, or nil if no positions remain. If `cutsAntimeridian`
    /// is true, a segment also ends where the path crosses 180° longitude.
    func segment(from epochs: PositionEpochs, cutsAntimeridian: Bool = false) -> Segment? {
        var segment = Segment(epochs: epochs)
        var scan = epochs
        var longitude = 0.0
        while let epoch = scan.next(bytes) {
            if segment.count > 0 {
                let isFar = (epoch.report.longitude - longitude).magnitude > 180
                if epoch.startsSegment || (cutsAntimeridian && isFar) { break }
            }
            longitude = epoch.report.longitude
            segment.count += 1
            if epoch.time == nil { segment.isTimed = false }
            if epoch.report.altitudeAboveSeaLevel.isNaN { segment.hasAltitude = false }
            if epoch.report.altitudeAboveEllipsoid.isNaN { segment.hasHeight = false }
        }
        return segment.count > 0 ? segment : nil
    }

    /// Closes the file and returns remarks about omitted content.
    ///
    /// - Parameters:
    ///   - epochs: The iterator, after it has returned the last position.
    ///   - format: The name of the format, for the remarks.
    ///   - altitude: The reference surface of altitudes in the format.
    ///   - hasSatellites: True if the format can contain satellites and dilutions of precision.
    ///   - accuracyRemedy: The remedy for omitted accuracies, or an empty string.
    mutating func close(
        _ epochs: PositionEpochs, format: String, altitude: String, hasSatellites: Bool = false,
        accuracyRemedy: String = ""
    ) throws(DeviceError) -> [String] {
        try file.close()
        var remarks: [String] = []
        remarks += epochs.assembler.remarks
        remarks += epochs.skippedContent.remarks(without: hasSatellites ? [.skies] : [])
        if omittedAccuracies > 0 {
            remarks.append(
                "\(format) cannot represent accuracies; those of \(omittedAccuracies) positions were omitted.\(accuracyRemedy)"
            )
        }
        if omittedAltitudes > 0 {
            remarks.append(
                "\(format) requires altitudes above \(altitude), which \(omittedAltitudes) positions lack; their altitudes were omitted."
            )
        }
        if undefinedAltitudes > 0 {
            remarks.append(
                "The altitudes of \(undefinedAltitudes) positions have no reference surface; they were treated as altitudes above mean sea level."
            )
        }
        remarks.appendRemark(count: positionsWithoutTime, "positions have no time.")
        return (options.isDamageReported ? [] : epochs.damage.remarks) + remarks + epochs.diagnostics.remarks
    }
}

extension PositionReport {
    /// The altitude above mean sea level in metres, or NaN if unknown.
    var altitudeAboveSeaLevel: Double { mode == .threeDimensional ? altitude : .nan }

    /// The height above the ellipsoid in metres, or NaN if unknown.
    var altitudeAboveEllipsoid: Double {
        guard mode == .threeDimensional else { return .nan }
        return altitudeHAE.isNaN ? altitudeMSL + geoidSeparation : altitudeHAE
    }

    /// True if the only altitude is gpsd's `alt`, whose reference surface is undefined.
    fileprivate var hasUndefinedAltitude: Bool {
        mode == .threeDimensional && altitudeMSL.isNaN && altitudeHAE.isNaN && !altitudeUndefined.isNaN
    }
}
