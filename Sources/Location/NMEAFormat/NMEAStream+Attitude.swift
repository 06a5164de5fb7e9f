// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Sentences with headings and attitudes, which contain no time.
extension NMEAStream {
    mutating func takeAttitude(
        _ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void
    ) -> Bool {
        switch sentence.kind {
        case NMEASentence.kind("HDT"): note(\.heading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("THS"):
            guard sentence[1].letter != UInt8(ascii: "V") else { return true }
            note(\.heading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("HDM"): note(\.magneticHeading, Self.direction(sentence[0]), arrival, receive)
        case NMEASentence.kind("HDG"): readHDG(sentence, arrival, receive)
        case NMEASentence.kind("VHW"):
            note(\.heading, Self.direction(sentence[0]), arrival, receive)
            note(\.magneticHeading, Self.direction(sentence[2]), arrival, receive)
        case NMEASentence.kind("ROT"):
            if sentence[1].letter == UInt8(ascii: "A") { note(\.rateOfTurn, sentence[0].number, arrival, receive) }
        case NMEASentence.kind("XDR"): readXDR(sentence, arrival, receive)
        default: return false
        }
        return true
    }

    /// Reads HDG: `sensor heading,deviation,E,variation,E`.
    private mutating func readHDG(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        let sensor = Self.direction(sentence[0])
        let deviation = sentence.eastward(1)
        let magnetic = Self.turned(sensor + (deviation.isNaN ? 0 : deviation))
        note(\.magneticHeading, magnetic, arrival, receive)
        let variation = sentence.eastward(3)
        guard !variation.isNaN else { return }
        epoch.report.magneticVariation = variation
        // HDT, THS and VHW take precedence, because they contain the true heading itself.
        if attitude.heading.isNaN { note(\.heading, Self.turned(magnetic + variation), arrival, receive) }
    }

    /// Reads XDR: groups of four fields with the kind of transducer, the value, its unit and its name.
    private mutating func readXDR(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        var index = 0
        while index + 3 < sentence.count {
            let name = sentence[index + 3]
            if sentence[index].letter == UInt8(ascii: "A"), sentence[index + 2].letter == UInt8(ascii: "D") {
                let value = sentence[index + 1].number
                if name.equals("PTCH") || name.equals("PITCH") {
                    note(\.pitch, value, arrival, receive)
                } else if name.equals("ROLL") {
                    note(\.roll, value, arrival, receive)
                } else if name.equals("YAW") {
                    note(\.yaw, value, arrival, receive)
                }
            }
            index += 4
        }
    }

    /// Sets a value of the pending report. If the value is already set, delivers that report first and begins another.
    private mutating func note(
        _ path: WritableKeyPath<AttitudeReport, Double>, _ value: Double, _ arrival: WallTime?,
        _ receive: (NMEAReport) -> Void
    ) {
        guard !value.isNaN else { return }
        if !attitude[keyPath: path].isNaN { flushAttitude(receive) }
        attitude[keyPath: path] = value
        attitudeArrival = arrival
        hasAttitude = true
    }

    mutating func flushAttitude(_ receive: (NMEAReport) -> Void) {
        guard hasAttitude else { return }
        attitude.receiver = receiver
        receive(NMEAReport(contents: .attitude(attitude), arrival: attitudeArrival, clock: clock.last))
        attitude = AttitudeReport()
        hasAttitude = false
    }

    /// Returns a direction from 0 to 360 degrees, with 360 as 0; NaN for any other value.
    private static func direction(_ field: NMEAField) -> Double {
        let value = field.positive
        return value <= 360 ? turned(value) : .nan
    }

    private static func turned(_ degrees: Double) -> Double {
        degrees < 0 ? degrees + 360 : degrees >= 360 ? degrees - 360 : degrees
    }
}
