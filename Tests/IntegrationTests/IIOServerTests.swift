// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import Foundation
@testable import IIODSimulator
import IIOFormat
import IIOSource
import Synchronization
import Testing

extension IntegrationTests {
    /// Tests the motion source through the real libiio, against the simulated iiod and its faults.
    @Suite("The motion source with libiio and the simulated iiod")
    struct IIOServerTests {
        /// Records the events of a subscriber.
        private final class Story: Sendable {
            private struct State {
                var lost: [DeviceError] = []
                var regained = 0
                var samples = 0
                var value = SIMD3<Double>.zero
                var times: [BootTime] = []
            }

            private let state = Mutex(State())

            func note(_ event: MotionEvent) {
                state.withLock { state in
                    switch event {
                    case .lost(let error): state.lost.append(error)
                    case .regained: state.regained += 1
                    case .samples(let batch):
                        state.samples += batch.count
                        state.value = batch.values.last ?? state.value
                        state.times = Array((state.times + batch.times).suffix(64))
                    }
                }
            }

            var lost: [DeviceError] { state.withLock { $0.lost } }
            var regained: Int { state.withLock { $0.regained } }
            var samples: Int { state.withLock { $0.samples } }
            var value: SIMD3<Double> { state.withLock { $0.value } }
            var times: [BootTime] { state.withLock { $0.times } }
        }

        /// Waits until the condition holds. Returns false on timeout.
        private static func waits(until holds: () -> Bool) async throws -> Bool {
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(timeout)
            while clock.now < deadline {
                if holds() { return true }
                try await Task.sleep(for: .milliseconds(2))
            }
            return holds()
        }

        private static func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
        }

        private static var options: IIOSourceOptions {
            var options = IIOSourceOptions()
            options.initialRetryDelay = 0.01
            options.maximumRetryDelay = 0.02
            options.searchInterval = 0.05
            return options
        }

        private static func source(_ port: UInt16) throws -> IIOSource {
            IIOSource(
                addresses: [try MotionSourceAddress("ip:127.0.0.1:\(port)")], clock: LiveClock(), options: options)
        }

        private static let up = SIMD3(0.5, -1.25, 9.80665)

        /// A device with one accelerometer at rest, at 1,000 samples per second.
        private static func server() -> IIODServer {
            var sensor = SensorDescription(id: "accel", kind: .accelerometer)
            sensor.name = "mpu6050"
            sensor.rates = .list([100, 1000])
            return IIODServer(
                context: SimulatedIIOContext(sensors: [sensor]), samples: IIORestSource([.accelerometer: up]))
        }

        private static let request = MotionRequest(kind: .accelerometer)

        private static func isNear(_ value: SIMD3<Double>, _ wanted: SIMD3<Double>) -> Bool {
            let difference = value - wanted
            return max(abs(difference.x), abs(difference.y), abs(difference.z)) < 1e-6
        }

        @Test("A port can be used repeatedly, and sample times are recent and increasing")
        func port() async throws {
            let server = Self.server()
            let source = try Self.source(try server.start())
            for _ in 0..<5 {
                let story = Story()
                let subscription = source.subscribe(Self.request) { story.note($0) }
                #expect(try await Self.waits { story.samples >= 50 })
                subscription.cancel()
                #expect(Self.isNear(story.value, Self.up))
                #expect(zip(story.times, story.times.dropFirst()).allSatisfy { $0 < $1 })
                let age = LiveClock().now.seconds(since: try #require(story.times.last))
                #expect(age > -0.01 && age < timeout)
                #expect(story.lost.isEmpty)
            }
            #expect(try await Self.waits { server.connectionCount == 0 })
        }

        /// Runs in a separate process, which shares no descriptors and threads with other tests.
        @Test(
            "Fifty disconnections report one loss and one recovery each, and leak nothing",
            .alone("samples that stand still for a second are a loss"))
        func goneAndBack() async {
            await #expect(processExitsWith: .success) {
                for (fault, cure) in [("kill", "restart"), ("unplug", "return"), ("enodev", "")] {
                    try await IIOServerTests.goAndComeBack(fault: fault, cure: cure)
                }
            }
        }

        private static func goAndComeBack(fault: String, cure: String) async throws {
            let server = server()
            let source = try source(try server.start())
            let story = Story()
            let subscription = source.subscribe(request) { story.note($0) }
            #expect(try await waits { story.samples > 100 })
            let descriptors = count("/proc/self/fd")
            let threads = count("/proc/self/task")
            for round in 1...50 {
                server.inject(try IIODFault(fault))
                try #require(try await waits { story.lost.count == round })
                if !cure.isEmpty { server.inject(try IIODFault(cure)) }
                try #require(try await waits { story.regained == round })
            }
            #expect(story.lost.count == 50)
            #expect(isNear(story.value, up))
            // If each round leaked one, fifty would remain.
            #expect(try await waits { count("/proc/self/fd") <= descriptors + 2 })
            #expect(try await waits { count("/proc/self/task") <= threads + 2 })
            subscription.cancel()
            #expect(try await waits { server.connectionCount == 0 })
        }

        @Test("A stalled server is reported as silent once, direct reads continue, and streaming resumes")
        func stall() async throws {
            let server = Self.server()
            let source = try Self.source(try server.start())
            let story = Story()
            let subscription = source.subscribe(Self.request) { story.note($0) }
            // The first sample is read before the buffer starts.
            #expect(try await Self.waits { story.samples > 100 })
            server.inject(try IIODFault("stall"))
            #expect(try await Self.waits { story.lost.count == 1 })
            #expect(story.lost.first?.code == .silent)
            #expect(try await Self.waits { story.regained == 1 })
            server.inject(try IIODFault("resume"))
            let before = story.samples
            // More than the 200 samples per second of direct reads.
            #expect(try await Self.waits { story.samples > before + 3000 })
            #expect(story.lost.count == 1)
            subscription.cancel()
            #expect(try await Self.waits { server.connectionCount == 0 })
        }

        // MARK: Unusual devices

        private static func channel(
            _ id: String, _ index: Int, _ format: String, _ raw: Int64, scale: String? = "0.01"
        ) -> IIOChannel {
            var attributes = [IIOAttribute(name: "raw", filename: "in_\(id)_raw", value: "\(raw)")]
            if let scale { attributes.append(IIOAttribute(name: "scale", filename: "in_\(id)_scale", value: scale)) }
            return IIOChannel(
                id: id, scan: IIODataFormat(format).map { IIOScanElement(index: index, format: $0) },
                attributes: attributes)
        }

        /// A device with one channel per format. The raw values of its axes are 100, -200 and 981.
        private static func device(
            _ formats: [String], scale: String = "0.01", extra: [IIOChannel] = [], hasStamp: Bool = true,
            matrix: String? = nil
        ) -> IIODevice {
            var channels: [IIOChannel] = []
            for (place, axis) in ["x", "y", "z"].enumerated() {
                channels.append(
                    channel(
                        "accel_\(axis)", place, formats[place % formats.count], [100, -200, 981][place], scale: scale))
            }
            channels += extra
            if hasStamp, let stamp = IIODataFormat("le:s64/64>>0") {
                channels.append(IIOChannel(id: "timestamp", scan: IIOScanElement(index: 9, format: stamp)))
            }
            var attributes = [IIOAttribute(name: "sampling_frequency", value: "200")]
            if let matrix { attributes.append(IIOAttribute(name: "mount_matrix", value: matrix)) }
            return IIODevice(id: "iio:device0", name: "odd", channels: channels, attributes: attributes)
        }

        private static let odd: [String: IIODevice] = [
            "3 x s32 and s16 without a time stamp": device(
                ["le:s32/32>>0"], extra: [channel("temp", 3, "le:s16/16>>0", 25)], hasStamp: false),
            "s32, s32, s16 without a time stamp: libiio 0.24 miscounts": device(
                ["le:s32/32>>0", "le:s32/32>>0", "le:s16/16>>0"], hasStamp: false),
            "big-endian": device(["be:s16/16>>0"]),
            "12 bits shifted": device(["le:s12/16>>4"]),
            "an unknown channel type": device(
                ["le:s16/16>>0"], extra: [channel("deltaangl_x", 3, "le:s32/32>>0", 7)]),
            "a singular matrix": device(["le:s16/16>>0"], matrix: "1, 0, 0; 1, 0, 0; 0, 0, 1"),
        ]

        @Test("Unusual devices deliver correct values", arguments: odd.keys.sorted())
        func oddDevice(name: String) async throws {
            let device = try #require(Self.odd[name])
            let server = IIODServer(
                context: SimulatedIIOContext(IIOContext(devices: [device])), samples: IIORestSource())
            let source = try Self.source(try server.start())
            let story = Story()
            let subscription = source.subscribe(Self.request) { story.note($0) }
            #expect(try await Self.waits { story.samples >= 20 })
            // Raw 100, -200 and 981, scaled by 0.01.
            #expect(Self.isNear(story.value, SIMD3(1, -2, 9.81)), "\(story.value)")
            #expect(story.lost.isEmpty)
            let remarks = source.sensors.first?.remarks ?? []
            #expect(remarks.contains { $0.contains("singular") } == (name == "a singular matrix"))
            subscription.cancel()
            #expect(try await Self.waits { server.connectionCount == 0 })
        }

        @Test("A device without a trigger is captured with the trigger of its name")
        func missingTrigger() async throws {
            let trigger = IIODevice(id: "trigger0", name: "odd-dev0")
            var context = SimulatedIIOContext(IIOContext(devices: [Self.device(["le:s16/16>>0"]), trigger]))
            context.devicesNeedingTrigger = ["iio:device0"]
            context.triggers[0] = -1
            let server = IIODServer(context: context, samples: IIORestSource())
            let source = try Self.source(try server.start())
            let story = Story()
            let subscription = source.subscribe(Self.request) { story.note($0) }
            #expect(try await Self.waits { story.samples >= 20 })
            #expect(source.sensors.map(\.mode) == [.buffered])
            #expect(story.lost.isEmpty)
            subscription.cancel()
        }

        @Test("An invalid scale yields one clear error", arguments: ["0", "nan", "0,01"])
        func scale(text: String) async throws {
            let server = IIODServer(
                context: SimulatedIIOContext(IIOContext(devices: [Self.device(["le:s16/16>>0"], scale: text)])),
                samples: IIORestSource())
            let source = try Self.source(try server.start())
            let story = Story()
            let subscription = source.subscribe(Self.request) { story.note($0) }
            #expect(try await Self.waits { !story.lost.isEmpty })
            #expect(story.lost.count == 1)
            let message = story.lost.first?.message ?? ""
            #expect(message.contains("in_accel_x_scale") && message.contains("\"\(text)\""), "\(message)")
            #expect(story.samples == 0)
            subscription.cancel()
        }

        @Test("An empty context has no sensors, and a subscriber receives no loss")
        func empty() async throws {
            let server = IIODServer(context: SimulatedIIOContext(IIOContext()), samples: IIORestSource())
            let source = try Self.source(try server.start())
            #expect(source.sensors.isEmpty)
            #expect(source.problems.isEmpty)
            let story = Story()
            let subscription = source.subscribe(Self.request) { story.note($0) }
            #expect(story.lost.isEmpty)
            subscription.cancel()
            #expect(try await Self.waits { server.connectionCount == 0 })
        }
    }
}
#endif
