// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

/// An accessory source with a hub and a single in-memory channel.
private final class TestSource: AccessorySource {
    let hub = AccessoryHub()
    let pair = MemoryChannel.pair()

    var accessories: [AccessoryDescription] { hub.accessories }
    var problems: [DeviceError] { [] }
    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription { hub.subscribe(receive) }
    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel {
        pair.0
    }
}

@Suite("Recording accessories")
struct AccessoryRecorderTests {
    private let source = TestSource()
    private let clock = VirtualClock(now: BootTime(nanoseconds: 5_000_000_000))

    private func device() -> Device {
        Device(
            name: "test", clock: clock, configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}), accessorySource: source)
    }

    private func write(_ text: String, to channel: any ByteChannel) {
        _ = [UInt8](text.utf8).withUnsafeBytes { channel.write($0) }
    }

    private func read(_ channel: any ByteChannel) -> ByteChannelRead {
        var buffer = [UInt8](repeating: 0, count: 100)
        return buffer.withUnsafeMutableBytes { channel.read(into: $0) }
    }

    @Test("Accessories and their data are recorded in the order in which the program received them")
    func dialogue() throws {
        let folder = try Folder()
        source.hub.attach(scale)
        let device = device().recordingAccessories()
        let recorder = TraceRecorder(
            device: device, writer: try TraceWriter(path: folder.file("a.trace"), clock: clock))
        try recorder.start()
        clock.move(to: BootTime(nanoseconds: 6_000_000_000))
        let channel = try device.accessorySource.open(1, protocol: "com.example.scale")
        // A reply that arrives during the write is recorded after it.
        source.pair.1.observe { [source] _ in _ = [UInt8]("OK".utf8).withUnsafeBytes { source.pair.1.write($0) } }
        channel.observe { _ in _ = read(channel) }
        write("READ", to: channel)
        source.pair.1.observe(nil)
        channel.observe(nil)
        write("1", to: source.pair.1)
        _ = read(channel)
        _ = read(channel)
        source.hub.update(
            {
                var changed = scale
                changed.id = 1
                changed.name = "Other"
                return changed
            }())
        clock.move(to: BootTime(nanoseconds: 7_000_000_000))
        channel.close()
        channel.close()
        source.hub.detach(1)
        source.hub.attach(scale)
        try recorder.stop()
        source.hub.detach(2)
        #expect(recorder.recordedAccessoryEvents == 9)

        let reading = try AccessoryReading(try folder.bytes("a.trace"))
        var other = scale
        other.name = "Other"
        let name = "com.example.scale"
        #expect(
            reading.events.map(\.change) == [
                .attached(scale), .opened(name), .sent(name, Array("READ".utf8)), .received(name, Array("OK".utf8)),
                .received(name, Array("1".utf8)), .attached(other), .closed(name, .closed), .detached, .attached(scale),
            ])
        #expect(reading.events.map(\.accessory) == ["1", "1", "1", "1", "1", "1", "1", "1", "2"])
        let seconds: [Int64] = [0, 1, 1, 1, 1, 1, 2, 2, 2]
        #expect(reading.times == seconds.map { $0 * 1_000_000_000 })
        #expect(reading.cursor.warnings.isEmpty)
    }

    @Test("A session ended by the accessory is recorded as hung up when the program reads the end")
    func hangUp() throws {
        let folder = try Folder()
        source.hub.attach(scale)
        let device = device().recordingAccessories()
        let recorder = TraceRecorder(
            device: device, writer: try TraceWriter(path: folder.file("a.trace"), clock: clock), parts: .accessories)
        try recorder.start()
        let channel = try device.accessorySource.open(1, protocol: "com.example.log")
        write("bye", to: source.pair.1)
        source.pair.1.close()
        #expect(channel.end?.reason == .hungUp)
        _ = read(channel)
        _ = read(channel)
        channel.close()
        try recorder.stop()
        let reading = try AccessoryReading(try folder.bytes("a.trace"))
        let name = "com.example.log"
        #expect(
            reading.events.map(\.change) == [
                .attached(scale), .opened(name), .received(name, Array("bye".utf8)), .closed(name, .hungUp),
            ])
    }

    @Test("A device without recordingAccessories() is recorded without sessions; applying it twice has no effect")
    func withoutRecordingSource() throws {
        let folder = try Folder()
        source.hub.attach(scale)
        let plain = device()
        let recorder = TraceRecorder(device: plain, writer: try TraceWriter(path: folder.file("a.trace"), clock: clock))
        try recorder.start()
        let channel = try plain.accessorySource.open(1, protocol: "com.example.scale")
        write("READ", to: channel)
        try recorder.stop()
        #expect(try AccessoryReading(try folder.bytes("a.trace")).events.map(\.change) == [.attached(scale)])
        let tapped = plain.recordingAccessories()
        #expect(tapped !== plain)
        #expect(tapped.recordingAccessories() === tapped)
        #expect(tapped.accessorySource.accessories.map(\.name) == ["Weigh Scale"])
    }

    @Test("The other sources of the device stay the same")
    func otherSources() {
        let plain = Device(
            name: "test", clock: clock, configuration: Configuration(), positionSource: PositionHub(demandChanged: {}),
            motionSource: MotionHub(), accessorySource: source, beaconSource: BeaconHub(), statusSource: StatusHub())
        let tapped = plain.recordingAccessories()
        func same(_ first: Any, _ second: Any) -> Bool { first as AnyObject === second as AnyObject }
        #expect(same(tapped.positionSource, plain.positionSource))
        #expect(same(tapped.motionSource, plain.motionSource))
        #expect(same(tapped.beaconSource, plain.beaconSource))
        #expect(same(tapped.statusSource, plain.statusSource))
    }
}
