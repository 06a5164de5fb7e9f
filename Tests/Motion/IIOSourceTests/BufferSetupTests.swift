// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import Testing

@testable import IIOSource

@Suite("Device setup")
struct BufferSetupTests {
    private static func group(_ library: ScriptedLibrary, settings: [SensorSetting] = []) throws -> DeviceGroup {
        let context = library.script.withLock { $0.context }
        return try #require(
            DeviceGroup.groups(in: context, address: .local, settings: settings, key: { id, _ in id }).first)
    }

    private static func setup(
        _ library: ScriptedLibrary, settings: [SensorSetting] = []
    ) throws -> BufferSetup {
        BufferSetup(
            group: try group(library, settings: settings), connection: ScriptedConnection(library), library: library,
            address: .local, options: Devices.quick)
    }

    private static let accelerometer = DeviceReadPlan(active: [0], rate: 80, latency: 0, isPolled: false)

    @Test("Clock, trigger and rate are set before the buffer with the timestamp channel is opened")
    func order() throws {
        let library = Devices.library()
        let setup = try Self.setup(library)
        var configured = try setup.configure(Self.accelerometer)
        try setup.open(&configured) { _ in true }
        #expect(
            library.journal.all == [
                "write current_timestamp_clock boottime", "trigger mpu6050-dev0", "write sampling_frequency 100",
                "buffer accel_x,accel_y,accel_z,timestamp x1",
            ])
        #expect(configured.timestampClock == .device)
        #expect(configured.rate == 100)
    }

    @Test("A sensor that cannot run slowly enough is decimated in its buffer", arguments: [true, false])
    func decimation(decimates: Bool) throws {
        let library = Devices.library()
        library.script.withLock { $0.writeFailures[Devices.rate] = 22 }
        let plan = DeviceReadPlan(active: [0], rate: 10, latency: 0, isPolled: false, decimates: decimates)
        let configured = try Self.setup(library).configure(plan)
        let rate = try #require(configured.rate)
        #expect(rate > 20 && configured.plan.decimation == (decimates ? Int(rate / 10) : 1))
        #expect(configured.plan.samples == configured.plan.decimation)
    }

    @Test("Decimation is planned only if it reduces the rate and all subscribers request the same rate")
    func decimationPlan() throws {
        let group = try Self.group(Devices.library())
        func decimates(
            _ demand: MotionDemand, other: MotionDemand? = nil, isPolled: Bool = false, mayDecimate: Bool = true
        ) -> Bool? {
            let demands = ["local:/iio:device0/accel": demand, "local:/iio:device0/anglvel": other]
            return DeviceReadPlan.plan(for: group, isPolled: isPolled, mayDecimate: mayDecimate) { demands[$0] ?? nil }?
                .decimates
        }
        // The slowest available rate is 10 Hz.
        let slow = MotionDemand(interval: 0.5, latency: 0, decimates: true)
        #expect(decimates(slow) == true)
        #expect(decimates(slow, other: slow) == true)
        #expect(decimates(MotionDemand(interval: 0.1, latency: 0, decimates: true)) == false)
        #expect(decimates(MotionDemand(interval: 0, latency: 0, decimates: true)) == false)
        #expect(decimates(MotionDemand(interval: 0.5, latency: 0)) == false)
        #expect(decimates(slow, other: MotionDemand(interval: 0.4, latency: 0, decimates: true)) == false)
        #expect(decimates(slow, isPolled: true) == false)
        #expect(decimates(slow, mayDecimate: false) == false)
    }

    @Test("If the clock cannot be set, its offset from the device's clock is determined")
    func clockRefused() throws {
        let library = Devices.library()
        library.script.withLock { script in
            script.writeFailures[Devices.clock] = 22
            script.clocks["realtime"] = 5_000_000_000
        }
        let configured = try Self.setup(library).configure(Self.accelerometer)
        #expect(configured.timestampClock == .local("realtime"))
        #expect(configured.facts.clock == "realtime")
        let corrector = configured.makeCorrector(
            clock: VirtualClock(now: BootTime(nanoseconds: 7_000_000_000)), library: library)
        #expect(corrector.offset == 2_000_000_000)
    }

    @Test("A rate that cannot be written is kept and reported")
    func rateRefused() throws {
        let library = Devices.library()
        library.script.withLock { $0.writeFailures[Devices.rate] = 13 }
        let configured = try Self.setup(library).configure(Self.accelerometer)
        #expect(configured.rate == 50)
        #expect(configured.facts.remarks.contains { $0.contains("100 Hz") && $0.contains("50 Hz") })
    }

    @Test("The rate is set on the trigger if it has a rate attribute")
    func triggerRate() throws {
        var context = Devices.context
        context.devices[1].attributes = [IIOAttribute(name: "sampling_frequency", value: "10")]
        let library = Devices.library(context)
        let configured = try Self.setup(library).configure(Self.accelerometer)
        #expect(library.journal.all.contains("write sampling_frequency 80"))
        #expect(configured.rate == 80)
    }

    @Test("If the scan size differs from the layout, the buffer is rejected and the axes are polled")
    func mismatch() throws {
        let library = Devices.library()
        library.script.withLock { $0.step = 14 }
        let setup = try Self.setup(library)
        var configured = try setup.configure(Self.accelerometer)
        do {
            try setup.open(&configured) { _ in true }
            Issue.record("It opened.")
        } catch {
            #expect(error.error.message.contains("14 bytes") && error.error.message.contains("16"))
            guard case .poll = error.remedy else {
                Issue.record("\(error.remedy)")
                return
            }
        }
        #expect(library.journal.count("close") == 1)
    }

    @Test("A device without a trigger gets a timer trigger if one can be created")
    func timerTrigger() throws {
        let library = Devices.library(IIOContext(devices: [Devices.imu()]))
        library.script.withLock { script in
            script.needsTrigger = true
            script.canCreateTimer = true
        }
        let setup = try Self.setup(library)
        var configured = try setup.configure(Self.accelerometer)
        try setup.open(&configured) { _ in true }
        #expect(
            library.journal.all.suffix(3) == [
                "buffer failed 22", "timer 100", "buffer accel_x,accel_y,accel_z,timestamp x1",
            ])
    }

    @Test("Without any trigger, the error names the expected triggers")
    func noTrigger() throws {
        let library = Devices.library(IIOContext(devices: [Devices.imu()]))
        library.script.withLock { $0.needsTrigger = true }
        let setup = try Self.setup(library)
        var configured = try setup.configure(Self.accelerometer)
        #expect {
            try setup.open(&configured) { _ in true }
        } throws: { error in
            (error as? ReaderFailure)?.error.message.contains("mpu6050-dev0") ?? false
        }
    }

    @Test("A configured trigger that does not exist is an error that lists the existing ones")
    func configuredTrigger() throws {
        let library = Devices.library()
        let setup = try Self.setup(library, settings: [SensorSetting(sensor: "mpu6050", trigger: "mine")])
        #expect {
            _ = try setup.configure(Self.accelerometer)
        } throws: { error in
            let message = (error as? ReaderFailure)?.error.message ?? ""
            return message.contains("\"mine\"") && message.contains("mpu6050-dev0")
        }
    }

    @Test("Sensors of one device are read at the fastest rate that a subscriber requests")
    func plan() throws {
        let group = try Self.group(Devices.library())
        let demands = [
            "local:/iio:device0/accel": MotionDemand(interval: 0.1, latency: 1),
            "local:/iio:device0/anglvel": MotionDemand(interval: 0.02, latency: 0.5),
        ]
        let plan = DeviceReadPlan.plan(for: group, isPolled: false) { demands[$0] }
        #expect(plan == DeviceReadPlan(active: [0, 1], rate: 50, latency: 0.5, isPolled: false))
        #expect(DeviceReadPlan.plan(for: group, isPolled: false) { _ in nil } == nil)
    }

    @Test("The configuration can request axis-by-axis polling")
    func polledSetting() throws {
        let group = try Self.group(Devices.library(), settings: [SensorSetting(sensor: "*", isPolled: true)])
        let plan = DeviceReadPlan.plan(for: group, isPolled: false) { _ in MotionDemand(interval: 1, latency: 0) }
        #expect(plan?.isPolled == true)
        #expect(group.members.allSatisfy { $0.description.mode == .polled })
    }
}
