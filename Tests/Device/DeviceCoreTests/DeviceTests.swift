// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import DeviceCore

@Suite("Device", .serialized)
struct DeviceTests {
    private final class Engine: Sendable {}
    private final class Filter: Sendable {
        let engine: Engine
        init(engine: Engine) { self.engine = engine }
    }

    private static func device(_ name: String = "test") -> Device {
        Device(
            name: name, clock: VirtualClock(), configuration: Configuration(), positionSource: PositionHub {})
    }

    /// A source that is identified by its problem.
    private struct LateSource: AccessorySource {
        var accessories: [AccessoryDescription] { [] }
        var problems: [DeviceError] { [DeviceError(.busy, "late")] }
        func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { Subscription {} }
        func open(_ id: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
            throw problems[0]
        }
    }

    @Test("The accessory source can become available after the device is created")
    func lateAccessories() {
        let isLinked = Mutex(false)
        let device = Device(
            name: "test", clock: VirtualClock(), configuration: Configuration(), positionSource: PositionHub {},
            motionSource: MotionHub(),
            accessories: { () -> any AccessorySource in
                if isLinked.withLock({ $0 }) { LateSource() } else { NoAccessorySource() }
            },
            beaconSource: NoBeaconSource(), statusSource: StatusHub(), calibrations: InMemoryCalibrationStore())
        #expect(device.accessorySource.problems.isEmpty)
        isLinked.withLock { $0 = true }
        #expect(device.accessorySource.problems.map(\.message) == ["late"])
    }

    @Test("Concurrent requests for a component return the same instance")
    func oneComponent() {
        let device = Self.device()
        let identifiers = Mutex<Set<ObjectIdentifier>>([])
        let engines = Mutex<[Engine]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let engine = device.component(Engine.self) { _ in Engine() }
            identifiers.withLock { _ = $0.insert(ObjectIdentifier(engine)) }
            engines.withLock { $0.append(engine) }
        }
        #expect(identifiers.withLock { $0.count } == 1)
        #expect(engines.withLock { $0.count } == 200)
    }

    @Test("The closure that creates a component can request another component")
    func recursion() {
        let device = Self.device()
        let filter = device.component(Filter.self) { device in
            Filter(engine: device.component(Engine.self) { _ in Engine() })
        }
        #expect(device.component(Engine.self) { _ in Engine() } === filter.engine)
        #expect(device.component(Filter.self) { _ in Filter(engine: Engine()) } === filter)
    }

    @Test("Each device has its own component instances")
    func separate() {
        let first = Self.device().component(Engine.self) { _ in Engine() }
        let second = Self.device().component(Engine.self) { _ in Engine() }
        #expect(first !== second)
    }

    @Test("A binding applies inside its closure and in tasks started there")
    func binding() async {
        let outer = Self.device("outer")
        let inner = Self.device("inner")
        #expect(Device.current == nil)
        outer.withCurrent {
            #expect(Device.current === outer)
            inner.withCurrent { #expect(Device.current === inner) }
            outer.withCurrent { #expect(Device.current === outer) }
            #expect(Device.current === outer)
        }
        #expect(Device.current == nil)
        let task = outer.withCurrent { Task { Device.current?.name } }
        #expect(await task.value == "outer")
    }

    @Test("A binding rethrows errors and ends when its closure throws")
    func bindingThrows() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try Self.device().withCurrent { throw Failure() } }
        #expect(Device.current == nil)
    }
}
