// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

/// Writes the positions of a trace as a path: what GPX, KML and GeoJSON have in common.
struct PathWriter: ~Copyable {
    /// One stretch without a gap, and where it begins.
    struct Stretch {
        /// Stands before its first position.
        var epochs: PositionEpochs
        var count = 0
        /// True when all positions have civil times.
        var isTimed = true
        /// True when all positions have an altitude above mean sea level.
        var hasAltitude = true
        /// True when all positions have a height above the ellipsoid.
        var hasHeight = true
    }

    /// What is written.
    var file: ExportFile
    let trace: TraceFile
    let options: ExportOptions
    private let bytes: UnsafeRawBufferPointer
    // Of how many positions the file cannot hold that.
    private var accuracies = 0
    private var altitudes = 0
    private var undefinedAltitudes = 0
    private var timeless = 0
    /// Stands before the first position.
    let start: PositionEpochs

    /// Has a format write its file. The error says that there are no positions, before there is a file.
    static func write(
        _ trace: TraceFile, to path: String, _ options: ExportOptions,
        _ body: (inout PathWriter) throws(DeviceError) -> [String]
    ) throws(DeviceError) -> [String] {
        try trace.bytes.withUnsafeBytes { (bytes) throws(DeviceError) in
            let start = PositionEpochs(trace, receiver: options.receiver)
            var probe = start
            guard probe.next(bytes) != nil else {
                let hint = options.receiver.map { " of the receiver \($0)" } ?? ""
                throw DeviceError(
                    .invalidTrace, "\(trace.name) holds no positions\(hint), so there is nothing to write.")
            }
            let file = try ExportFile(path: path, options)
            var writer = PathWriter(file: file, trace: trace, options: options, bytes: bytes, start: start)
            return try body(&writer)
        }
    }

    /// The next position; nil at the end.
    func next(_ epochs: inout PositionEpochs) -> PositionEpochs.Epoch? { epochs.next(bytes) }

    /// Goes through the positions of a stretch, and stands behind it afterwards.
    mutating func forEach(
        _ stretch: Stretch, _ body: (inout PathWriter, PositionEpochs.Epoch, _ index: Int) -> Void
    ) throws(DeviceError) -> PositionEpochs {
        var epochs = stretch.epochs
        for index in 0..<stretch.count {
            guard let epoch = epochs.next(bytes) else { break }
            body(&self, epoch, index)
            try file.flushIfLarge()
        }
        return epochs
    }

    /// Notes what is lost of a position.
    mutating func note(_ epoch: PositionEpochs.Epoch, altitude: Double) {
        let report = epoch.report
        if !report.horizontalError.isNaN || !report.longitudeError.isNaN || !report.verticalError.isNaN {
            accuracies += 1
        }
        if report.mode == .threeDimensional, altitude.isNaN,
            !report.altitudeHAE.isNaN || !report.altitudeMSL.isNaN || !report.altitudeUndefined.isNaN
        {
            altitudes += 1
        }
        if report.hasUndefinedAltitude { undefinedAltitudes += 1 }
        if epoch.time == nil { timeless += 1 }
    }

    /// The stretch that begins where the bookmark stands; nil at the end.
    ///
    /// - Parameter cutsAntimeridian: whether a stretch ends where the path crosses 180 degrees of longitude.
    func stretch(from epochs: PositionEpochs, cutsAntimeridian: Bool = false) -> Stretch? {
        var stretch = Stretch(epochs: epochs)
        var scan = epochs
        var longitude = 0.0
        while let epoch = scan.next(bytes) {
            if stretch.count > 0 {
                let isFar = (epoch.report.longitude - longitude).magnitude > 180
                if epoch.startsSegment || (cutsAntimeridian && isFar) { break }
            }
            longitude = epoch.report.longitude
            stretch.count += 1
            if epoch.time == nil { stretch.isTimed = false }
            if epoch.report.altitudeAboveSeaLevel.isNaN { stretch.hasAltitude = false }
            if epoch.report.altitudeAboveEllipsoid.isNaN { stretch.hasHeight = false }
        }
        return stretch.count > 0 ? stretch : nil
    }

    /// Closes the file, and returns remarks about what was left out.
    ///
    /// - Parameters:
    ///   - epochs: stands behind the last position.
    ///   - altitude: what the format has altitudes above.
    ///   - hasSatellites: true for a format that has satellites and dilutions.
    mutating func close(
        _ epochs: PositionEpochs, format: String, altitude: String, hasSatellites: Bool = false
    ) throws(DeviceError) -> [String] {
        try file.close()
        var remarks: [String] = []
        remarks.tell(
            epochs.assembler.others,
            "positions of other receivers than \(epochs.assembler.receiver ?? "") were left out. --receiver names another one."
        )
        remarks += epochs.leftOut.remarks(without: hasSatellites ? [.skies] : [])
        if accuracies > 0 {
            remarks.append(
                "\(format) has no place for accuracies; those of \(accuracies) positions were left out.")
        }
        if altitudes > 0 {
            remarks.append(
                "\(format) has altitudes above \(altitude), which \(altitudes) positions do not give; theirs were left out."
            )
        }
        if undefinedAltitudes > 0 {
            remarks.append(
                "The altitudes of \(undefinedAltitudes) positions do not say above what; they were taken as above mean sea level."
            )
        }
        remarks.tell(epochs.assembler.implausible, EpochAssembler.implausibleText)
        remarks.tell(timeless, "positions have no time.")
        return (options.isDamageKnown ? [] : epochs.damage.remarks) + remarks + epochs.diagnostics.remarks
    }
}

extension PositionReport {
    /// Metres above mean sea level; NaN when that is not known.
    var altitudeAboveSeaLevel: Double { mode == .threeDimensional ? altitude : .nan }

    /// Metres above the ellipsoid; NaN when that is not known.
    var altitudeAboveEllipsoid: Double {
        guard mode == .threeDimensional else { return .nan }
        return altitudeHAE.isNaN ? altitudeMSL + geoidSeparation : altitudeHAE
    }

    /// True when the only altitude is one of which gpsd does not say above what it is.
    fileprivate var hasUndefinedAltitude: Bool {
        mode == .threeDimensional && altitudeMSL.isNaN && altitudeHAE.isNaN && !altitudeUndefined.isNaN
    }
}
