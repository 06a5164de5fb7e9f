// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sentences of one position report.
struct PositionText {
    private let report: PositionReport
    private let view: SkyText?
    private let options: NMEAOptions
    private let talker: String
    private let date: CivilDate?

    init(_ report: PositionReport, _ view: SkyText?, _ options: NMEAOptions) {
        self.report = report
        self.view = view
        self.options = options
        talker = view?.talker ?? "GP"
        date = report.time.map { CivilDate($0) }
    }

    /// Returns GGA, RMC and VTG.
    func positions() -> [[UInt8]] {
        var sentences: [[UInt8]] = []
        if options.sentences.contains(.gga) { sentences.append(gga()) }
        if options.sentences.contains(.rmc) { sentences.append(rmc()) }
        if options.sentences.contains(.vtg) { sentences.append(vtg()) }
        return sentences
    }

    /// Returns GST, ZDA and DPT.
    func others() -> [[UInt8]] {
        var sentences: [[UInt8]] = []
        if options.sentences.contains(.gst), let gst = gst() { sentences.append(gst) }
        if options.sentences.contains(.zda), let date { sentences.append(zda(date)) }
        if options.sentences.contains(.depth), report.depth.isFinite { sentences.append(dpt()) }
        return sentences
    }

    private func gga() -> [UInt8] {
        var text = NMEASentenceText(talker, "GGA")
        text.timeOfDay(date)
        position(&text)
        text.count(quality)
        let used = view?.usedCount ?? -1
        text.count(report.hasFix ? used : 0, digits: 2)
        text.number(view?.hdop ?? .nan, decimals: 2)
        let (altitude, separation) = heights
        text.number(altitude, decimals: 2)
        text.text("M")
        text.number(separation, decimals: 3)
        text.text("M")
        text.number(report.hasFix ? report.correctionAge : .nan, decimals: 1)
        text.count(report.hasFix ? Int(report.correctionStation) : -1, digits: 4)
        return text.sentence()
    }

    private func rmc() -> [UInt8] {
        var text = NMEASentenceText(talker, "RMC")
        text.timeOfDay(date)
        text.text(report.hasFix ? "A" : "V")
        position(&text)
        text.number(report.hasFix ? report.speed / NMEAEncoder.knot : .nan, decimals: 3)
        text.degrees(report.hasFix ? report.track : .nan, decimals: 3)
        text.shortDate(date)
        Self.variation(report.hasFix ? report.magneticVariation : .nan, &text)
        text.letter(modeLetter)
        return text.sentence()
    }

    private func vtg() -> [UInt8] {
        let speed = report.hasFix ? report.speed : .nan
        var text = NMEASentenceText(talker, "VTG")
        text.degrees(report.hasFix ? report.track : .nan, decimals: 3)
        text.text("T")
        text.degrees(report.hasFix ? report.magneticTrack : .nan, decimals: 3)
        text.text("M")
        text.number(speed / NMEAEncoder.knot, decimals: 3)
        text.text("N")
        text.number(speed * 3.6, decimals: 3)
        text.text("K")
        text.letter(modeLetter)
        return text.sentence()
    }

    private func gst() -> [UInt8]? {
        guard report.hasFix else { return nil }
        let deviations = PositionDeviations(report, options.confidence)
        guard !deviations.north.isNaN || !deviations.east.isNaN || !deviations.up.isNaN else { return nil }
        var text = NMEASentenceText(talker, "GST")
        text.timeOfDay(date)
        // The RMS of the pseudorange residuals and the error ellipse are unknown.
        for _ in 0..<4 { text.empty() }
        text.number(deviations.north, decimals: 3)
        text.number(deviations.east, decimals: 3)
        text.number(deviations.up, decimals: 3)
        return text.sentence()
    }

    private func zda(_ date: CivilDate) -> [UInt8] {
        var text = NMEASentenceText(talker, "ZDA")
        text.timeOfDay(date)
        text.count(date.day, digits: 2)
        text.count(date.month, digits: 2)
        text.count(date.year, digits: 4)
        // The time zone is UTC.
        text.text("00")
        text.text("00")
        return text.sentence()
    }

    private func dpt() -> [UInt8] {
        var text = NMEASentenceText("SD", "DPT")
        text.number(report.depth, decimals: 3)
        // gpsd's depth is already relative to the surface.
        text.text("0.0")
        return text.sentence()
    }

    private func position(_ text: inout NMEASentenceText) {
        text.coordinate(
            report.hasFix ? report.latitude : .nan, width: 2, decimals: options.minuteDecimals, positive: "N",
            negative: "S")
        text.coordinate(
            report.hasFix ? report.longitude : .nan, width: 3, decimals: options.minuteDecimals, positive: "E",
            negative: "W")
    }

    static func variation(_ degrees: Double, _ text: inout NMEASentenceText) {
        guard degrees.magnitude <= 180 else {
            text.empty()
            return text.empty()
        }
        text.number(degrees.magnitude, decimals: 1)
        text.text(degrees < 0 ? "W" : "E")
    }

    /// The altitude above mean sea level and the geoid separation, in metres. A missing value is derived from the
    /// altitude above the ellipsoid and the other value; NaN if this is not possible.
    private var heights: (altitude: Double, separation: Double) {
        guard report.hasFix else { return (.nan, .nan) }
        var altitude = report.altitudeMSL
        var separation = report.geoidSeparation
        if !altitude.isFinite { altitude = report.altitudeHAE - separation }
        if !separation.isFinite { separation = report.altitudeHAE - altitude }
        return (altitude, separation)
    }

    /// The quality in GGA, which differs from gpsd's status.
    private var quality: Int { report.hasFix ? status?.quality ?? 1 : 0 }

    /// The mode letter at the end of RMC and VTG.
    private var modeLetter: UInt8 { report.hasFix ? status?.letter ?? UInt8(ascii: "A") : UInt8(ascii: "N") }

    private var status: NMEAStatus? { NMEAStatus.all.first { $0.status == report.status } }
}
