// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Writes reports as the sentences of NMEA 0183 that a receiver would have sent.
///
///     for sentence in NMEAEncoder.sentences(position, sky: sky) { port.write(sentence + [13, 10]) }
///
/// Each sentence is whole, from the dollar sign to the checksum, without CR LF. What is not known is an empty field. Units
/// are converted here: knots and km/h, degrees with minutes, standard deviations. One system of satellites gets its own
/// talker (GP, GL, GA, GB, GQ, GI), several get GN, as receivers have it.
public enum NMEAEncoder {
    /// Knots are nautical miles of 1852 m an hour.
    static let knot = 1852.0 / 3600

    /// The sentences of one epoch: GGA, RMC, VTG, GST when errors are known, ZDA, DPT when the depth is known; with a sky
    /// GSA and GSV. Without a fix GGA, RMC and VTG say so.
    ///
    /// Altitudes in GGA are above mean sea level. With the altitude above the ellipsoid alone the field is empty, for the
    /// sentence has none for that.
    public static func sentences(
        _ position: PositionReport, sky: SkyReport? = nil, options: NMEAOptions = .init()
    ) -> [[UInt8]] {
        let view = sky.map { SkyText($0) }
        let epoch = PositionText(position, view, options)
        var sentences = epoch.positions()
        if let view {
            if options.sentences.contains(.gsa) { sentences += view.used(position.mode) }
            if options.sentences.contains(.gsv) { sentences += view.inView() }
        } else if options.sentences.contains(.gsa), position.mode != .unknown {
            sentences += SkyText(SkyReport()).used(position.mode)
        }
        return sentences + epoch.others()
    }

    /// The sentences of a sky by itself: GSV, four satellites each, for each system and signal.
    public static func sentences(_ sky: SkyReport, options: NMEAOptions = .init()) -> [[UInt8]] {
        options.sentences.contains(.gsv) ? SkyText(sky).inView() : []
    }

    /// The sentences of a compass or inertial report: HDT for the heading from true north, HDG for the one from magnetic
    /// north (with the variation between them when both are known), ROT, and XDR for pitch and roll.
    public static func sentences(_ attitude: AttitudeReport, options: NMEAOptions = .init()) -> [[UInt8]] {
        guard options.sentences.contains(.heading) else { return [] }
        var sentences: [[UInt8]] = []
        let isTrue = attitude.heading >= 0 && attitude.heading < 360
        if isTrue {
            var text = NMEASentenceText("GP", "HDT")
            text.degrees(attitude.heading, decimals: 3)
            text.text("T")
            sentences.append(text.sentence())
        }
        if attitude.magneticHeading >= 0, attitude.magneticHeading < 360 {
            var text = NMEASentenceText("HC", "HDG")
            text.degrees(attitude.magneticHeading, decimals: 3)
            // The deviation is taken off already.
            text.empty()
            text.empty()
            var variation = attitude.heading - attitude.magneticHeading
            if variation > 180 { variation -= 360 }
            if variation < -180 { variation += 360 }
            PositionText.variation(isTrue ? variation : .nan, &text)
            sentences.append(text.sentence())
        }
        if attitude.rateOfTurn.isFinite {
            var text = NMEASentenceText("HE", "ROT")
            text.number(attitude.rateOfTurn, decimals: 3)
            text.text("A")
            sentences.append(text.sentence())
        }
        if attitude.pitch.isFinite || attitude.roll.isFinite {
            var text = NMEASentenceText("YX", "XDR")
            transducer("PTCH", attitude.pitch, &text)
            transducer("ROLL", attitude.roll, &text)
            sentences.append(text.sentence())
        }
        return sentences
    }

    /// An angle in degrees, and whose it is.
    private static func transducer(_ name: StaticString, _ value: Double, _ text: inout NMEASentenceText) {
        guard value.isFinite else { return }
        text.text("A")
        text.number(value, decimals: 3)
        text.text("D")
        text.text(name)
    }

    /// A tag block that says when the sentence behind it arrived: `\c:…*hh\`.
    ///
    /// - Parameter time: milliseconds since 1970.
    public static func tagBlock(time: Int64) -> [UInt8] {
        let contents = [UInt8]("c:\(max(time, 0))".utf8)
        let mark = [UInt8(ascii: "\\")]
        return mark + contents + NMEASentenceText.checksum(contents) + mark
    }
}
