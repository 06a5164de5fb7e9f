// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import UdevRecords

@testable import UdevMonitor

@Suite("The devices that are known")
struct DeviceTableTests {
    private let log = EventLog()

    private func table(_ records: UdevRecord..., limit: Int = 100) -> DeviceTable {
        var table = DeviceTable(limit: limit)
        _ = table.resynchronise(records)
        return table
    }

    @Test("A device that is new is told, and again only when something in its record has changed")
    func tellsNews() {
        var table = table()
        log.note(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.note(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.note(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        var changed = MonitorRecords.tty()
        changed.properties["EXTERNAL_ACCESSORY_PROTOCOLS"] = "com.example.scale"
        log.note(table.update(changed, isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0", "added /dev/ttyACM0"])
        #expect(log.last == changed)
    }

    @Test("A device that is gone is told with all that was known of it, and once")
    func tellsRemovals() {
        var table = table(MonitorRecords.device())
        log.note(table.remove(MonitorRecords.port))
        log.note(table.remove(MonitorRecords.port))
        #expect(log.all == ["removed /dev/bus/usb/001/006"])
        #expect(log.last == MonitorRecords.device())
    }

    @Test("Attributes that vanish while a device is torn down are kept until it is removed")
    func keepsAttributes() {
        var table = table(MonitorRecords.tty())
        var bare = MonitorRecords.tty()
        bare.attributes = [:]
        bare.usbInterface = ""
        bare.usbDevice = ""
        // Without its folder, and with a folder that is half empty.
        log.note(table.update(bare, isAdd: true, exists: false))
        bare.attributes = ["serial": "WS-7731"]
        log.note(table.update(bare, isAdd: false, exists: true))
        #expect(log.all.isEmpty)
        log.note(table.remove(bare.path))
        #expect(log.last == MonitorRecords.tty())
    }

    @Test("A late message about a device that is gone does not bring it back")
    func ignoresLateMessages() {
        var table = table()
        log.note(table.update(MonitorRecords.tty(), isAdd: false, exists: false))
        #expect(log.all.isEmpty)
        // A driver was bound to one that had not been told.
        log.note(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0"])
    }

    @Test("An add of another device at the same port tells first that the former one and all below it are gone")
    func tellsReplacement() {
        var table = table(MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty())
        log.note(table.update(MonitorRecords.device(number: "007"), isAdd: true, exists: true))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006", "added /dev/bus/usb/001/007",
            ])
    }

    @Test("A new look tells what differs: removals from children to parents, then additions from parents to children")
    func resynchronises() {
        var table = table(
            MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty(), MonitorRecords.plain(1),
            MonitorRecords.plain(2))
        var changed = MonitorRecords.plain(2)
        changed.properties["ID_SERIAL"] = "2"
        log.note(table.resynchronise([MonitorRecords.plain(3), changed, MonitorRecords.plain(1)]))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006", "added /dev/tty2",
                "added /dev/tty3",
            ])
        #expect(table.all.map(\.node) == ["/dev/tty1", "/dev/tty2", "/dev/tty3"])
    }

    @Test("A new look at a port with another device in it tells that all of the former one is gone")
    func resynchronisesReplacement() {
        var table = table(MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty())
        log.note(
            table.resynchronise(
                [MonitorRecords.tty(), MonitorRecords.device(number: "007"), MonitorRecords.interface()]))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006",
                "added /dev/bus/usb/001/007", "added ", "added /dev/ttyACM0",
            ])
    }

    @Test("A port whose name begins like another's is not below it")
    func tellsPortsApart() {
        var neighbour = MonitorRecords.device(number: "009")
        neighbour.path = MonitorRecords.port + "0"
        var table = table(MonitorRecords.device(), neighbour)
        log.note(table.update(MonitorRecords.device(number: "010"), isAdd: true, exists: true))
        #expect(log.all == ["removed /dev/bus/usb/001/006", "added /dev/bus/usb/001/010"])
        #expect(table.devices[neighbour.path] == neighbour)
    }

    @Test("That rules have been run is news of a device with a node, once, and nothing takes it back")
    func tellsInitialisation() {
        var raw = [MonitorRecords.interface(), MonitorRecords.tty()]
        for index in raw.indices { raw[index].isInitialized = false }
        var table = table(raw[0], raw[1])
        log.note(table.update(MonitorRecords.interface(), isAdd: true, exists: true))
        log.note(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.note(table.resynchronise(raw))
        log.note(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0"])
        #expect(table.all == [MonitorRecords.interface(), MonitorRecords.tty()])
    }

    @Test("More devices than the limit are left out, and there is room again when some are gone")
    func limits() {
        var table = table(MonitorRecords.plain(1), MonitorRecords.plain(2), limit: 2)
        #expect(!table.isOverfull)
        log.note(table.update(MonitorRecords.plain(3), isAdd: true, exists: true))
        #expect(table.isOverfull)
        #expect(log.all.isEmpty)
        log.note(table.remove(MonitorRecords.plain(1).path))
        log.note(table.update(MonitorRecords.plain(3), isAdd: true, exists: true))
        #expect(log.all == ["removed /dev/tty1", "added /dev/tty3"])
    }
}
