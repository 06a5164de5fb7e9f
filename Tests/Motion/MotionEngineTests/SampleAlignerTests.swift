// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import MotionEngine

/// Feeds an aligner and logs its output: "g10 a10 m10 s10" for the samples and the state at 10 ms.
private struct AlignerBench {
    var aligner = SampleAligner()
    var output: [String] = []
    private let sensors: [SampleAligner.Sensor]

    init(_ sensors: [SampleAligner.Sensor] = [.gyroscope, .accelerometer, .magnetometer]) {
        self.sensors = sensors
        for sensor in sensors { aligner.setExpected(sensor, true) }
    }

    static func time(_ milliseconds: Int) -> BootTime {
        BootTime(nanoseconds: 1_000_000_000_000 + Int64(milliseconds) * 1_000_000)
    }

    mutating func add(_ sensor: SampleAligner.Sensor, _ times: Int..., arrival: Int? = nil) {
        aligner.add(
            sensor, values: times.map { [Double($0), 0, 0] }, times: times.map { Self.time($0) },
            arrival: Self.time(arrival ?? times.last ?? 0))
        runSteps()
    }

    mutating func runSteps() {
        while let step = aligner.next() {
            switch step {
            case .gyroscope(_, let time): append("g", time)
            case .accelerometer(_, let time): append("a", time)
            case .magnetometer(_, let time): append("m", time)
            case .state(let time): append("s", time)
            }
        }
    }

    private mutating func append(_ letter: String, _ time: BootTime) {
        output.append("\(letter)\((time.nanoseconds - Self.time(0).nanoseconds) / 1_000_000)")
    }

    /// Returns the output since the last call.
    mutating func consumeOutput() -> String {
        defer { output = [] }
        return output.joined(separator: " ")
    }

    /// Adds a sample of each sensor every 10 ms.
    mutating func run(_ steps: ClosedRange<Int>) {
        for step in steps {
            for sensor in sensors { add(sensor, step * 10) }
        }
    }
}

@Suite("Sample alignment")
struct SampleAlignerTests {
    @Test("Simultaneous samples are output as gyroscope, accelerometer, magnetometer in any arrival order")
    func orders() {
        let orders: [[SampleAligner.Sensor]] = [
            [.gyroscope, .accelerometer, .magnetometer], [.gyroscope, .magnetometer, .accelerometer],
            [.accelerometer, .gyroscope, .magnetometer], [.accelerometer, .magnetometer, .gyroscope],
            [.magnetometer, .gyroscope, .accelerometer], [.magnetometer, .accelerometer, .gyroscope],
        ]
        for order in orders {
            var bench = AlignerBench()
            for step in 1...3 {
                for sensor in order { bench.add(sensor, step * 10) }
                #expect(bench.consumeOutput() == "g\(step)0 a\(step)0 m\(step)0 s\(step)0")
            }
        }
    }

    @Test("A state waits for samples that are due, but no longer than until the gyroscope's next sample")
    func bound() {
        var bench = AlignerBench()
        bench.run(1...5)
        _ = bench.consumeOutput()
        bench.add(.gyroscope, 60)
        bench.add(.magnetometer, 60)
        #expect(bench.consumeOutput() == "")
        bench.add(.gyroscope, 70)
        #expect(bench.consumeOutput() == "g60 m60 s60")
        bench.add(.accelerometer, 70)
        bench.add(.magnetometer, 70)
        #expect(bench.consumeOutput() == "g70 a70 m70 s70")
    }

    @Test("A state waits for a slower sensor only if its sample is due")
    func slower() {
        var bench = AlignerBench()
        for step in 1...12 {
            bench.add(.gyroscope, step * 10)
            bench.add(.accelerometer, step * 10)
            if step % 4 == 0 { bench.add(.magnetometer, step * 10) }
        }
        _ = bench.consumeOutput()
        for step in 13...15 {
            bench.add(.gyroscope, step * 10)
            bench.add(.accelerometer, step * 10)
            #expect(bench.consumeOutput() == "g\(step)0 a\(step)0 s\(step)0")
        }
        bench.add(.gyroscope, 160)
        bench.add(.accelerometer, 160)
        #expect(bench.consumeOutput() == "")
        bench.add(.magnetometer, 160)
        #expect(bench.consumeOutput() == "g160 a160 m160 s160")
    }

    @Test("All samples between two gyroscope samples precede the later state")
    func between() {
        var bench = AlignerBench([.gyroscope, .accelerometer])
        bench.run(1...5)
        _ = bench.consumeOutput()
        bench.add(.accelerometer, 52)
        bench.add(.accelerometer, 57)
        bench.add(.gyroscope, 60)
        bench.add(.accelerometer, 62)
        #expect(bench.consumeOutput() == "g60 a52 a57 s60")
    }

    @Test("A late sample keeps its time and precedes the next state")
    func late() {
        var bench = AlignerBench()
        bench.run(1...5)
        _ = bench.consumeOutput()
        for step in 6...8 {
            bench.add(.gyroscope, step * 10)
            bench.add(.accelerometer, step * 10)
        }
        bench.add(.magnetometer, 60, arrival: 81)
        bench.add(.magnetometer, 80)
        #expect(bench.consumeOutput() == "g60 a60 s60 g70 a70 s70 g80 a80 m60 m80 s80")
    }

    @Test("Batches with the same times are aligned in either arrival order")
    func batches() {
        for isGyroscopeFirst in [true, false] {
            var bench = AlignerBench([.gyroscope, .accelerometer])
            if isGyroscopeFirst { bench.add(.gyroscope, 10, 20, 30, arrival: 35) }
            bench.add(.accelerometer, 10, 20, 30, arrival: 35)
            if !isGyroscopeFirst { bench.add(.gyroscope, 10, 20, 30, arrival: 35) }
            #expect(bench.consumeOutput() == "g10 a10 s10 g20 a20 s20 g30 a30 s30")
        }
    }

    @Test("Waiting samples are released when no further ones follow")
    func release() {
        var bench = AlignerBench()
        bench.run(1...5)
        _ = bench.consumeOutput()
        bench.add(.gyroscope, 60)
        bench.add(.magnetometer, 60)
        bench.aligner.flush()
        bench.runSteps()
        #expect(bench.consumeOutput() == "g60 m60 s60")
        #expect(bench.aligner.waitingSince == nil)
        // Later samples wait again.
        bench.add(.gyroscope, 70)
        #expect(bench.consumeOutput() == "")
    }

    @Test("A state does not wait for a sensor that is lost or has been silent for half a second")
    func lostAndSilent() {
        var bench = AlignerBench()
        bench.run(1...5)
        _ = bench.consumeOutput()
        bench.aligner.recordLoss(of: .magnetometer)
        bench.add(.gyroscope, 60)
        bench.add(.accelerometer, 60)
        #expect(bench.consumeOutput() == "g60 a60 s60")
        // The accelerometer becomes silent: at 570 ms its last sample is 510 ms old.
        for step in 7...56 { bench.add(.gyroscope, step * 10) }
        _ = bench.consumeOutput()
        bench.add(.gyroscope, 570)
        bench.add(.gyroscope, 580)
        #expect(bench.consumeOutput() == "g560 s560 g570 s570 g580 s580")
        #expect(!bench.aligner.isPresent(.accelerometer))
        bench.add(.accelerometer, 590)
        bench.add(.gyroscope, 590)
        #expect(bench.consumeOutput() == "g590 a590 s590")
        #expect(bench.aligner.isPresent(.accelerometer))
    }

    @Test("Without a gyroscope, each accelerometer sample yields a state until the gyroscope returns")
    func withoutGyroscope() {
        var bench = AlignerBench()
        bench.run(1...5)
        _ = bench.consumeOutput()
        // A waiting sample is released by the loss.
        bench.add(.gyroscope, 60)
        bench.aligner.recordLoss(of: .gyroscope)
        bench.runSteps()
        #expect(bench.consumeOutput() == "g60 s60")
        bench.add(.accelerometer, 70)
        bench.add(.magnetometer, 70)
        #expect(bench.consumeOutput() == "a70 m70 s70")
        bench.aligner.recordRecovery(of: .gyroscope)
        bench.add(.gyroscope, 80)
        bench.add(.accelerometer, 80)
        bench.add(.magnetometer, 80)
        #expect(bench.consumeOutput() == "g80 a80 m80 s80")
    }

    @Test("States wait half a second for a silent gyroscope")
    func silentGyroscope() {
        var bench = AlignerBench([.gyroscope, .accelerometer])
        bench.run(1...5)
        _ = bench.consumeOutput()
        for step in 6...55 { bench.add(.accelerometer, step * 10) }
        #expect(bench.consumeOutput() == "")
        bench.add(.accelerometer, 560)
        let output = bench.consumeOutput()
        #expect(output.hasPrefix("a60 s60 a70 s70"))
        #expect(output.hasSuffix("a560 s560"))
        bench.add(.gyroscope, 565)
        bench.add(.accelerometer, 570)
        bench.add(.gyroscope, 575)
        bench.add(.gyroscope, 585)
        #expect(bench.consumeOutput() == "g565 s565 g575 a570 s575")
    }

    @Test("After all clocks are set back together, alignment continues in either arrival order")
    func setBack() {
        for isGyroscopeFirst in [true, false] {
            var bench = AlignerBench([.gyroscope, .accelerometer])
            bench.run(100...105)
            _ = bench.consumeOutput()
            for step in 1...3 {
                let arrival = 1050 + step * 10
                if isGyroscopeFirst { bench.add(.gyroscope, step * 10, arrival: arrival) }
                bench.add(.accelerometer, step * 10, arrival: arrival)
                if !isGyroscopeFirst { bench.add(.gyroscope, step * 10, arrival: arrival) }
            }
            #expect(bench.consumeOutput() == "g10 a10 s10 g20 a20 s20 g30 a30 s30")
        }
    }

    @Test("A sensor with a deviating clock is aligned by arrival until its timestamps are correct again")
    func ownClock() {
        for offset in [1_000_000, -1_000_000] {
            var bench = AlignerBench([.gyroscope, .accelerometer])
            bench.run(1...5)
            for step in 6...300 {
                bench.add(.gyroscope, step * 10)
                bench.add(.accelerometer, step * 10 + offset, arrival: step * 10)
            }
            _ = bench.consumeOutput()
            bench.add(.gyroscope, 3010)
            bench.add(.accelerometer, 3010 + offset, arrival: 3010)
            bench.add(.gyroscope, 3020)
            // The sample that arrived after the one at 3000 ms is aligned to that time.
            #expect(bench.consumeOutput().contains("g3010 a3000 s3010") || bench.consumeOutput().contains("a3010"))
            for step in 303...310 {
                bench.add(.gyroscope, step * 10)
                bench.add(.accelerometer, step * 10)
            }
            #expect(bench.consumeOutput().hasSuffix("g3100 a3100 s3100"))
        }
    }

    @Test("Repeated samples and timestamps that go back are ignored")
    func repeated() {
        var bench = AlignerBench([.gyroscope, .accelerometer])
        bench.run(1...5)
        _ = bench.consumeOutput()
        bench.add(.gyroscope, 50)
        bench.add(.accelerometer, 45)
        bench.run(6...6)
        #expect(bench.consumeOutput() == "g60 a60 s60")
    }

    @Test("A changed rate takes effect without a delay")
    func rateChange() {
        var bench = AlignerBench([.gyroscope, .accelerometer])
        bench.run(1...20)
        _ = bench.consumeOutput()
        for time in [205, 210, 215, 220] {
            bench.add(.gyroscope, time)
            bench.add(.accelerometer, time)
        }
        #expect(bench.consumeOutput() == "g205 s205 g210 a205 a210 s210 g215 a215 s215 g220 a220 s220")
        for time in [240, 260, 280] {
            bench.add(.gyroscope, time)
            bench.add(.accelerometer, time)
        }
        #expect(bench.consumeOutput() == "g240 a240 s240 g260 a260 s260 g280 a280 s280")
    }

    @Test("Queues are bounded")
    func bounded() {
        var bench = AlignerBench([.gyroscope, .accelerometer])
        // All batches have the same arrival time, so that samples of the gyroscope may still follow.
        for start in 0..<5 {
            let times = (1...1000).map { AlignerBench.time(start * 10_000 + $0 * 10) }
            bench.aligner.add(
                .accelerometer, values: times.map { _ in [0, 0, 9.81] }, times: times, arrival: AlignerBench.time(0))
            bench.runSteps()
        }
        bench.add(.gyroscope, 60_000, arrival: 1)
        bench.aligner.flush()
        bench.runSteps()
        #expect(bench.output.count { $0.hasPrefix("a") } <= 2048)
        #expect(bench.output.last == "s60000")
    }
}
