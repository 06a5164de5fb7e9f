// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import DeviceCore

@Suite("A device", .serialized)
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

    /// A source that can be told from others by its problem.
    private struct LateSource: AccessorySource {
        var accessories: [AccessoryDescription] { [] }
        var problems: [DeviceError] { [DeviceError(.busy, "late")] }
        func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { Subscription {} }
        func open(_ id: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
            throw problems[0]
        }
    }

    @Test("Where accessories come from may be known later than the device")
    func lateAccessories() {
        let isLinked = Mutex(false)
        let device = Device(
            name: "test", clock: VirtualClock(), configuration: Configuration(), positionSource: PositionHub {},
            motionSource: MotionHub(),
            accessories: { () -> any AccessorySource in
                if isLinked.withLock({ $0 }) { LateSource() } else { NoAccessorySource() }
            },
            beaconSource: NoBeaconSource(), statusSource: StatusHub(), calibrations: FixedCalibrations())
        #expect(device.accessorySource.problems.isEmpty)
        isLinked.withLock { $0 = true }
        #expect(device.accessorySource.problems.map(\.message) == ["late"])
    }

    @Test("It has one component of each type, whoever asks first")
    func oneComponent() {
        let device = Self.device()
        let found = Mutex<Set<ObjectIdentifier>>([])
        let kept = Mutex<[Engine]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let engine = device.component(Engine.self) { _ in Engine() }
            found.withLock { _ = $0.insert(ObjectIdentifier(engine)) }
            kept.withLock { $0.append(engine) }
        }
        #expect(found.withLock { $0.count } == 1)
        #expect(kept.withLock { $0.count } == 200)
    }

    @Test("Making a component may ask for another one")
    func recursion() {
        let device = Self.device()
        let filter = device.component(Filter.self) { device in
            Filter(engine: device.component(Engine.self) { _ in Engine() })
        }
        #expect(device.component(Engine.self) { _ in Engine() } === filter.engine)
        #expect(device.component(Filter.self) { _ in Filter(engine: Engine()) } === filter)
    }

    @Test("Two devices have a component each")
    func separate() {
        let first = Self.device().component(Engine.self) { _ in Engine() }
        let second = Self.device().component(Engine.self) { _ in Engine() }
        #expect(first !== second)
    }

    @Test("A binding holds inside its closure and in tasks that it starts")
    func binding() async {
        let outer = Self.device("outer")
        let inner = Self.device("inner")
        #expect(Device.current == nil)
        outer.bind {
            #expect(Device.current === outer)
            inner.bind { #expect(Device.current === inner) }
            outer.bind { #expect(Device.current === outer) }
            #expect(Device.current === outer)
        }
        #expect(Device.current == nil)
        let task = outer.bind { Task { Device.current?.name } }
        #expect(await task.value == "outer")
    }

    @Test("A binding passes errors on and ends with them")
    func bindingThrows() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try Self.device().bind { throw Failure() } }
        #expect(Device.current == nil)
    }
}
