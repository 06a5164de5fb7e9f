// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Motion readings in CSV")
struct MotionCSVTests {
    @Test("SI columns are read, microtesla are converted to gauss, and accelerations keep their sign")
    func si() throws {
        let recording = try Recording(
            text: "t,gx,gy,gz,ax,ay,az,mx,my,mz\n0,0.1,0.2,0.3,0,0,9.81,20,-40,5\n0.01,1,2,3,4,5,6,7,8,9\n")
        #expect(recording.track(.gyroscope)?.values == [[0.1, 0.2, 0.3], [1, 2, 3]])
        #expect(recording.track(.accelerometer)?.values == [[0, 0, 9.81], [4, 5, 6]])
        #expect(recording.track(.magnetometer)?.values == [[0.2, -0.4, 0.05], [0.07, 0.08, 0.09]])
        #expect(recording.tracks.allSatisfy { $0.times == [0, 10_000_000] })
        #expect(recording.track(.gyroscope)?.sensor.rates == .list([100]))
        #expect(recording.start == nil)
        #expect(recording.remarks == [])
    }

    @Test("Readings with impossible numbers are omitted and counted")
    func impossible() throws {
        let recording = try Recording(
            text: "t,ax,ay,az\n0,0,0,9.81\n0.01,1e10,0,9.81\n0.02,0,-1e300,9.81\n0.03,0,0,9.82\n")
        #expect(recording.track(.accelerometer)?.values == [[0, 0, 9.81], [0, 0, 9.82]])
        #expect(recording.remarks == ["2 readings of the accelerometer have impossible values and were skipped."])
    }

    @Test("Columns may be in any order, unknown ones are ignored, and empty cells give no readings")
    func sparse() throws {
        let recording = try Recording(
            text: """
                az,note,ay,ax,p,T
                9.8,start,0,0,,0.5
                NaN,,nan,,,0.6
                ,,,,101.3,0.7
                9.7,,0.1,0.2,101.4,0.8

                """)
        #expect(recording.track(.accelerometer)?.values == [[0, 0, 9.8], [0.2, 0.1, 9.7]])
        #expect(recording.track(.accelerometer)?.times == [500_000_000, 800_000_000])
        #expect(recording.track(.pressure)?.values == [[101.3, 0, 0], [101.4, 0, 0]])
        #expect(recording.track(.pressure)?.times == [700_000_000, 800_000_000])
        #expect(recording.tracks.count == 2)
    }

    @Test("The kernel's column order implies gauss")
    func iio() throws {
        let recording = try Recording(text: "t,ax,ay,az,gx,gy,gz,mx,my,mz\n1,0,0,9.8,0,0,1.57,0.1,0.2,-0.43\n")
        #expect(recording.track(.magnetometer)?.values == [[0.1, 0.2, -0.43]])
        #expect(recording.track(.gyroscope)?.values == [[0, 0, 1.57]])
        #expect(recording.remarks == [])
    }

    @Test("A magnetic field that is off by a factor of 100 gives a remark")
    func units() throws {
        let gauss = try Recording(text: "t,mx,my,mz\n0,0.1,0.2,-0.43\n")
        #expect(gauss.remarks.contains { $0.contains("gauss") })
        let microtesla = try Recording(text: "t,ax,ay,az,gx,gy,gz,mx,my,mz\n0,0,0,9,0,0,0,10,20,-43\n")
        #expect(microtesla.remarks.contains { $0.contains("microtesla") })
        let received = try Recording(text: "t,mx,my,mz\n0,0.1,0.2,-0.43\n", options: .init(layout: .iio))
        #expect(received.track(.magnetometer)?.values == [[0.1, 0.2, -0.43]])
        #expect(received.remarks == [])
    }

    @Test("The integer rows of BROAD are 0.0105 s apart, and some contain an attitude")
    func broad() throws {
        let recording = try Recording(
            text: """
                gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move
                99,-36,-60,22,-3,9811,3,168,-409
                -14,-39,67,-262,-347,9843,1,138,-393,99972,-2008,1256,-139,0

                """)
        // Missing cells in unused columns give no remark.
        #expect(recording.remarks == [])
        // The units are 1e-4 rad/s, 1e-3 m/s², and 0.1 microtesla = 0.001 gauss.
        #expect(isClose(recording.track(.gyroscope)?.values[0] ?? .zero, [0.0099, -0.0036, -0.006]))
        #expect(isClose(recording.track(.accelerometer)?.values[1] ?? .zero, [-0.262, -0.347, 9.843]))
        #expect(isClose(recording.track(.magnetometer)?.values[0] ?? .zero, [0.003, 0.168, -0.409]))
        #expect(recording.track(.gyroscope)?.times == [0, 10_500_000])
    }

    @Test("Core Motion's gravity and user acceleration are added and negated")
    func motionSense() throws {
        let recording = try Recording(
            text: """
                roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz
                0,0,0,0,0,-10000,100,200,300,0,0,0
                0,0,0,7419,6698,-317,3167,7782,10828,2949,-1845,3775

                """)
        // Face up at rest, Core Motion reports -1 g. The second row is -(0.7419 + 0.2949), -(0.6698 - 0.1845),
        // -(-0.0317 + 0.3775), times 9.80665.
        #expect(recording.track(.accelerometer)?.values[0] == [0, 0, 9.80665])
        let expected: SIMD3<Double> = [-1.0368 * 9.80665, -0.4853 * 9.80665, -0.3458 * 9.80665]
        #expect(isClose(recording.track(.accelerometer)?.values[1] ?? .zero, expected, 1e-12))
        #expect(recording.track(.gyroscope)?.values[0] == [0.01, 0.02, 0.03])
        #expect(recording.track(.gyroscope)?.times == [0, 20_000_000])
        #expect(recording.track(.magnetometer) == nil)
    }

    @Test("Rows without times require a period, which an option can set")
    func period() throws {
        #expect(csvError("ax,ay,az\n1,2,3\n")?.contains("line 1: there is no column t") == true)
        let text = "ax,ay,az\n1,2,3\n\n4,5,6\n7,8,9\n"
        let recording = try Recording(
            text: text, options: .init(period: .seconds(0.02), start: WallTime(nanoseconds: 5)))
        #expect(recording.track(.accelerometer)?.times == [0, 20_000_000, 40_000_000])
        #expect(recording.start == WallTime(nanoseconds: 5))
        for seconds in [0, -1, 1e9] {
            #expect(csvError(text, options: .init(period: .seconds(seconds)))?.contains("not a valid interval") == true)
        }
    }

    @Test("Seconds since 1970 set the start, and times before zero move it")
    func times() throws {
        let civil = try Recording(text: "t,ax,ay,az\n1767620467.350470700,0,0,9\n1767620467.360470701,0,0,9\n")
        #expect(civil.start == WallTime(nanoseconds: 1_767_620_467_350_470_700))
        #expect(civil.tracks[0].times == [0, 10_000_001])
        let early = try Recording(
            text: "t,ax,ay,az\n-0.5,0,0,9\n0.5,0,0,9\n", options: .init(start: WallTime(nanoseconds: 2_000_000_000)))
        #expect(early.tracks[0].times == [0, 1_000_000_000])
        #expect(early.start == WallTime(nanoseconds: 1_500_000_000))
        let late = try Recording(text: "t,ax,ay,az\n7.25,0,0,9\n")
        #expect(late.tracks[0].times == [7_250_000_000])
    }

    @Test("Rows out of order are sorted, and the first of two rows with equal times is kept")
    func order() throws {
        let recording = try Recording(text: "t,ax,ay,az\n2,2,0,0\n1,1,0,0\n2,3,0,0\n3,4,0,0\n")
        #expect(recording.tracks[0].values.map(\.x) == [1, 2, 4])
        #expect(recording.tracks[0].times == [1_000_000_000, 2_000_000_000, 3_000_000_000])
        #expect(recording.remarks.count == 2)
    }

    @Test("A row with only some axes of a sensor gives no reading, and a remark reports it")
    func partial() throws {
        let recording = try Recording(text: "t,ax,ay,az\n0,1,,3\n1,1,2,3\n")
        #expect(recording.tracks[0].values == [[1, 2, 3]])
        #expect(recording.remarks.first?.hasPrefix("1 readings had only some axes") == true)
    }

    @Test(
        "Errors name the file, line, column and remedy",
        arguments: [
            ("t,ax,ay,az\n1,1,x2,3\n", "t.csv, line 2, column 3 (ay): \"x2\" is not a number. Correct it"),
            ("t;ax;ay;az\n0;0;0;9,81\n", "t.csv, line 2, column 4 (az): \"9,81\" has a decimal comma. Export with"),
            ("t,ax,ay,az\n0,\"0,5\",0,9\n", "t.csv, line 2, column 2 (ax): \"0,5\" has a decimal comma"),
            (
                "t,ax,ay,az\n0,01,0,02,0,03,9,81\n",
                "t.csv, line 2: the row has 8 cells, but the header has 4. Its numbers may have decimal commas"
            ),
            ("t,ax,az\n0,1,2\n", "t.csv, line 1: the header lacks ay"),
            ("t,foo,bar\n0,1,2\n", "t.csv, line 1: these columns are unknown: t,foo,bar"),
            ("t,ax,ay,az\n,1,2,3\n", "t.csv, line 2, column 1 (t): the row has readings but no time"),
            ("t,ax,ay,az\n1e30,1,2,3\n", "t.csv, line 2, column 1 (t): the time \"1e30\" is out of range"),
            ("t,ax,ay,az\n", "t.csv has a header but no readings"),
            ("t,ax,ay,az\n0,nan,nan,nan\n", "t.csv has a header but no readings"),
            ("", "t.csv is empty"),
        ])
    func errors(text: String, expected: String) {
        let message = csvError(text)
        #expect(message?.contains(expected) == true, "\(message ?? "no error")")
    }

    @Test("Written CSV has one row for each time and is read back unchanged")
    func written() throws {
        let text = """
            t,gx,gy,gz,ax,ay,az,mx,my,mz,p
            0.000000000,0.1,0.2,0.3,0.0,0.0,9.81,,,,
            0.005000000,,,,,,,25.0,-50.0,12.5,
            0.010000000,1e-05,-2.0,3.0,,,,,,,101.325

            """
        let recording = try Recording(text: text)
        #expect(String(decoding: recording.csv(), as: UTF8.self) == text)
        let reread = try Recording(csv: recording.csv(), name: "t.csv")
        #expect(reread.tracks == recording.tracks)
    }

    @Test("The mount matrix is applied when CSV is written, because CSV is in the device's axes")
    func mounted() throws {
        var recording = try Recording(text: "t,ax,ay,az\n0,1,2,3\n")
        recording.tracks[0].sensor.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        #expect(String(decoding: recording.csv(), as: UTF8.self) == "t,ax,ay,az\n0.000000000,2.0,-1.0,3.0\n")
    }

    @Test("Random changes never crash the process")
    func changes() {
        let text = [UInt8](
            "t,gx,gy,gz,ax,ay,az,mx,my,mz\n0,0.1,0.2,0.3,0,0,9.81,20,-40,5\n0.01,1,2,3,4,\"5\",6,7,8,9\n".utf8)
        for length in 0...text.count { _ = try? Recording(csv: [UInt8](text.prefix(length)), name: "t.csv") }
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<3000 {
            var changed = text
            for _ in 0..<4 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                changed[Int(state % UInt64(text.count))] = UInt8(truncatingIfNeeded: state >> 32)
            }
            _ = try? Recording(csv: changed, name: "t.csv")
        }
    }
}
