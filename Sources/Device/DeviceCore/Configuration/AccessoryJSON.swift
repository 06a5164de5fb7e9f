// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// Takes values out of the JSON of a file about accessories, and notes each that cannot be used, with the file and the
/// key.
package struct AccessoryJSON {
    /// The file.
    package let path: String
    /// Its path as people are shown it: whoever may put a file there may give it any name.
    package var shownPath: String { ShownText.cleaned(path) }
    /// What could not be used.
    package private(set) var problems: [DeviceError] = []

    package init(path: String) {
        self.path = path
    }

    /// The folder of the file, from which relative paths count; empty, or with "/" at its end.
    var folder: Substring {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return path[...slash]
    }

    /// The path, from the file's folder unless it begins with "/".
    func resolved(_ text: String) -> String {
        text.hasPrefix("/") ? text : folder + text
    }

    /// Notes what is wrong with a value, and what becomes of it.
    package mutating func note(_ name: String, _ problem: String, _ consequence: String) {
        guard problems.count < 100 else { return }
        problems.append(
            DeviceError(
                .invalidConfiguration, "\(shownPath): \(ShownText.cleaned(name.prefix(100))) \(problem). \(consequence)"
            ))
    }

    package mutating func unknown(_ name: String) {
        note(name, "is not a known setting", "It is ignored.")
    }

    /// True before an object; another value is noted and passed over.
    package mutating func isObject(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> Bool {
        try isBefore(.object, "an object", &reader, name, consequence)
    }

    /// True before a list; another value is noted and passed over.
    package mutating func isArray(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> Bool {
        try isBefore(.array, "a list", &reader, name, consequence)
    }

    private mutating func isBefore(
        _ kind: JSONKind, _ words: String, _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> Bool {
        if try reader.peekKind() == kind { return true }
        note(name, "is not \(words)", consequence)
        try reader.skipValue()
        return false
    }

    /// A string; another value is noted and passed over.
    package mutating func text(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> String? {
        if let text = try reader.textIfPresent() { return text.string() }
        note(name, "is not a string", consequence)
        return nil
    }

    /// A whole number of the range; another value is noted and passed over.
    package mutating func number(
        _ reader: inout JSONReader, _ name: String, _ range: ClosedRange<Int64>, _ consequence: String
    ) throws(JSONError) -> Int64? {
        if let value = try reader.int64IfPresent(), range.contains(value) { return value }
        note(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)", consequence)
        return nil
    }

    /// A path of a node or a folder, which no system call would cut short; relative ones count from the file's folder.
    package mutating func nodePath(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> String? {
        guard let text = try text(&reader, name, consequence) else { return nil }
        guard !text.isEmpty, text.utf8.count < 4096, !text.utf8.contains(0) else {
            note(name, "is not a path", consequence)
            return nil
        }
        return resolved(text)
    }

    /// The name of a protocol.
    package mutating func protocolName(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> String? {
        guard let text = try text(&reader, name, consequence) else { return nil }
        if AccessoryProtocol.isValid(name: text) { return text }
        note(name, AccessoryJSON.isNoName(text), consequence)
        return nil
    }

    /// A list of names of protocols. A bad one leaves the good ones; nil for what is no list, or a list of bad ones only.
    package mutating func protocolNames(_ reader: inout JSONReader, _ name: String) throws(JSONError) -> [String]? {
        guard try isArray(&reader, name, "It is ignored.") else { return nil }
        var names: [String] = []
        var hasBad = false
        try reader.beginArray()
        while try reader.nextElement() {
            if names.count == Self.maximumProtocols {
                try reader.skipValue()
                if !hasBad { note(name, "has more than \(Self.maximumProtocols) elements", "The rest is ignored.") }
                hasBad = true
            } else if let text = try protocolName(&reader, "an element of " + name, "It is ignored.") {
                if !names.contains(text) { names.append(text) }
            } else {
                hasBad = true
            }
        }
        return names.isEmpty && hasBad ? nil : names
    }

    /// More names than any list of protocols has.
    package static let maximumProtocols = 1000

    /// What is wrong with a name of a protocol.
    package static func isNoName(_ text: some StringProtocol) -> String {
        "is \"\(ShownText.cleaned(text.prefix(100)))\", which is not the name of a protocol such as com.example.scale"
    }
}
