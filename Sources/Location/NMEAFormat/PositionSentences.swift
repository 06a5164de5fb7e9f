// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Encodes the sentences of a position report. The caller inserts GSA and GSV between `positionSentences()` and
/// `qualitySentences()`.
struct PositionSentences {
    private let report: PositionReport
    private let sky: SkySentences?
    private let options: NMEAOptions
    private let talker: String
    private let date: CivilDate?

    init(_ report: PositionReport, _ sky: SkySentences?, _ options: NMEAOptions) {
        (self.report, self.sky, self.options) = (report, sky, options)
        talker = sky?.talker ?? "GP"
        date = report.time.map { CivilDate($0) }
    }

    func positionSentences() -> [[UInt8]] {
        var sentences: [[UInt8]] = []
        if options.sentences.contains(.gga) { sentences.append(gga()) }
        if options.sentences.contains(.rmc) { sentences.append(rmc()) }
        if options.sentences.contains(.vtg) { sentences.append(vtg()) }
        return sentences
    }

    func qualitySentences() -> [[UInt8]] {
        var sentences: [[UInt8]] = []
        if options.sentences.contains(.gst), let gst = gst() { sentences.append(gst) }
        if options.sentences.contains(.zda), let date { sentences.append(zda(date)) }
        if options.sentences.contains(.depth), report.depth.isFinite { sentences.append(dpt()) }
        return sentences
    }

    private func gga() -> [UInt8] {
        var text = NMEASentenceBuilder(talker, "GGA")
        text.appendTimeOfDay(date)
        position(&text)
        text.appendInteger(quality)
        let used = sky?.usedCount ?? -1
        text.appendInteger(report.hasFix ? used : 0, digits: 2)
        text.appendNumber(sky?.hdop ?? .nan, decimals: 2)
        let (altitude, separation) = altitudeAndSeparation
        text.appendNumber(altitude, decimals: 2, unit: "M")
        text.appendNumber(separation, decimals: 3, unit: "M")
        text.appendNumber(report.hasFix ? report.correctionAge : .nan, decimals: 1)
        text.appendInteger(report.hasFix ? Int(report.correctionStation) : -1, digits: 4)
        return text.finish()
    }

    private func rmc() -> [UInt8] {
        var text = NMEASentenceBuilder(talker, "RMC")
        text.appendTimeOfDay(date)
        text.appendText(report.hasFix ? "A" : "V")
        position(&text)
        text.appendNumber(report.hasFix ? report.speed / NMEAEncoder.knot : .nan, decimals: 3)
        text.appendDirection(report.hasFix ? report.track : .nan, decimals: 3)
        text.appendDate(date)
        Self.variation(report.hasFix ? report.magneticVariation : .nan, &text)
        text.appendCharacter(modeLetter)
        return text.finish()
    }

    private func vtg() -> [UInt8] {
        let speed = report.hasFix ? report.speed : .nan
        var text = NMEASentenceBuilder(talker, "VTG")
        text.appendDirection(report.hasFix ? report.track : .nan, decimals: 3, unit: "T")
        text.appendDirection(report.hasFix ? report.magneticTrack : .nan, decimals: 3, unit: "M")
        text.appendNumber(speed / NMEAEncoder.knot, decimals: 3, unit: "N")
        text.appendNumber(speed * 3.6, decimals: 3, unit: "K")
        text.appendCharacter(modeLetter)
        return text.finish()
    }

    private func gst() -> [UInt8]? {
        guard report.hasFix else { return nil }
        let deviations = PositionDeviations(report, options.confidence)
        guard !deviations.north.isNaN || !deviations.east.isNaN || !deviations.up.isNaN else { return nil }
        var text = NMEASentenceBuilder(talker, "GST")
        text.appendTimeOfDay(date)
        // The RMS of the pseudorange residuals and the error ellipse are unknown, so their fields are empty.
        text.appendEmpty(4)
        for value in [deviations.north, deviations.east, deviations.up] { text.appendNumber(value, decimals: 3) }
        return text.finish()
    }

    private func zda(_ date: CivilDate) -> [UInt8] {
        var text = NMEASentenceBuilder(talker, "ZDA")
        text.appendTimeOfDay(date)
        text.appendInteger(date.day, digits: 2)
        text.appendInteger(date.month, digits: 2)
        text.appendInteger(date.year, digits: 4)
        // The time zone is UTC.
        text.appendText("00")
        text.appendText("00")
        return text.finish()
    }

    private func dpt() -> [UInt8] {
        var text = NMEASentenceBuilder("SD", "DPT")
        text.appendNumber(report.depth, decimals: 3)
        // gpsd's depth is already relative to the surface, so the offset is 0.
        text.appendText("0.0")
        return text.finish()
    }

    private func position(_ text: inout NMEASentenceBuilder) {
        let (latitude, longitude) = report.hasFix ? (report.latitude, report.longitude) : (.nan, .nan)
        text.appendCoordinate(latitude, isLatitude: true, decimals: options.minuteDecimals)
        text.appendCoordinate(longitude, isLatitude: false, decimals: options.minuteDecimals)
    }

    static func variation(_ degrees: Double, _ text: inout NMEASentenceBuilder) {
        guard degrees.magnitude <= 180 else { return text.appendEmpty(2) }
        text.appendNumber(degrees.magnitude, decimals: 1, unit: degrees < 0 ? "W" : "E")
    }

    /// The altitude above mean sea level and the geoid separation, in metres. If one of them is missing, it is derived
    /// from the other and the altitude above the ellipsoid. Unknown values are NaN.
    private var altitudeAndSeparation: (altitude: Double, separation: Double) {
        guard report.hasFix else { return (.nan, .nan) }
        var altitude = report.altitudeMSL
        var separation = report.geoidSeparation
        if !altitude.isFinite { altitude = report.altitudeHAE - separation }
        if !separation.isFinite { separation = report.altitudeHAE - altitude }
        return (altitude, separation)
    }

    /// The fix quality in GGA. Its values differ from gpsd's status values.
    private var quality: Int { report.hasFix ? status?.quality ?? 1 : 0 }
    private var modeLetter: UInt8 { report.hasFix ? status?.letter ?? UInt8(ascii: "A") : UInt8(ascii: "N") }
    private var status: NMEAFixQuality? { NMEAFixQuality.all.first { $0.status == report.status } }
}
