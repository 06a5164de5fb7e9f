// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// The accessory settings. DeviceCore does not know their types, so `deferredSections` contains either unparsed JSON or
/// the values that the program has set. A getter cannot store parsed values, so each access parses the JSON again.
extension Configuration {
    private static let rulesKey = "accessories.rules"
    private static let declaredKey = "accessories.declared"
    /// The maximum numbers of rules and declared accessories. Longer lists are probably mistakes and are truncated.
    private static let maximumRules = 1000
    private static let maximumDeclaredAccessories = 256

    /// The rules for accessories. If several rules match an accessory, the first rule that specifies a setting
    /// determines it.
    package var accessoryRules: Setting<[AccessoryRule]> {
        get { readRules().setting }
        set { deferredSections[Self.rulesKey] = .set(newValue) }
    }

    /// Accessories that no bus can enumerate, such as those connected to on-board serial ports.
    package var declaredAccessories: Setting<[DeclaredAccessory]> {
        get { readDeclared().setting }
        set { deferredSections[Self.declaredKey] = .set(newValue) }
    }

    package var accessoryProblems: [DeviceError] { readRules().problems + readDeclared().problems }

    /// The first 100 problems in the configuration, including problems in rules and declared accessories.
    package var allProblems: [DeviceError] { Array((problems + accessoryProblems).prefix(100)) }

    private func readRules() -> (setting: Setting<[AccessoryRule]>, problems: [DeviceError]) {
        read(Self.rulesKey, maximumCount: Self.maximumRules) { reader, json, name throws(JSONError) in
            try AccessoryRule.read(&reader, &json, name: name)
        }
    }

    private func readDeclared() -> (setting: Setting<[DeclaredAccessory]>, problems: [DeviceError]) {
        read(Self.declaredKey, maximumCount: Self.maximumDeclaredAccessories) { reader, json, name throws(JSONError) in
            try DeclaredAccessory.read(&reader, &json, prefix: name + ".")
        }
    }

    private func read<Element: Sendable>(
        _ name: String, maximumCount: Int,
        _ element: (inout JSONReader, inout SettingsJSON, String) throws(JSONError) -> Element?
    ) -> (setting: Setting<[Element]>, problems: [DeviceError]) {
        switch deferredSections[name] {
        case nil: return (Setting([]), [])
        case .set(let setting): return (setting as? Setting<[Element]> ?? Setting([]), [])
        case .json(let bytes, let path):
            var json = SettingsJSON(path: path)
            let elements = bytes.withUnsafeBytes { buffer -> [Element] in
                var reader = JSONReader(buffer)
                // The JSON syntax was validated when the configuration file was read.
                let list = try? json.elements(&reader, name, maximumCount: maximumCount) {
                    json, reader, index throws(JSONError) in try element(&reader, &json, "\(name)[\(index)]")
                }
                return list?.valid ?? []
            }
            return (Setting(elements, origin: .file(path)), json.problems)
        }
    }
}
