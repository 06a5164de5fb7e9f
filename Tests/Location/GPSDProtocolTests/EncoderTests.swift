// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDProtocol
import Testing

@Suite("Encoding of gpsd reports")
struct EncoderTests {
    /// Encodes a decoded report. Returns nil for classes that are not encoded.
    static func rewritten(_ report: GPSDReport) -> [UInt8]? {
        switch report {
        case .position(let report): GPSDEncoder.encode(report)
        case .sky(let report): GPSDEncoder.encode(report)
        case .attitude(let report): GPSDEncoder.encode(report)
        default: nil
        }
    }

    @Test("A report of gpsd has the same values after it is encoded and decoded again")
    func corpus() throws {
        var decoder = GPSDDecoder()
        var counts = (all: 0, identical: 0)
        for line in try Corpus.lines() where line.isReport {
            let report = decoder.decode(line.bytes)
            guard let again = Self.rewritten(report) else { continue }
            if case .position(let report) = report, !report.hasFix { continue }
            #expect(
                Fingerprint.of(decoder.decode(again)).hash == Fingerprint.of(report).hash,
                "\(line.file):\(line.number): \(String(decoding: again, as: UTF8.self))")
            counts.all += 1
            if again == line.bytes { counts.identical += 1 }
        }
        #expect(counts.all > 500)
        // The other lines contain members that the decoder ignores, or come from other gpsd releases.
        #expect(counts.identical > 350)
    }

    @Test("VERSION, DEVICES, DEVICE, WATCH and ERROR are encoded as by gpsd 3.22")
    func services() {
        var version = GPSDVersion()
        version.release = "3.22"
        version.revision = "3.22"
        version.protocolMajor = 3
        version.protocolMinor = 14
        #expect(
            String(decoding: GPSDEncoder.encode(version), as: UTF8.self)
                == #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#)
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        receiver.driver = "u-blox"
        receiver.bitsPerSecond = 9600
        receiver.cycle = 1
        let time = WallTime(nanoseconds: 1_623_887_165_800_000_000)
        #expect(
            String(decoding: GPSDEncoder.encode([receiver], activation: time), as: UTF8.self)
                == #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","activated":"2021-06-16T23:46:05.800Z","flags":1,"native":0,"bps":9600,"parity":"N","stopbits":1,"cycle":1.00}]}"#
        )
        receiver.isActive = false
        #expect(
            String(decoding: GPSDEncoder.encode(receiver, activation: time), as: UTF8.self)
                == #"{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","activated":0}"#)
        var watch = GPSDWatch()
        watch.isEnabled = true
        watch.json = true
        #expect(
            String(decoding: GPSDEncoder.encode(watch), as: UTF8.self)
                == #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}"#
        )
        #expect(
            String(decoding: GPSDEncoder.encode(error: "No such device as \"x\""), as: UTF8.self)
                == #"{"class":"ERROR","message":"No such device as \"x\""}"#)
    }

    @Test("Unknown values, non-finite values and positions without a fix are omitted")
    func omitsUnknown() {
        var report = PositionReport()
        report.mode = .none
        report.latitude = 1
        report.longitude = 2
        #expect(String(decoding: GPSDEncoder.encode(report), as: UTF8.self) == #"{"class":"TPV","mode":1}"#)
        report.mode = .twoDimensional
        report.speed = .infinity
        report.track = 1e300
        #expect(
            String(decoding: GPSDEncoder.encode(report), as: UTF8.self)
                == #"{"class":"TPV","mode":2,"lat":1.000000000,"lon":2.000000000}"#)
    }
}
