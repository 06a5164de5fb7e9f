// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import Testing
import UdevMonitor

@testable import UdevSource

@Suite("Attachment events")
struct AttachingTests {
    private let device = Records.device()
    private let first = Records.interface(0, string: "com.a")
    private let second = Records.interface(2, string: "com.b")
    private var firstTTY: UdevRecord { Records.tty(first, "ttyACM0") }
    private var secondTTY: UdevRecord { Records.tty(second, "ttyACM1") }

    @Test("The source starts with its first use, and the first snapshot contains all present devices")
    func lazy() {
        let test = TestSource([device, first, firstTTY], subscribes: false)
        #expect(!test.hasStarted)
        #expect(test.source.accessories.map(\.identity) == ["1209:0007:S1"])
        #expect(test.hasStarted)
        test.subscribe()
        #expect(test.events == ["snapshot [1]"])
    }

    @Test("A device that appears in parts is reported once, after the settle time without events")
    func settles() {
        let test = TestSource()
        test.add(device)
        test.advance(1)
        test.add(first, firstTTY)
        test.advance(0.1)
        test.add(second)
        test.advance(0.1)
        test.add(secondTTY)
        test.advance(0.149)
        #expect(test.events == ["snapshot []"])
        test.advance(0.002)
        #expect(test.events == ["snapshot []", "attached 1 com.a com.b"])
        #expect(test.clock.nextDeadline == nil)
    }

    @Test("Child devices that arrive before their parent form the same accessory")
    func reversed() {
        let test = TestSource()
        test.add(secondTTY, firstTTY, second, first)
        test.advance(5)
        #expect(test.events == ["snapshot []"])
        test.add(device)
        test.advance(0.2)
        #expect(test.events == ["snapshot []", "attached 1 com.a com.b"])
    }

    @Test("A device that sends events continuously is still reported")
    func chatter() {
        let test = TestSource([], settleTime: 0.1)
        test.add(device, first, firstTTY)
        for step in 1...30 {
            test.add(Records.device(properties: ["N": "\(step)"]))
            test.advance(0.09)
        }
        #expect(test.events == ["snapshot []", "attached 1 com.a"])
    }

    @Test("Without a settle time, an accessory is reported at once")
    func immediate() {
        let test = TestSource([], settleTime: 0)
        test.add(device, first, firstTTY)
        #expect(test.events.last == "attached 1 com.a")
    }

    @Test("Removing the USB device or its last node detaches the accessory at once")
    func gone() {
        let test = TestSource([device, first, firstTTY])
        test.remove(device)
        #expect(test.events == ["snapshot [1]", "detached 1"])
        test.remove(firstTTY, first)
        let other = TestSource([device, first, firstTTY, second, secondTTY])
        other.remove(firstTTY)
        #expect(other.events == ["snapshot [1]"])
        other.remove(secondTTY)
        #expect(other.events == ["snapshot [1]", "detached 1"])
        other.advance(5)
        #expect(other.events.count == 2)
    }

    @Test("A device that is removed within the settle time is never reported")
    func short() {
        let test = TestSource()
        test.add(device, first, firstTTY)
        test.advance(0.1)
        test.remove(firstTTY, first, device)
        test.advance(5)
        #expect(test.events == ["snapshot []"])
        #expect(test.clock.nextDeadline == nil)
    }

    @Test("A protocol that is added or removed later changes the same accessory")
    func changes() {
        let test = TestSource([device, first, firstTTY])
        test.add(second, secondTTY)
        test.advance(0.2)
        test.remove(secondTTY)
        test.advance(0.2)
        #expect(test.events == ["snapshot [1]", "changed 1 com.a com.b", "changed 1 com.a"])
    }

    @Test("A quick replug attaches a new accessory, even if the removal was not reported")
    func replug() {
        let test = TestSource([device, first, firstTTY])
        let again = Records.device(number: 6)
        test.remove(firstTTY, first, device)
        test.add(again, first, firstTTY)
        test.advance(0.2)
        #expect(test.events == ["snapshot [1]", "detached 1", "attached 2 com.a"])
        test.add(Records.device(number: 7))
        test.advance(0.2)
        #expect(test.events.suffix(2) == ["detached 2", "attached 3 com.a"])
    }

    @Test("A repeated add event updates the accessory only if its properties differ")
    func update() {
        let test = TestSource([device, first, firstTTY])
        test.add(device, first, firstTTY)
        test.advance(1)
        #expect(test.events == ["snapshot [1]"])
        test.add(Records.device(properties: ["EXTERNAL_ACCESSORY_NAME": "Scale"]))
        test.advance(1)
        #expect(test.events == ["snapshot [1]", "changed 1 com.a"])
        #expect(test.source.accessories.first?.name == "Scale")
    }

    @Test("Without udevd, an accessory is attached once its node exists")
    func lateNode() {
        let late = Records.tty(first, "ttyACM0", isInitialized: false)
        let test = TestSource([], missing: ["/dev/ttyACM0"])
        test.add(device, first, late)
        test.advance(1)
        #expect(test.events == ["snapshot []"])
        test.setNode("/dev/ttyACM0", .ready)
        test.advance(0.2)
        #expect(test.events == ["snapshot []", "attached 1 com.a"])
        #expect(test.source.problems.isEmpty)
    }

    @Test("A node that does not appear within two seconds is a problem, and no accessory is attached")
    func missingNode() {
        let late = Records.tty(first, "ttyACM0", isInitialized: false)
        let test = TestSource([], missing: ["/dev/ttyACM0"])
        test.add(device, first, late)
        test.advance(1.9)
        #expect(test.source.problems.isEmpty)
        test.advance(0.2)
        #expect(test.source.problems.map(\.code) == [.notFound])
        #expect(test.source.problems.first?.message.contains("/dev/ttyACM0") == true)
        #expect(test.events == ["snapshot []"])
        #expect(test.clock.nextDeadline == nil)
        test.remove(device)
        #expect(test.source.problems.isEmpty)
    }

    @Test(
        "An accessory whose node cannot be opened is attached, and the problem is reported until it can be opened",
        arguments: [true, false])
    func forbiddenNode(startsUdevd: Bool) {
        let late = Records.tty(first, "ttyACM0", isInitialized: false)
        let test = TestSource([device, first, late], subscribes: false)
        test.setNode("/dev/ttyACM0", .forbidden)
        test.subscribe()
        test.advance(3)
        #expect(test.events == ["snapshot []", "attached 1 com.a"])
        #expect(test.source.problems.map(\.code) == [.permissionDenied])
        // Either udevd starts and initializes the node, or another program changes its permissions.
        test.setNode("/dev/ttyACM0", .ready)
        test.add(startsUdevd ? firstTTY : late)
        #expect(test.source.problems.isEmpty)
        #expect(test.events == ["snapshot []", "attached 1 com.a"])
    }

    @Test("Declared accessories are part of the first snapshot")
    func declared() {
        let test = TestSource([device, first, firstTTY]) { configuration in
            configuration.declaredAccessories.value = [
                DeclaredAccessory(name: "Panel", endpoints: [.init(name: "com.panel", node: .socket(path: "/run/p"))])
            ]
        }
        #expect(test.events == ["snapshot [1, 2]"])
        #expect(test.source.accessories.map(\.identity) == ["port:Panel", "1209:0007:S1"])
    }

    @Test("The monitor's problems are listed until they are solved, and candidates are listed")
    func problems() {
        let test = TestSource([device, Records.interface(0), Records.tty(Records.interface(0), "ttyACM0")])
        test.send(.problems([DeviceError(.notFound, "No udevd runs.")]))
        #expect(test.source.problems.map(\.message) == ["No udevd runs."])
        #expect(test.source.candidates.map(\.node) == ["/dev/ttyACM0"])
        #expect(test.source.accessories.isEmpty)
        test.send(.problems([]))
        #expect(test.source.problems.isEmpty)
    }

    @Test("Releasing the source stops its monitor")
    func ends() {
        var test: TestSource? = TestSource([device, first, firstTTY])
        let isStopped = test?.isStopped
        #expect(isStopped?() == false)
        test = nil
        #expect(isStopped?() == true)
    }

    @Test("Two accessories with the same serial number keep distinct identities while they are attached")
    func sameIdentity() {
        let other = "/sys/devices/platform/usb1/1-1"
        let duplicate = Records.device(other)
        let interface = Records.interface(0, of: other, string: "com.a")
        let tty = Records.tty(interface, "ttyACM7")
        let test = TestSource([device, first, firstTTY])
        test.add(duplicate, interface, tty)
        test.advance(1)
        #expect(test.events == ["snapshot [1]", "attached 2 com.a"])
        #expect(test.source.accessories.map(\.identity) == ["1209:0007:S1", "port:1-1"])
        test.remove(device)
        test.add(Records.device(other, properties: ["EXTERNAL_ACCESSORY_NAME": "Scale"]))
        test.advance(1)
        #expect(test.source.accessories.map(\.identity) == ["port:1-1"])
        test.remove(duplicate)
        test.add(duplicate)
        test.advance(1)
        #expect(test.source.accessories.map(\.identity) == ["1209:0007:S1"])
        #expect(
            Records.identities([device, first, firstTTY, duplicate, interface, tty]) == ["1209:0007:S1", "port:1-2"])
    }

    @Test("An accessory that moved to another port between two snapshots keeps its identity")
    func moved() {
        let other = "/sys/devices/platform/usb1/1-1"
        let interface = Records.interface(0, of: other, string: "com.a")
        let test = TestSource([device, first, firstTTY])
        test.send(.snapshot([Records.device(other), interface, Records.tty(interface, "ttyACM7")]))
        #expect(test.events == ["snapshot [1]", "detached 1", "attached 2 com.a"])
        #expect(test.source.accessories.map(\.identity) == ["1209:0007:S1"])
    }

    @Test("A subscriber can query the accessories while the first snapshot is pending")
    func lateInitialScan() {
        let waits = Mutex(0)
        let feed = Mutex<(@Sendable (UdevEvent) -> Void)?>(nil)
        var configuration = Configuration()
        configuration.accessorySettleTime.value = .zero
        let source = UdevSource(
            configuration: configuration, clock: VirtualClock(),
            dependencies: UdevSourceDependencies(
                watch: { receive in
                    feed.withLock { $0 = receive }
                    return {}
                }, open: { _ throws(DeviceError) in throw DeviceError(.notFound, "") }, checkAccess: { _ in .ready },
                wait: { _ in
                    waits.withLock { $0 += 1 }
                    return false
                }))
        let counts = Mutex<[Int]>([])
        let subscription = source.subscribe { [weak source] _ in
            let count = source?.accessories.count ?? -1
            counts.withLock { $0.append(count) }
        }
        // Without the problem, an empty list would mean that no accessory is attached.
        #expect(source.problems.map(\.code) == [.busy])
        feed.withLock { $0 }?(.snapshot([device, first, firstTTY]))
        #expect(counts.withLock { $0 } == [0, 1])
        #expect(source.problems.isEmpty)
        #expect(waits.withLock { $0 } == 1)
        subscription.cancel()
    }
}
