// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import SimulatedDevice
import Testing

@testable import GPSLogger

@Suite("The GPS logger") struct GPSLoggerTests {
    /// Logs a played recording to the folder and returns the reported errors.
    private static func log(_ name: String, into folder: URL, policy: TrackLog.Policy = .init()) throws -> [String] {
        let device = SimulatedDevice(try Recordings.open(name))
        let log = try TrackLog(folder: folder, policy: policy)
        var troubles: [String] = []
        try device.use {
            let logger = TrackLogger(log: log)
            logger.report = { troubles.append($0) }
            logger.start()
            try device.play()
            logger.stop()
        }
        return troubles
    }

    private static func lines(_ folder: URL) throws -> [String] {
        try TrackLog(folder: folder).files.flatMap {
            String(decoding: try Data(contentsOf: $0), as: UTF8.self).split(separator: "\r\n").map(String.init)
        }
    }

    @Test("The sentences match gpsd's own sentences, except for the last digit")
    func sentences() throws {
        try withFolder { folder in
            #expect(try Self.log("gpsd/bu303-moving.log.chk", into: folder).isEmpty)
            let ours = try Self.lines(folder).map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            // gpsd prints its own sentences next to its reports.
            let theirs = try Recordings.text("gpsd/bu303-moving.log.chk").split(whereSeparator: \.isNewline)
                .filter { $0.hasPrefix("$GPGGA") || $0.hasPrefix("$GPRMC") }
                .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
            #expect(ours.count == 24)
            #expect(theirs.count == 24)
            for (our, their) in zip(ours, theirs) {
                let isPosition = our[0] == "$GPGGA"
                #expect(our[0] == their[0])
                // The time, the letters, and for RMC the date.
                for field in isPosition ? [1, 3, 5, 6] : [1, 2, 4, 6, 9] { #expect(our[field] == their[field]) }
                // Minutes to 1e-4, meters to 0.1, knots to 0.01, degrees to 0.1.
                let limits =
                    isPosition ? [2: 1e-4, 4: 1e-4, 9: 0.06, 11: 0.06] : [3: 1e-4, 5: 1e-4, 7: 0.006, 8: 0.06]
                for (field, limit) in limits {
                    let (a, b) = (try #require(Double(our[field])), try #require(Double(their[field])))
                    #expect(abs(a - b) <= limit, "\(our.joined(separator: ",")) and \(their.joined(separator: ","))")
                }
            }
        }
    }

    @Test("A sentence follows the NMEA standard")
    func sentence() throws {
        // 12.5″ west of Greenwich and 1° 0.99999999′ south, which rounds to one whole minute with five decimals.
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: -(1 + 0.999_999_99 / 60), longitude: -12.5 / 3600),
            altitude: 7,
            horizontalAccuracy: 5, verticalAccuracy: -1, course: -1, speed: 10,
            timestamp: Date(timeIntervalSince1970: 1_767_225_599.999))
        let record = String(decoding: NMEARecord.bytes(location), as: UTF8.self)
        // 10 m/s are 36 km/h, or 19.44 knots. The time rounds into the next year. The checksums are the exclusive or of
        // all bytes between $ and *, computed with `printf` and `od`.
        #expect(
            record == "$GPGGA,000000.00,0101.00000,S,00000.20833,W,1,00,,,M,,M,,*77\r\n"
                + "$GPRMC,000000.00,A,0101.00000,S,00000.20833,W,19.44,,010126,,*14\r\n")
    }

    @Test("A log that is truncated or padded with zeros at any byte continues after its last whole fix")
    func cuts() throws {
        try withFolder { folder in
            _ = try Self.log("gpsd/bu303-moving.log.chk", into: folder)
            let log = [UInt8](try Data(contentsOf: try #require(TrackLog(folder: folder).files.first)))
            // Every second line ends a fix. Four fixes suffice.
            let ends = log.indices.filter { log[...$0].suffix(2) == [13, 10] }.map { $0 + 1 }
            let fixes = [0] + [1, 3, 5, 7].map { ends[$0] }
            let whole = log[..<ends[7]]
            let file = folder.appendingPathComponent("000001.nmea")
            let second = folder.appendingPathComponent("000002.nmea")
            let next = Array("$GPGGA,next\r\n".utf8)
            var policy = TrackLog.Policy()
            policy.syncInterval = .infinity
            for cut in 0...whole.count {
                for tail in [0, 7] {
                    let left = whole[..<cut] + [UInt8](repeating: 0, count: tail)
                    try Data(left).write(to: file)
                    let log = try TrackLog(folder: folder, policy: policy)
                    try log.append(next, at: .now)
                    let end = try #require(fixes.last { $0 <= cut })
                    // A file without a complete fix remains, unless it is empty.
                    let expected = left.isEmpty || end > 0 ? [whole[..<end] + next] : [left, next[...]]
                    let found = try log.files.map { [UInt8](try Data(contentsOf: $0)) }
                    guard found == expected.map(Array.init) else {
                        Issue.record("cut at \(cut) with \(tail) zeros: \(found.map(\.count)) bytes, \(end) are whole")
                        return
                    }
                    try? FileManager.default.removeItem(at: second)
                }
            }
        }
    }

    @Test("Files of other programs remain unchanged, even if their names are numbers")
    func others() throws {
        try withFolder { folder in
            let text = Data("$GPGSV,1,1,00*79\r\n".utf8)
            let names = [
                "1.nmea", "0000007.nmea", "20260701.nmea", "-00001.nmea", "+00009.nmea", "000000.nmea", "000009.NMEA",
                "000009.log", "000004.nmea",
            ]
            for name in names { try text.write(to: folder.appendingPathComponent(name)) }
            var policy = TrackLog.Policy()
            (policy.fileSize, policy.fileCount) = (1, 2)
            let log = try TrackLog(folder: folder, policy: policy)
            // The last file has a name in the format of this log, but contains no fix.
            #expect(try log.files.map(\.lastPathComponent) == ["000004.nmea"])
            try log.append(Array("$GPGGA,next\r\n".utf8), at: .now)
            #expect(try log.files.map(\.lastPathComponent) == ["000004.nmea", "000005.nmea"])
            for name in names { #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == text, "\(name)") }
        }
    }

    @Test("A folder is used by one log at a time")
    func lock() throws {
        try withFolder { folder in
            var first: TrackLog? = try TrackLog(folder: folder)
            try first?.append(Array("$GPGGA,next\r\n".utf8), at: .now)
            let error = #expect(throws: TrackLogError.self) { try TrackLog(folder: folder) }
            #expect(
                error?.localizedDescription == "Another logger writes into it. End that, or choose another folder.")
            first = nil
            #expect(try TrackLog(folder: folder).files.count == 1)
        }
    }

    @Test("If its folder is replaced, the log continues after the files there and locks the new folder")
    func changedFolder() throws {
        try withFolder { parent in
            let folder = parent.appendingPathComponent("log")
            var policy = TrackLog.Policy()
            policy.fileSize = 1
            let log = try TrackLog(folder: folder, policy: policy)
            try log.append([1], at: .now)
            try FileManager.default.moveItem(at: folder, to: parent.appendingPathComponent("former"))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let there = folder.appendingPathComponent("000002.nmea")
            try Data([7]).write(to: there)
            try log.append([2], at: .now)
            #expect(try Data(contentsOf: there) == Data([7]))
            #expect(try log.files.map(\.lastPathComponent) == ["000002.nmea", "000003.nmea"])
            #expect(throws: TrackLogError.self) { try TrackLog(folder: folder) }
        }
    }

    @Test("No file follows the last number")
    func lastNumber() throws {
        try withFolder { folder in
            try Data("nothing".utf8).write(to: folder.appendingPathComponent("999999.nmea"))
            let log = try TrackLog(folder: folder)
            let error = #expect(throws: TrackLogError.self) { try log.append([10], at: .now) }
            #expect(error?.localizedDescription == "999999.nmea has the last file number. Use another folder.")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["999999.nmea"])
        }
    }

    @Test("A full file is followed by a new one, and the oldest files are removed")
    func rotation() throws {
        try withFolder { folder in
            var policy = TrackLog.Policy()
            (policy.fileSize, policy.fileCount) = (1000, 3)
            _ = try Self.log("gpsd/ublox-8.log.chk", into: folder, policy: policy)
            let log = try TrackLog(folder: folder, policy: policy)
            let files = try log.files
            #expect(files.count == 3)
            for file in files {
                let bytes = [UInt8](try Data(contentsOf: file))
                #expect(bytes.count <= 1000)
                #expect(NMEARecord.last(in: bytes)?.upperBound == bytes.count)
                let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            // Adds nothing: the last fix is repeated, as by a receiver after a restart.
            try log.append(log.last, at: .now)
            #expect(try log.files == files)
        }
    }

    @Test("A missing folder is reported once, and logging continues when the folder is back")
    func trouble() throws {
        try withFolder { parent in
            let folder = parent.appendingPathComponent("log")
            var policy = TrackLog.Policy()
            // Each fix begins a file.
            policy.fileSize = 1
            let device = SimulatedDevice(try Recordings.open("gpsd/bu303-moving.log.chk"))
            let log = try TrackLog(folder: folder, policy: policy)
            var troubles: [String] = []
            try device.use {
                let logger = TrackLogger(log: log)
                logger.report = { troubles.append($0) }
                logger.start()
                device.advance(by: .seconds(3.5))
                #expect(try log.files.count == 4)
                try FileManager.default.removeItem(at: folder)
                device.advance(by: .seconds(3))
                #expect(troubles.count == 1)
                #expect(troubles.first?.hasPrefix("The log cannot be written: ") == true)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                try device.play()
            }
            #expect(troubles.count == 1)
            // Of the twelve fixes, one per second, those of the seconds 7 to 11.
            #expect(try log.files.map(\.lastPathComponent) == (5...9).map { "00000\($0).nmea" })
        }
    }

    @Test(
        "gpsbabel reads the log and finds the fixes of the recording",
        .enabled(if: Programs.find("gpsbabel") != nil, "gpsbabel is not installed: apt-get install gpsbabel"))
    func otherProgram() throws {
        try withFolder { folder in
            _ = try Self.log("gpsd/ublox-8.log.chk", into: folder)
            let file = try #require(TrackLog(folder: folder).files.first)
            let points = try Babel.points(file)
            // The receiver repeats some fixes, and the logger writes one fix per time.
            var fixes: [[String: Any]] = []
            for fix in try Recordings.fixes("gpsd/ublox-8.log.chk")
            where fix["time"] as? String != fixes.last?["time"] as? String {
                fixes.append(fix)
            }
            #expect(points.count == fixes.count)
            #expect(fixes.count == 72)
            for (point, fix) in zip(points, fixes) {
                // gpsbabel writes six decimals.
                #expect(abs(point.latitude - (fix["lat"] as? Double ?? 0)) < 1e-6)
                #expect(abs(point.longitude - (fix["lon"] as? Double ?? 0)) < 1e-6)
            }
        }
    }
}

/// A converter that is independent of this package.
enum Babel {
    /// Returns the positions that gpsbabel finds in a log.
    static func points(_ file: URL) throws -> [(latitude: Double, longitude: Double)] {
        let end = try Programs.run("gpsbabel", ["-t", "-i", "nmea", "-f", file.path, "-o", "unicsv", "-F", "-"])
        try #require(end.status == 0, "gpsbabel: \(end.lines)")
        return end.lines.compactMap { line in
            // A number, the latitude, the longitude, and more.
            let numbers = line.split(separator: ",").map { Double($0) }
            guard numbers.count > 2, let latitude = numbers[1], let longitude = numbers[2] else { return nil }
            return (latitude, longitude)
        }
    }
}

extension ProgramTests {
    /// Runs the logger until its file has `count` lines, and ends it with a signal. The logger prints nothing, so a
    /// shell polls the file.
    private static func run(_ folder: URL, until count: Int, signal: Int32, _ trace: TraceFile) throws -> [String] {
        let script = """
            "$0" "$1" 1 & logger=$!
            n=0
            until [ "$(cat "$1"/*.nmea 2>/dev/null | wc -l)" -gt "$2" ] || [ $n -gt 1500 ]; do sleep 0.02; n=$((n + 1)); done
            kill -$3 $logger
            wait $logger
            echo $?
            """
        let logger = try #require(Programs.find("gps-logger")).path
        return try withBoard(trace, speed: 30) { environment in
            try Programs.run(
                "sh", ["-c", script, logger, folder.path, String(count), String(signal)], environment: environment
            ).lines
        }
    }

    @Test("A GPS logger that is killed leaves complete records and loses none that were written")
    func gpsLogger() throws {
        let trace = try Recordings.open("synthetic/mountain-road.json")
        try withFolder { folder in
            var before: [UInt8] = []
            for signal in [SIGKILL, SIGKILL, SIGTERM] {
                let end = try Self.run(folder, until: before.count { $0 == 10 } + 60, signal: signal, trace)
                // 128 plus the signal, or the program's own status.
                #expect(end.last == (signal == SIGKILL ? "137" : "0"))
                let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("000001.nmea")))
                #expect(bytes.starts(with: before))
                #expect(bytes.count > before.count)
                #expect(NMEARecord.last(in: bytes)?.upperBound == bytes.count)
                before = bytes
                guard Programs.find("gpsbabel") != nil else { continue }
                let points = try Babel.points(folder.appendingPathComponent("000001.nmea"))
                #expect(points.count * 2 == bytes.count { $0 == 10 })
            }
        }
    }

    @Test("If a file cannot grow, the GPS logger reports it and leaves no partial fix")
    func gpsLoggerLimit() throws {
        try withFolder { folder in
            // A file size limit simulates a full disk: 2 or 4 KiB, depending on the shell.
            let end = try withBoard(try Recordings.open("synthetic/mountain-road.json"), speed: 30) { environment in
                try Programs.run(
                    "sh",
                    [
                        "-c", #"trap '' XFSZ; ulimit -f 4; exec "$0" "$1""#,
                        try #require(Programs.find("gps-logger")).path, folder.path,
                    ], environment: environment, signal: SIGTERM
                ) { !$0.isEmpty }
            }
            #expect(end.status == 0)
            #expect(end.lines.first?.hasPrefix("gps-logger: The log cannot be written: ") == true)
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("000001.nmea")))
            #expect(bytes.count > 1500)
            #expect(bytes.count <= 4096)
            #expect(NMEARecord.last(in: bytes)?.upperBound == bytes.count)
        }
    }

    @Test(
        "The timer of the GPS logger syncs the log when fixes do not",
        .enabled(if: canTrace, "strace is not installed, or may not trace: apt-get install strace"))
    func gpsLoggerTimer() throws {
        let lines = try Self.trace("trace=fsync")
        // One sync each for the folder and the first fix, and two by the timer.
        #expect(lines.count == 2)
        #expect(lines.first.flatMap { Int($0) } ?? 0 >= 4, "\(lines)")
        #expect(lines.last == "0")
    }

    @Test("A second GPS logger in the same folder reports the conflict and ends")
    func gpsLoggerTwice() throws {
        try withFolder { folder in
            let log = try TrackLog(folder: folder)
            let second = try Programs.run("gps-logger", [folder.path])
            #expect(second.status == 73)
            let words = "Another logger writes into it. End that, or choose another folder."
            #expect(second.lines == ["gps-logger: \(folder.path) cannot be used: \(words)"])
            #expect(try log.files.isEmpty)
        }
    }

    @Test("The GPS logger rejects invalid seconds", arguments: ["10s", "nan", "-1", "inf", "1e300", ""])
    func gpsLoggerSeconds(seconds: String) throws {
        try withFolder { folder in
            let end = try Programs.run("gps-logger", [folder.path, seconds])
            #expect(end.status == 64)
            #expect(end.lines.count == 1)
            #expect(end.lines.first?.hasPrefix("gps-logger: SECONDS must be a number from 0") == true)
        }
    }

    /// Whether strace is installed and permitted to trace, which a container may forbid.
    private static let canTrace =
        Programs.find("strace") != nil && (try? Programs.run("strace", ["-o", "/dev/null", "true"]).status) == 0

    /// Runs the logger until it has called fsync four times, and ends it. Returns its output, the number of calls and
    /// its status.
    private static func trace(_ effect: String) throws -> [String] {
        // In a minute the times of the fixes advance by only a tenth of a second, so only the first fix causes a sync.
        let fixes = (0..<60).map {
            Recordings.fix(Double($0), after: -0.998 * Double($0), 48.1 + Double($0) * 4.5e-5, 11.5)
        }
        let script = """
            : >"$1.calls"
            strace -f -e "$2" -o "$1.calls" sh -c 'echo $$ >"$1.pid"; exec "$0" "$1" 1' "$0" "$1" & tracer=$!
            n=0
            until [ "$(grep -c 'fsync(' "$1.calls")" -ge 4 ] || [ $n -gt 1500 ]; do
                sleep 0.02
                n=$((n + 1))
            done
            grep -c 'fsync(' "$1.calls"
            kill -TERM "$(cat "$1.pid")"
            wait $tracer
            echo $?
            """
        let logger = try #require(Programs.find("gps-logger")).path
        return try withFolder { folder in
            try withBoard(try Recordings.trace(fixes)) { environment in
                let arguments = ["-c", script, logger, folder.appendingPathComponent("log").path, effect]
                return try Programs.run("sh", arguments, environment: environment).lines
            }
        }
    }

    @Test(
        "If the disk has failed at the end, the GPS logger's exit status reports it",
        .enabled(if: canTrace, "strace is not installed, or may not trace: apt-get install strace"))
    func gpsLoggerStatus() throws {
        let lines = try Self.trace("inject=fsync:error=EIO")
        // Reported once, regardless of the number of failures.
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("gps-logger: The log cannot be written: ") == true, "\(lines)")
        #expect(lines.last == "74")
    }

    @Test("The GPS logger rejects invalid arguments with a message")
    func gpsLoggerEnd() throws {
        #expect(try Programs.run("gps-logger").status == 64)
        #expect(try Programs.run("gps-logger", ["/dev/null/folder", "10", "s"]).status == 64)
        let refused = try Programs.run("gps-logger", ["/dev/null/folder"])
        #expect(refused.status == 73)
        #expect(refused.lines.first?.contains("/dev/null/folder") == true)
    }
}
