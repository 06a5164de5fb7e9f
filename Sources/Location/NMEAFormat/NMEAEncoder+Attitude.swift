// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension NMEAEncoder {
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
}
