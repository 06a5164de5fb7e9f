// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// Takes values out of the JSON of a file of settings, and notes each that cannot be used, with the file and the key.
package struct SettingsJSON {
    /// The file.
    package let path: String
    /// Its path as people are shown it: whoever may put a file there may give it any name.
    package var shownPath: String { ShownText.cleaned(path) }
    /// What could not be used.
    package private(set) var problems: [DeviceError] = []

    /// The keys so far of the objects that have begun, the innermost last.
    private var seen: [Set<String>] = []

    package init(path: String) { self.path = path }

    /// The folder of the file, from which relative paths count; empty, or with "/" at its end.
    var folder: Substring {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return path[...slash]
    }

    /// The path, from the file's folder unless it begins with "/".
    func resolved(_ text: String) -> String { text.hasPrefix("/") ? text : folder + text }

    /// Notes what is wrong with a value, and what becomes of it.
    package mutating func note(_ name: String, _ problem: String, _ consequence: String) {
        let name = ShownText.cleaned(name.prefix(100))
        note(DeviceError(.invalidConfiguration, "\(shownPath): \(name) \(problem). \(consequence)"))
    }

    /// Notes a problem, unless there are plenty already.
    mutating func note(_ problem: DeviceError) { if problems.count < 100 { problems.append(problem) } }

    /// What becomes of most settings that cannot be used.
    package static let theDefault = "The default is used."

    package mutating func unknown(_ name: String) { note(name, "is not a known setting", "It is ignored.") }

    /// Notes what is no UTF-8, which is read as U+FFFD.
    mutating func checkText(_ bytes: UnsafeRawBufferPointer) {
        // What has to be mended while it is decoded is not the same afterwards.
        var text = String(decoding: bytes, as: UTF8.self)
        guard !text.withUTF8({ UnsafeRawBufferPointer($0).isSame(as: bytes) }) else { return }
        note("the file", "is not all UTF-8", "What is none is read as \u{FFFD}. Save the file as UTF-8.")
    }

    /// Begins an object, each of whose keys may be there once.
    @inline(never)
    package mutating func beginObject(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        seen.append([])
    }

    /// The next key of the object that was begun last; nil at its end. The prefix stands before its name in problems.
    @inline(never)
    package mutating func nextKey(_ reader: inout JSONReader, _ prefix: String) throws(JSONError) -> String? {
        guard let key = try reader.nextKey()?.string() else {
            seen.removeLast()
            return nil
        }
        if !seen[seen.count - 1].insert(key).inserted {
            note(
                prefix + key, "is there more than once",
                prefix.isEmpty
                    ? "What they say is put together, and of each setting the last one that can be used counts."
                    : "The last one that can be used counts.")
        }
        return key
    }

    /// True before an object; another value is noted and passed over.
    package mutating func isObject(
        _ reader: inout JSONReader, _ name: String, _ consequence: String = theDefault
    ) throws(JSONError) -> Bool {
        try isBefore(.object, "an object", &reader, name, consequence)
    }

    /// True before a list; another value is noted and passed over.
    package mutating func isArray(
        _ reader: inout JSONReader, _ name: String, _ consequence: String = theDefault
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
        _ reader: inout JSONReader, _ name: String, _ consequence: String = theDefault
    ) throws(JSONError) -> String? {
        if let text = try reader.textIfPresent() { return text.string() }
        note(name, "is not a string", consequence)
        return nil
    }

    /// True or false; another value is noted and passed over.
    mutating func bool(
        _ reader: inout JSONReader, _ name: String, _ problem: String = "is not true or false"
    ) throws(JSONError) -> Bool? {
        if let value = try reader.boolIfPresent() { return value }
        note(name, problem, Self.theDefault)
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
        note(name, Self.isNoName(text), consequence)
        return nil
    }

    /// A list of names of protocols. A bad one leaves the good ones; nil for what is no list, or a list of bad ones only.
    package mutating func protocolNames(_ reader: inout JSONReader, _ name: String) throws(JSONError) -> [String]? {
        try texts(&reader, name, most: Self.maximumProtocols) { json, reader, name throws(JSONError) in
            try json.protocolName(&reader, name, "It is ignored.")
        }
    }

    /// A list of so many different texts at most. A bad one leaves the good ones; nil for what is no list, or a list of bad
    /// ones only.
    mutating func texts(
        _ reader: inout JSONReader, _ name: String, most: Int,
        _ element: (inout SettingsJSON, inout JSONReader, String) throws(JSONError) -> String?
    ) throws(JSONError) -> [String]? {
        guard try isArray(&reader, name, "It is ignored.") else { return nil }
        var texts: [String] = []
        var hasBad = false
        try reader.beginArray()
        while try reader.nextElement() {
            if texts.count == most {
                try reader.skipValue()
                if !hasBad { note(name, "has more than \(most) elements", "The rest is ignored.") }
                hasBad = true
            } else if let text = try element(&self, &reader, "an element of " + name) {
                if !texts.contains(text) { texts.append(text) }
            } else {
                hasBad = true
            }
        }
        return texts.isEmpty && hasBad ? nil : texts
    }

    /// More names than any list of protocols has.
    package static let maximumProtocols = 1000

    /// What is wrong with a name of a protocol.
    package static func isNoName(_ text: String) -> String {
        "is \"\(ShownText.cleaned(text.prefix(100)))\", which is not the name of a protocol such as com.example.scale"
    }
}
