// SPDX-License-Identifier: Apache-2.0

import DeviceCore

// Reads heading and attitude sentences, which have no time field.
extension NMEAEpochAssembler {
    mutating func processAttitude(_ sentence: NMEASentence, arrival: WallTime?, receive: (NMEAReport) -> Void) -> Bool {
        switch sentence.kind {
        case NMEASentence.kind("HDT"):
            setValue(\.heading, to: Self.direction(sentence[0]), arrival: arrival, receive: receive)
        case NMEASentence.kind("THS"):
            guard sentence[1].firstLetter != UInt8(ascii: "V") else { return true }
            setValue(\.heading, to: Self.direction(sentence[0]), arrival: arrival, receive: receive)
        case NMEASentence.kind("HDM"):
            setValue(\.magneticHeading, to: Self.direction(sentence[0]), arrival: arrival, receive: receive)
        case NMEASentence.kind("HDG"): readHDG(sentence, arrival, receive)
        case NMEASentence.kind("VHW"):
            setValue(\.heading, to: Self.direction(sentence[0]), arrival: arrival, receive: receive)
            setValue(\.magneticHeading, to: Self.direction(sentence[2]), arrival: arrival, receive: receive)
        case NMEASentence.kind("ROT"):
            if sentence[1].firstLetter == UInt8(ascii: "A") {
                setValue(\.rateOfTurn, to: sentence[0].number, arrival: arrival, receive: receive)
            }
        case NMEASentence.kind("XDR"): readXDR(sentence, arrival, receive)
        default: return false
        }
        return true
    }

    /// Reads HDG: `sensor heading,deviation,E,variation,E`.
    private mutating func readHDG(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        let sensor = Self.direction(sentence[0])
        let deviation = sentence.degreesEast(1)
        let magnetic = Self.normalized(sensor + (deviation.isNaN ? 0 : deviation))
        setValue(\.magneticHeading, to: magnetic, arrival: arrival, receive: receive)
        let variation = sentence.degreesEast(3)
        guard !variation.isNaN else { return }
        epoch.report.magneticVariation = variation
        // HDT, THS and VHW take precedence, because they contain the true heading.
        if attitude.heading.isNaN {
            setValue(\.heading, to: Self.normalized(magnetic + variation), arrival: arrival, receive: receive)
        }
    }

    /// Reads XDR: groups of four fields (transducer type, value, unit and transducer name).
    private mutating func readXDR(_ sentence: NMEASentence, _ arrival: WallTime?, _ receive: (NMEAReport) -> Void) {
        var index = 0
        while index + 3 < sentence.count {
            let name = sentence[index + 3]
            if sentence[index].firstLetter == UInt8(ascii: "A"), sentence[index + 2].firstLetter == UInt8(ascii: "D") {
                let value = sentence[index + 1].number
                if name.equals("PTCH") || name.equals("PITCH") {
                    setValue(\.pitch, to: value, arrival: arrival, receive: receive)
                } else if name.equals("ROLL") {
                    setValue(\.roll, to: value, arrival: arrival, receive: receive)
                } else if name.equals("YAW") {
                    setValue(\.yaw, to: value, arrival: arrival, receive: receive)
                }
            }
            index += 4
        }
    }

    /// Sets a value of the pending report. If the value is already set, delivers the pending report first.
    private mutating func setValue(
        _ path: WritableKeyPath<AttitudeReport, Double>, to value: Double, arrival: WallTime?,
        receive: (NMEAReport) -> Void
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
        receive(NMEAReport(contents: .attitude(attitude), arrival: attitudeArrival, epochTime: clock.last))
        attitude = AttitudeReport()
        hasAttitude = false
    }

    /// Returns a direction from 0 to 360 degrees, with 360 converted to 0, or NaN for any other value.
    private static func direction(_ field: NMEAField) -> Double {
        let value = field.nonnegativeNumber
        return value <= 360 ? normalized(value) : .nan
    }

    private static func normalized(_ degrees: Double) -> Double {
        degrees < 0 ? degrees + 360 : degrees >= 360 ? degrees - 360 : degrees
    }
}
