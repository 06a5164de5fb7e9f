// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import sensorctl

@Suite("What the doctor says")
struct DiagnosisTests {
    /// A machine on which everything works.
    private static func healthy() -> MachineFacts {
        var sensor = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        sensor.name = "mpu6050"
        sensor.source = "local:"
        let trial = MachineFacts.Trial(sensor: sensor, readings: 150, seconds: 1.5, measuredRate: 99.96, failure: nil)
        let device = KernelSensor(
            id: "iio:device0", name: "mpu6050", hasBuffer: true, hasNode: true, canOpenNode: true,
            nodeOwnership: "0660, group iio", canWriteSettings: true, trigger: "mpu6050-dev0")
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        return MachineFacts(
            configuration: Configuration(), traits: ["LibGPS", "LibIIO"], user: "pi", isRoot: false, hasKernelBus: true,
            kernelSensors: [device], triggers: ["mpu6050-dev0"], canMakeTimerTriggers: false, trials: [trial],
            positionFailure: nil, receivers: [receiver],
            battery: BatteryReading(level: 0.8, state: .charging))
    }

    private static func problems(_ facts: MachineFacts) -> [Finding] {
        Diagnosis(facts).findings.filter { $0.level == .problem }
    }

    @Test("Where all is well there is no problem, and what works is named")
    func healthyMachine() {
        let diagnosis = Diagnosis(Self.healthy())
        #expect(!diagnosis.hasProblem)
        let text = diagnosis.findings.map(\.message).joined(separator: "\n")
        #expect(text.contains("/dev/ttyACM0"))
        #expect(text.contains("accelerometer mpu6050 gives readings (buffered, 100.0 readings a second"))
        #expect(text.contains("80 %, charging"))
    }

    @Test("A node that the user may not open brings a udev rule to copy, with the user's name in it")
    func permission() throws {
        var facts = Self.healthy()
        facts.kernelSensors[0].canOpenNode = false
        facts.kernelSensors[0].nodeOwnership = "0600, group root"
        let problem = try #require(Self.problems(facts).first)
        #expect(problem.message.contains("pi may not open /dev/iio:device0"))
        #expect(problem.message.contains("0600, group root"))
        #expect(problem.repair.contains { $0.contains("usermod -aG iio pi") })
        #expect(problem.repair.contains { $0.hasPrefix(#"SUBSYSTEM=="iio""#) && $0.contains(#"GROUP="iio""#) })
        facts.kernelSensors[0].canOpenNode = true
        facts.kernelSensors[0].canWriteSettings = false
        #expect(Self.problems(facts).first?.message.contains("may not set its rate and buffer") == true)
    }

    @Test("A kernel without Industrial I/O, one without devices, and one without nodes are told apart")
    func kernel() {
        var facts = Self.healthy()
        facts.trials = []
        facts.kernelSensors[0].hasNode = false
        #expect(Self.problems(facts).first?.message.contains("has no node /dev/iio:device0") == true)
        facts.kernelSensors = []
        #expect(Self.problems(facts).first?.message.contains("no driver has found its chip") == true)
        facts.hasKernelBus = false
        #expect(Self.problems(facts).map(\.message).count == 1)
        #expect(Self.problems(facts).first?.message.contains("/sys/bus/iio is missing") == true)
    }

    @Test("A kernel without sensors is no problem where those of another machine are read")
    func network() throws {
        var facts = Self.healthy()
        facts.hasKernelBus = false
        facts.kernelSensors = []
        facts.configuration.motionSources = Setting([.local, try MotionSourceAddress("ip:board")])
        #expect(Self.problems(facts).isEmpty)
        facts.configuration.motionSources = Setting([try MotionSourceAddress("ip:board")])
        facts.trials = []
        #expect(Self.problems(facts).first?.message == "No motion sensor was found at ip:board.")
    }

    @Test("A sensor that gives nothing says why, or how to find out")
    func silence() {
        var facts = Self.healthy()
        facts.trials[0].readings = 0
        #expect(Self.problems(facts).first?.message.contains("has given nothing in 1.5 s") == true)
        #expect(
            Self.problems(facts).first?.repair.first
                == "iio_readdev -u local: -s 10 mpu6050    # does libiio get anything?")
        facts.trials[0].failure = DeviceError(.busy, "Somebody else has the buffer.")
        #expect(Self.problems(facts).first?.message == "accelerometer mpu6050: Somebody else has the buffer.")
    }

    @Test("A device without a trigger gets one from a timer, as this kernel needs it")
    func trigger() {
        var facts = Self.healthy()
        facts.kernelSensors[0].trigger = ""
        facts.triggers = []
        let remark = Diagnosis(facts).findings.first { $0.message.contains("no trigger") }
        #expect(remark?.level == .remark)
        #expect(remark?.repair.first?.contains("modprobe iio-trig-hrtimer") == true)
        facts.canMakeTimerTriggers = true
        let second = Diagnosis(facts).findings.first { $0.message.contains("no trigger") }
        #expect(second?.repair == ["sudo mkdir /sys/kernel/config/iio/triggers/hrtimer/device-services"])
        // A part with a FIFO takes no trigger at all.
        facts.kernelSensors[0].trigger = nil
        #expect(!Diagnosis(facts).findings.contains { $0.message.contains("no trigger") })
    }

    @Test("Positions: gpsd away, gpsd without a receiver")
    func positions() {
        var facts = Self.healthy()
        facts.receivers = []
        #expect(Self.problems(facts).first?.repair.first?.contains("gpsdctl add") == true)
        facts.positionFailure = DeviceError(.unreachable, "Nobody listens.")
        #expect(Self.problems(facts).first?.message == "Nobody listens.")
        #expect(Self.problems(facts).first?.repair.contains("sudo systemctl enable --now gpsd.socket") == true)
    }

    @Test("Without libiio that is said, and nothing else about motion")
    func traits() {
        var facts = Self.healthy()
        facts.traits = ["LibGPS"]
        facts.trials = []
        #expect(Self.problems(facts).count == 1)
        #expect(Self.problems(facts).first?.message.contains("built without libiio") == true)
    }
}

@Suite("Lines that move")
struct SparklineTests {
    @Test("The least of the range is the lowest bar, the greatest the highest, and old readings fall out")
    func bars() {
        var line = Sparkline(width: 4)
        #expect(line.text(from: 0, to: 1) == "    ")
        for reading in [9, -1, 0, 0.5, 1] { line.add(reading) }
        #expect(line.text(from: -1, to: 1) == "▁▅▇█")
        line.add(.nan)
        #expect(line.text(from: -1, to: 1) == "▅▇█·")
        #expect(line.range?.least == 0)
        #expect(line.text(from: 1, to: 1) == "····")
    }
}
