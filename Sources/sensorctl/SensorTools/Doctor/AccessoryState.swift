// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
package import DeviceCore
import Foundation
import SystemCalls

/// The accessory state that the `doctor` command examines.
package struct AccessoryState: Sendable {
    var accessories: [AccessoryDescription] = []
    var candidates: [AccessoryCandidate] = []
    var problems: [DeviceError] = []
    /// The device nodes of all accessories, candidates and declared accessories, keyed by path.
    var nodes: [String: DeviceNodeState] = [:]
    var hasUdev = true
    /// The container runtime, or nil if there is no container.
    var container: String?
    var hasModemManager = false
    var hasRules = true
    var missingFolders: [String] = []
}

extension AccessoryState {
    private static let ruleFolders = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
    ]

    @concurrent package static func load(_ device: Device, user: String) async -> AccessoryState {
        var state = AccessoryState()
        let source = device.accessorySource
        let list = await AccessoryList.load(source)
        (state.accessories, state.candidates, state.problems) = (list.accessories, list.candidates, list.problems)
        let holders = DeviceNodeState.Holder.all()
        let paths =
            state.accessories.flatMap(\.protocols).compactMap(\.node?.path) + state.candidates.map(\.node)
            + device.configuration.declaredAccessories.value.flatMap(\.endpoints).map(\.node.path)
        for path in Set(paths) { state.nodes[path] = DeviceNodeState(path, user: user, holders: holders) }
        state.hasUdev = access("/run/udev/control", F_OK) == 0
        state.container = container()
        state.hasModemManager = DeviceNodeState.Holder.runs("ModemManager")
        state.hasRules = ruleFolders.contains { access("\($0)/\(UdevRules.fileName)", F_OK) == 0 }
        state.missingFolders = device.configuration.accessoryDirectories.value.filter { !FileIO.isDirectory($0) }
        return state
    }

    /// Returns the container runtime, detected from its marker file or the environment of process 1.
    private static func container() -> String? {
        if access("/.dockerenv", F_OK) == 0 { return "docker" }
        if access("/run/.containerenv", F_OK) == 0 { return "podman" }
        guard let bytes = try? FileIO.read("/proc/1/environ", limit: 65_536) else { return nil }
        return bytes.split(separator: 0).lazy.map { String(decoding: $0, as: UTF8.self) }
            .first { $0.hasPrefix("container=") }.map { String($0.dropFirst("container=".count)) }
    }
}

package enum UdevRules {
    package static let fileName = "65-external-accessory.rules"

    /// The udev rules, embedded in the program because their source file in Sources/Accessories/UdevSource/udev is not
    /// installed. The embedded file is a symbolic link to the source file.
    package static let text = PackageResources.external_accessory_rules

    /// The beginning of the first rule that tests a device. Rules from the configuration are inserted before it.
    private static let firstTest = "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", GOTO="

    /// Returns the rules plus rules that grant access to the devices in the configuration. Each added rule applies to
    /// all nodes of its device, because udev cannot match the vendor and the interface in a single parent device.
    package static func text(granting configuration: Configuration) -> [UInt8] {
        let lines = configuration.accessoryRules.value.compactMap(Self.line)
        var text = String(decoding: Self.text, as: UTF8.self)
        guard !lines.isEmpty, let range = text.range(of: firstTest) else { return Self.text }
        let grants = "# Devices that the configuration names.\n" + lines.joined(separator: "\n") + "\n\n"
        text.insert(contentsOf: grants, at: range.lowerBound)
        return Array(text.utf8)
    }

    /// Returns the udev rule for an accessory rule in the configuration, or nil if the accessory rule does not specify
    /// both a device and a protocol.
    private static func line(_ rule: AccessoryRule) -> String? {
        guard rule.protocols?.isEmpty == false else { return nil }
        var tests: [String] = []
        if let vendor = rule.vendorID { tests.append(#"ATTRS{idVendor}=="\#(TerminalText.hex(vendor))""#) }
        if let product = rule.productID { tests.append(#"ATTRS{idProduct}=="\#(TerminalText.hex(product))""#) }
        if let serial = rule.serialNumber, isPlain(serial) { tests.append(#"ATTRS{serial}=="\#(serial)""#) }
        if let port = rule.portPath, isPlain(port) { tests.append(#"KERNELS=="\#(port)""#) }
        guard !tests.isEmpty else { return nil }
        return (["SUBSYSTEMS==\"usb\""] + tests + [#"ENV{EXTERNAL_ACCESSORY}="1""#]).joined(separator: ", ")
    }

    /// Returns false if the text contains characters, such as quotation marks or wildcards, that have a special meaning
    /// in udev rules.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && TerminalText.hasOnlyLettersDigits(text, and: "-.:_")
    }
}
