// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization
import Testing

@Suite("Accessory hub")
struct AccessoryHubTests {
    private final class Listener: Sendable {
        private let entries = Mutex<[String]>([])

        var events: [String] { entries.withLock { $0 } }

        func record(_ event: AccessoryEvent) {
            let text =
                switch event {
                case .snapshot(let list): "there: \(list.map { "\($0.name) \($0.id)" }.joined(separator: ", "))"
                case .attached(let accessory): "came: \(accessory.name) \(accessory.id)"
                case .changed(let accessory): "changed: \(accessory.name) \(accessory.id)"
                case .detached(let accessory): "went: \(accessory.name) \(accessory.id)"
                }
            entries.withLock { $0.append(text) }
        }
    }

    private func scale(_ name: String) -> AccessoryDescription {
        AccessoryDescription(identity: "port:\(name)", name: name)
    }

    @Test("Accessory IDs are never reused, and a subscriber receives a snapshot first, then each change")
    func order() {
        let hub = AccessoryHub()
        let first = hub.attach(scale("a"))
        let listener = Listener()
        let subscription = hub.subscribe(listener.record)
        #expect(listener.events == ["there: a 1"])
        hub.detach(first.id)
        var second = hub.attach(scale("a"))
        second.name = "b"
        hub.update(second)
        hub.update(second)
        #expect(hub.detach(first.id) == nil)
        #expect(listener.events == ["there: a 1", "went: a 1", "came: a 2", "changed: b 2"])
        #expect(hub.accessories == [second])
        subscription.cancel()
        hub.detach(second.id)
        #expect(listener.events.count == 4)
        #expect(!hub.hasSubscribers)
    }

    @Test("A subscriber receives the snapshot before subscribe returns, even during concurrent changes")
    func snapshotFirst() {
        let hub = AccessoryHub()
        let isDone = Atomic<Bool>(false)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { [self] in
            while !isDone.load(ordering: .acquiring) { hub.detach(hub.attach(scale("x")).id) }
        }
        for _ in 0..<5000 {
            let listener = Listener()
            let subscription = hub.subscribe(listener.record)
            #expect(listener.events.first?.hasPrefix("there: ") == true)
            subscription.cancel()
        }
        isDone.store(true, ordering: .releasing)
        group.wait()
    }

    @Test("A subscriber can detach an accessory in its callback, and callbacks never overlap")
    func detachInCallback() {
        let hub = AccessoryHub()
        let listener = Listener()
        let depth = Atomic<Int>(0)
        let subscription = hub.subscribe { event in
            #expect(depth.wrappingAdd(1, ordering: .relaxed).oldValue == 0)
            listener.record(event)
            if case .attached(let accessory) = event { hub.detach(accessory.id) }
            depth.wrappingSubtract(1, ordering: .relaxed)
        }
        hub.attach(scale("a"))
        #expect(listener.events == ["there: ", "came: a 1", "went: a 1"])
        #expect(hub.accessories.isEmpty)
        subscription.cancel()
    }
}
