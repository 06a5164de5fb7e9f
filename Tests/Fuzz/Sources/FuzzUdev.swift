// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

@testable import UdevMonitor

/// The input is device messages, each preceded by its length in two bytes. Messages that pass the check become device
/// records, from which accessories are derived.
func fuzzUdev(_ input: UnsafeBufferPointer<UInt8>) {
    var table = DeviceTable(limit: 8)
    // The reported devices, as a subscriber keeps them.
    var received: [String: UdevRecord] = [:]
    for message in UdevPiece.split(Array(input)) {
        let verdicts = [UdevGroup.udev, .kernel].map { group in
            message.withUnsafeBytes { MessageValidator(group, selections).validate($0) }
        }
        for (isOfKernel, verdict) in zip([false, true], verdicts) where verdict == .valid || verdict == .notSelected {
            check(message, isOfKernel: isOfKernel, isWanted: verdict == .valid)
        }
        guard verdicts.contains(.valid), let body = body(of: message, isOfKernel: true) else { continue }
        listen(&received, take(record(body), of: body, into: &table))
        precondition(table.devices == received && received.count <= 8)
    }
    // Devices that are already known are not reported again.
    precondition(table.resynchronise(table.all).isEmpty)
    for accessory in AccessoryDescription.detect(in: table.all) {
        for shown in [accessory.name, accessory.manufacturer, accessory.serialNumber, accessory.firmwareRevision] {
            precondition(shown.utf8.count <= 520 && !shown.unicodeScalars.contains { $0.value < 0x20 })
        }
        for one in accessory.protocols { precondition(AccessoryProtocol.isValid(name: one.name)) }
    }
    listen(&received, table.resynchronise([]))
    precondition(received.isEmpty)
}

private let selections = [
    UdevSelection(subsystem: "usb", type: "usb_device"), UdevSelection(subsystem: "usb", type: "usb_interface"),
    UdevSelection(subsystem: "tty"), UdevSelection(subsystem: "hidraw"),
]

/// Returns the properties of a message according to libudev's manual page and the kernel's sources, nil for an invalid
/// message.
private func body(of message: [UInt8], isOfKernel: Bool) -> [(key: String, value: String)]? {
    var start = 0
    if message.starts(with: "libudev\0".utf8) {
        guard message.count >= 40 else { return nil }
        start = (0..<4).reduce(0) { $0 | Int(message[16 + $1]) << (8 * $1) }
    } else {
        guard isOfKernel, let zero = message.firstIndex(of: 0) else { return nil }
        start = zero + 1
    }
    guard start <= message.count, message.last == 0 else { return nil }
    return message[start...].split(separator: 0).compactMap { entry in
        let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        // An entry without a value is not a property.
        guard parts.count == 2 else { return nil }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
}

/// A message that passes the check can be interpreted by libudev in only one way.
private func check(_ message: [UInt8], isOfKernel: Bool, isWanted: Bool) {
    precondition(message.count <= MessageValidator.maximumLength)
    guard let body = body(of: message, isOfKernel: isOfKernel) else { preconditionFailure("it has no body") }
    let subsystems = Set(body.filter { $0.key == "SUBSYSTEM" }.map { Array($0.value.utf8) })
    let types = Set(body.filter { $0.key == "DEVTYPE" }.map { Array($0.value.utf8) })
    // Bytes that are not valid text become equal, so only the result for wanted messages is certain.
    guard isWanted else { return }
    precondition(subsystems.count == 1 && types.count <= 1)
    precondition(
        selections.contains { selection in
            subsystems.contains(Array(selection.subsystem.utf8))
                && (selection.type.map { types.contains(Array($0.utf8)) } ?? true)
        })
}

private func record(_ body: [(key: String, value: String)]) -> UdevRecord {
    let values = Dictionary(body, uniquingKeysWith: { _, new in new })
    // Messages contain no sysfs attributes. Here the attributes are the entries whose names begin in lowercase.
    let attributes = values.filter { $0.key.first?.isLowercase ?? false }
    return UdevRecord(
        path: "/sys" + (values["DEVPATH"] ?? ""), subsystem: values["SUBSYSTEM"] ?? "", type: values["DEVTYPE"] ?? "",
        node: values["DEVNAME"] ?? "", properties: values, attributes: attributes)
}

private func take(_ record: UdevRecord, of body: [(key: String, value: String)], into table: inout DeviceTable)
    -> [UdevEvent]
{
    switch body.last(where: { $0.key == "ACTION" })?.value {
    case "remove": table.remove(record.path)
    case "move":
        table.remove("/sys" + (record.properties["DEVPATH_OLD"] ?? ""))
            + table.update(record, isAdd: true, exists: true)
    case "add": table.update(record, isAdd: true, exists: true)
    case "bind": table.update(record, isAdd: false, exists: false)
    default: table.update(record, isAdd: false, exists: true)
    }
}

/// Only devices that were present are removed.
private func listen(_ received: inout [String: UdevRecord], _ events: [UdevEvent]) {
    for event in events {
        switch event {
        case .added(let record): received[record.path] = record
        case .removed(let record): precondition(received.removeValue(forKey: record.path) == record)
        case .snapshot, .problems: preconditionFailure("a table reports only devices")
        }
    }
}
