// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Testing

/// Compares decoded receiver logs with gpsd's expected output, to the digits that gpsd prints. gpsd shifts dates by its
/// estimate of the GPS era, so only times of day are compared. gpsd omits some first fixes and fixes that use no
/// satellites.
@Suite("Receiver logs compared with gpsd")
struct NMEACorpusTests {
    static let logs: [(name: String, fixes: Int)] = [
        ("beidou-bd.log", 1), ("bt451.log", 10), ("foretrex-201.log", 5), ("hemi.log", 5), ("humminbird-M37.log", 20),
        ("isync.log", 3), ("tcp-torture.log", 1), ("ublox-8.log", 50),
    ]

    private func timeOfDay(_ report: PositionReport) -> Int64? {
        report.time.map { time in
            let rest = time.nanoseconds / 1_000_000 % 86_400_000
            return rest < 0 ? rest + 86_400_000 : rest
        }
    }

    @Test("Fixes equal gpsd's fixes of the same time, and no fix of gpsd is missing", arguments: logs)
    func fixes(log: String, count: Int) throws {
        var expected: [Int64?: [PositionReport]] = [:]
        for case .position(let report) in try Logs.reports("\(log).chk") where report.hasFix {
            expected[timeOfDay(report), default: []].append(report)
        }
        let lines = try Logs.bytes(log).split(separator: 10, omittingEmptySubsequences: true).map { [UInt8]($0) }
        let decoded = Decoded(lines)
        var compared = 0
        for report in decoded.positions where report.hasFix {
            // gpsd omits the time of a report if it has no date.
            guard let timed = expected[timeOfDay(report)] else { continue }
            let candidates = timed + (expected[nil] ?? [])
            let matching = candidates.filter {
                abs($0.latitude - report.latitude) < 6e-10 && abs($0.longitude - report.longitude) < 6e-10
            }
            #expect(!matching.isEmpty, "\(log) \(report)")
            if report.altitudeMSL.isFinite {
                #expect(
                    matching.contains { abs($0.altitudeMSL - report.altitudeMSL) < 6e-5 || $0.altitudeMSL.isNaN },
                    "\(log) \(report.altitudeMSL)")
            }
            if report.altitudeHAE.isFinite {
                #expect(matching.contains { abs($0.altitudeHAE - report.altitudeHAE) < 6e-5 || $0.altitudeHAE.isNaN })
            }
            compared += 1
        }
        #expect(compared >= count)
        let decodedTimes = Set(decoded.positions.filter(\.hasFix).map(timeOfDay))
        for time in expected.keys where time != nil { #expect(decodedTimes.contains(time), "\(log) \(time ?? 0)") }
    }

    @Test("Speed and course equal gpsd's", arguments: ["humminbird-M37.log", "bt451.log", "beidou-bd.log"])
    func motion(log: String) throws {
        var expected: [Int64?: [PositionReport]] = [:]
        for case .position(let report) in try Logs.reports("\(log).chk") where report.hasFix {
            expected[timeOfDay(report), default: []].append(report)
        }
        let lines = try Logs.bytes(log).split(separator: 10).map { [UInt8]($0) }
        var compared = 0
        for report in Decoded(lines).positions where report.hasFix && report.track.isFinite {
            let candidates = (expected[timeOfDay(report)] ?? []).filter(\.track.isFinite)
            guard !candidates.isEmpty else { continue }
            #expect(candidates.contains { abs($0.track - report.track) < 6e-5 }, "\(log) \(report.track)")
            #expect(candidates.contains { abs($0.speed - report.speed) < 6e-4 }, "\(log) \(report.speed)")
            compared += 1
        }
        #expect(compared > 2)
    }

    @Test("Complete lists of satellites equal gpsd's", arguments: ["ublox-8.log", "foretrex-201.log"])
    func skies(log: String) throws {
        func key(_ list: [Satellite]) -> Set<String> {
            Set(list.map { "\($0.number) \($0.elevation) \($0.azimuth) \($0.signal.isNaN ? 0 : $0.signal)" })
        }
        var expected: [Set<String>] = []
        for case .sky(let sky) in try Logs.reports("\(log).chk") { expected.append(key(sky.satellites ?? [])) }
        let lines = try Logs.bytes(log).split(separator: 10).map { [UInt8]($0) }
        let skies = Decoded(lines).skies.compactMap(\.satellites)
        #expect(skies.count > 2)
        for satellites in skies { #expect(expected.contains(key(satellites))) }
    }
}
