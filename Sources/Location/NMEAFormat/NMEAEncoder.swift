// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Encodes reports as NMEA 0183 sentences, as a receiver would send them.
///
/// Each sentence extends from the dollar sign to the checksum, without CR LF. Unknown values are encoded as empty
/// fields. A sentence about one satellite system uses that system's talker (GP, GL, GA, GB, GQ or GI). A sentence about
/// several systems uses the talker GN.
package enum NMEAEncoder {
    /// One knot in metres per second: a nautical mile of 1852 m per hour.
    static let knot = 1852.0 / 3600

    /// Returns the sentences of an epoch: GGA, RMC and VTG. GST is added if errors are known, ZDA if the time is known,
    /// and DPT if the depth is known. If `sky` is not nil, GSA and GSV are added. Otherwise, GSA is added if the fix
    /// mode is known. The altitude in GGA is above mean sea level. It is empty if only the altitude above the ellipsoid
    /// is known.
    package static func sentences(
        _ position: PositionReport, sky: SkyReport? = nil, options: NMEAOptions = .init()
    ) -> [[UInt8]] {
        let sky = sky.map { SkySentences($0) }
        let epoch = PositionSentences(position, sky, options)
        var sentences = epoch.positionSentences()
        if let sky {
            if options.sentences.contains(.gsa) { sentences += sky.gsaSentences(mode: position.mode) }
            if options.sentences.contains(.gsv) { sentences += sky.gsvSentences() }
        } else if options.sentences.contains(.gsa), position.mode != .unknown {
            sentences += SkySentences(SkyReport()).gsaSentences(mode: position.mode)
        }
        return sentences + epoch.qualitySentences()
    }

    /// Returns the GSV sentences of a sky report, grouped by system and signal, up to four satellites per sentence.
    package static func sentences(_ sky: SkyReport, options: NMEAOptions = .init()) -> [[UInt8]] {
        options.sentences.contains(.gsv) ? SkySentences(sky).gsvSentences() : []
    }

    /// Returns the sentences of an attitude report: HDT for the true heading, HDG for the magnetic heading, ROT for the
    /// rate of turn, and XDR for pitch and roll.
    package static func sentences(_ attitude: AttitudeReport, options: NMEAOptions = .init()) -> [[UInt8]] {
        guard options.sentences.contains(.heading) else { return [] }
        var sentences: [[UInt8]] = []
        let isTrue = attitude.heading >= 0 && attitude.heading < 360
        if isTrue {
            var text = NMEASentenceBuilder("GP", "HDT")
            text.appendDirection(attitude.heading, decimals: 3, unit: "T")
            sentences.append(text.finish())
        }
        if attitude.magneticHeading >= 0, attitude.magneticHeading < 360 {
            var text = NMEASentenceBuilder("HC", "HDG")
            text.appendDirection(attitude.magneticHeading, decimals: 3)
            // The heading has already been corrected for deviation, so the deviation fields are empty.
            text.appendEmpty(2)
            var variation = attitude.heading - attitude.magneticHeading
            if variation > 180 { variation -= 360 }
            if variation < -180 { variation += 360 }
            PositionSentences.variation(isTrue ? variation : .nan, &text)
            sentences.append(text.finish())
        }
        if attitude.rateOfTurn.isFinite {
            var text = NMEASentenceBuilder("HE", "ROT")
            text.appendNumber(attitude.rateOfTurn, decimals: 3, unit: "A")
            sentences.append(text.finish())
        }
        if attitude.pitch.isFinite || attitude.roll.isFinite {
            var text = NMEASentenceBuilder("YX", "XDR")
            transducer("PTCH", attitude.pitch, &text)
            transducer("ROLL", attitude.roll, &text)
            sentences.append(text.finish())
        }
        return sentences
    }

    private static func transducer(_ name: StaticString, _ value: Double, _ text: inout NMEASentenceBuilder) {
        guard value.isFinite else { return }
        text.appendText("A")
        text.appendNumber(value, decimals: 3, unit: "D")
        text.appendText(name)
    }

    /// Returns a tag block, `\c:…*hh\`, with an arrival time in milliseconds since 1970.
    package static func tagBlock(time: Int64) -> [UInt8] {
        let contents = [UInt8]("c:\(max(time, 0))".utf8)
        let mark = [UInt8(ascii: "\\")]
        return mark + contents + NMEASentenceBuilder.checksum(contents) + mark
    }
}
