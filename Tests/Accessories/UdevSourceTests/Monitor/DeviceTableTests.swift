// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Testing

@testable import UdevMonitor

@Suite("Device table")
struct DeviceTableTests {
    private let log = EventLog()

    private func table(_ records: UdevRecord..., limit: Int = 100) -> DeviceTable {
        var table = DeviceTable(limit: limit)
        _ = table.resynchronise(records)
        return table
    }

    @Test("A new device is reported, and reported again only if its record has changed")
    func reportsChanges() {
        var table = table()
        log.record(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.record(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.record(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        var changed = MonitorRecords.tty()
        changed.properties["EXTERNAL_ACCESSORY_PROTOCOLS"] = "com.example.scale"
        log.record(table.update(changed, isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0", "added /dev/ttyACM0"])
        #expect(log.last == changed)
    }

    @Test("A removed device is reported once, with its last known record")
    func reportsRemovals() {
        var table = table(MonitorRecords.device())
        log.record(table.remove(MonitorRecords.port))
        log.record(table.remove(MonitorRecords.port))
        #expect(log.all == ["removed /dev/bus/usb/001/006"])
        #expect(log.last == MonitorRecords.device())
    }

    @Test("Attributes that disappear while a device is torn down are kept until the device is removed")
    func keepsAttributes() {
        var table = table(MonitorRecords.tty())
        var bare = MonitorRecords.tty()
        bare.attributes = [:]
        bare.usbInterface = ""
        bare.usbDevice = ""
        // Without a sysfs directory, and with a directory that is partly removed.
        log.record(table.update(bare, isAdd: true, exists: false))
        bare.attributes = ["serial": "WS-7731"]
        log.record(table.update(bare, isAdd: false, exists: true))
        #expect(log.all.isEmpty)
        log.record(table.remove(bare.path))
        #expect(log.last == MonitorRecords.tty())
    }

    @Test("A late message about a removed device does not add it again")
    func ignoresLateMessages() {
        var table = table()
        log.record(table.update(MonitorRecords.tty(), isAdd: false, exists: false))
        #expect(log.all.isEmpty)
        // A bind event for a device that has not been reported yet.
        log.record(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0"])
    }

    @Test("Adding another device at the same port first removes the previous device and its children")
    func reportsReplacement() {
        var table = table(MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty())
        log.record(table.update(MonitorRecords.device(number: "007"), isAdd: true, exists: true))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006", "added /dev/bus/usb/001/007",
            ])
    }

    @Test("Resynchronization removes devices from children to parents, then adds them from parents to children")
    func resynchronises() {
        var table = table(
            MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty(), MonitorRecords.plain(1),
            MonitorRecords.plain(2))
        var changed = MonitorRecords.plain(2)
        changed.properties["ID_SERIAL"] = "2"
        log.record(table.resynchronise([MonitorRecords.plain(3), changed, MonitorRecords.plain(1)]))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006", "added /dev/tty2",
                "added /dev/tty3",
            ])
        #expect(table.all.map(\.node) == ["/dev/tty1", "/dev/tty2", "/dev/tty3"])
    }

    @Test("Resynchronization of a port with another device removes the previous device and its children")
    func resynchronisesReplacement() {
        var table = table(MonitorRecords.device(), MonitorRecords.interface(), MonitorRecords.tty())
        log.record(
            table.resynchronise(
                [MonitorRecords.tty(), MonitorRecords.device(number: "007"), MonitorRecords.interface()]))
        #expect(
            log.all == [
                "removed /dev/ttyACM0", "removed ", "removed /dev/bus/usb/001/006",
                "added /dev/bus/usb/001/007", "added ", "added /dev/ttyACM0",
            ])
    }

    @Test("A port whose path begins with the path of another port is not its child")
    func distinguishesPorts() {
        var neighbour = MonitorRecords.device(number: "009")
        neighbour.path = MonitorRecords.port + "0"
        var table = table(MonitorRecords.device(), neighbour)
        log.record(table.update(MonitorRecords.device(number: "010"), isAdd: true, exists: true))
        #expect(log.all == ["removed /dev/bus/usb/001/006", "added /dev/bus/usb/001/010"])
        #expect(table.devices[neighbour.path] == neighbour)
    }

    @Test("Initialization by udev rules is reported once, for devices with a node, and is not reverted")
    func reportsInitialisation() {
        var raw = [MonitorRecords.interface(), MonitorRecords.tty()]
        for index in raw.indices { raw[index].isInitialized = false }
        var table = table(raw[0], raw[1])
        log.record(table.update(MonitorRecords.interface(), isAdd: true, exists: true))
        log.record(table.update(MonitorRecords.tty(), isAdd: true, exists: true))
        log.record(table.resynchronise(raw))
        log.record(table.update(MonitorRecords.tty(), isAdd: false, exists: true))
        #expect(log.all == ["added /dev/ttyACM0"])
        #expect(table.all == [MonitorRecords.interface(), MonitorRecords.tty()])
    }

    @Test("Devices beyond the limit are ignored until other devices are removed")
    func limits() {
        var table = table(MonitorRecords.plain(1), MonitorRecords.plain(2), limit: 2)
        #expect(!table.hasOmittedDevices)
        log.record(table.update(MonitorRecords.plain(3), isAdd: true, exists: true))
        #expect(table.hasOmittedDevices)
        #expect(log.all.isEmpty)
        log.record(table.remove(MonitorRecords.plain(1).path))
        log.record(table.update(MonitorRecords.plain(3), isAdd: true, exists: true))
        #expect(log.all == ["removed /dev/tty1", "added /dev/tty3"])
    }
}
