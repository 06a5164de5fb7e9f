// SPDX-License-Identifier: Apache-2.0

package import JSONBytes

/// Reads values from a JSON settings file and records a problem for each invalid value.
package struct SettingsJSON {
    package let path: String
    /// The path as shown in messages. It is sanitized, because a file name may contain any character.
    package var sanitizedPath: String { TerminalSanitizer.sanitized(path) }
    package private(set) var problems: [DeviceError] = []

    /// The keys read so far in each open object. The innermost object is last.
    private var seenKeys: [Set<String>] = []

    package init(path: String) { self.path = path }

    package mutating func recordProblem(_ name: String, _ problem: String, _ consequence: String) {
        let name = TerminalSanitizer.sanitized(name.prefix(100))
        record(DeviceError(.invalidConfiguration, "\(sanitizedPath): \(name) \(problem). \(consequence)"))
    }

    /// Records at most 100 problems, so that a damaged file cannot fill the log.
    mutating func record(_ problem: DeviceError) { if problems.count < 100 { problems.append(problem) } }

    package static let defaultConsequence = "The default is used."

    package mutating func recordUnknownKey(_ name: String) {
        recordProblem(name, "is not a known setting", "It is ignored.")
    }

    /// Records a problem if the text is not valid UTF-8. Invalid bytes are read as U+FFFD.
    mutating func checkText(_ bytes: UnsafeRawBufferPointer) {
        // Decoding replaces invalid bytes. If the bytes have changed, the original text was not valid UTF-8.
        var text = String(decoding: bytes, as: UTF8.self)
        guard !text.withUTF8({ UnsafeRawBufferPointer($0).hasSameBytes(as: bytes) }) else { return }
        recordProblem(
            "the file", "contains bytes that are not valid UTF-8", "They are read as \u{FFFD}. Save the file as UTF-8.")
    }

    /// Enters an object. Duplicate keys in the object are recorded as problems.
    @inline(never) package mutating func beginObject(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        seenKeys.append([])
    }

    /// Returns the next key of the innermost object, or nil at the end of the object. If the key occurs more than once,
    /// records a problem under its full name, `prefix` followed by the key.
    @inline(never)
    package mutating func nextKey(_ reader: inout JSONReader, _ prefix: String) throws(JSONError) -> String? {
        guard let key = try reader.nextKey()?.string() else {
            seenKeys.removeLast()
            return nil
        }
        if !seenKeys[seenKeys.count - 1].insert(key).inserted {
            recordProblem(
                prefix + key, "occurs more than once",
                prefix.isEmpty
                    ? "The sections are merged; the last valid value of each setting is used."
                    : "The last valid value is used.")
        }
        return key
    }

    /// Reads an object. The closure is called with each key and its full name. It must read the value and return true,
    /// or return false if the key is unknown.
    ///
    /// If the value is not an object, records a problem, skips the value and returns false.
    @discardableResult package mutating func readObject(
        _ reader: inout JSONReader, _ name: String, _ consequence: String = defaultConsequence, prefix: String? = nil,
        _ readMember: (String, String, inout JSONReader, inout SettingsJSON) throws(JSONError) -> Bool
    ) throws(JSONError) -> Bool {
        guard try isObject(&reader, name, consequence) else { return false }
        try beginObject(&reader)
        let prefix = prefix ?? name + "."
        while let key = try nextKey(&reader, prefix) {
            if try readMember(key, prefix + key, &reader, &self) { continue }
            recordUnknownKey(prefix + key)
            try reader.skipValue()
        }
        return true
    }

    /// Returns true if the next value is an object. Otherwise, records a problem and skips the value.
    package mutating func isObject(
        _ reader: inout JSONReader, _ name: String, _ consequence: String = defaultConsequence
    ) throws(JSONError) -> Bool { try isNext(.object, "an object", &reader, name, consequence) }

    private mutating func isNext(
        _ kind: JSONKind, _ problem: String, _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> Bool {
        if try reader.peekKind() == kind { return true }
        recordProblem(name, "is not \(problem)", consequence)
        try reader.skipValue()
        return false
    }

    package mutating func text(
        _ reader: inout JSONReader, _ name: String, _ consequence: String = defaultConsequence
    ) throws(JSONError) -> String? {
        if let text = try reader.textIfPresent() { return text.string() }
        recordProblem(name, "is not a string", consequence)
        return nil
    }

    /// Parses a string. If the value is not a string or is invalid, records a problem and returns nil.
    mutating func parsed<Value>(
        _ reader: inout JSONReader, _ name: String, _ parse: (String) throws(DeviceError) -> Value
    ) throws(JSONError) -> Value? {
        guard let text = try text(&reader, name) else { return nil }
        do throws(DeviceError) { return try parse(text) } catch {
            record(error.within("\(path), \(name)"))
            return nil
        }
    }

    mutating func bool(
        _ reader: inout JSONReader, _ name: String, _ problem: String = "is not true or false"
    ) throws(JSONError) -> Bool? {
        if let value = try reader.boolIfPresent() { return value }
        recordProblem(name, problem, Self.defaultConsequence)
        return nil
    }

    package mutating func number(
        _ reader: inout JSONReader, _ name: String, _ range: ClosedRange<Int64>, _ consequence: String
    ) throws(JSONError) -> Int64? {
        if let value = try reader.int64IfPresent(), range.contains(value) { return value }
        recordProblem(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)", consequence)
        return nil
    }

    /// Reads a path. A relative path is resolved against the directory of the settings file. A path is rejected if it
    /// is empty, is too long or contains a zero byte.
    package mutating func path(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> String? {
        guard let text = try text(&reader, name, consequence) else { return nil }
        guard !text.isEmpty, text.utf8.count < 4096, !text.utf8.contains(0) else {
            recordProblem(name, "is not a valid path", consequence)
            return nil
        }
        guard !text.hasPrefix("/"), let slash = self.path.lastIndex(of: "/") else { return text }
        return self.path[...slash] + text
    }

    package mutating func protocolName(
        _ reader: inout JSONReader, _ name: String, _ consequence: String
    ) throws(JSONError) -> String? {
        guard let text = try text(&reader, name, consequence) else { return nil }
        if AccessoryProtocol.isValid(name: text) { return text }
        recordProblem(name, Self.invalidNameProblem(text), consequence)
        return nil
    }

    /// Reads a list of protocol names. Skips invalid names. Returns nil if the value is not an array or all names are
    /// invalid.
    package mutating func protocolNames(_ reader: inout JSONReader, _ name: String) throws(JSONError) -> [String]? {
        try distinctElements(&reader, name, maximumCount: Self.maximumProtocols) {
            json, reader, name throws(JSONError) in try json.protocolName(&reader, name, "It is ignored.")
        }
    }

    /// Reads an array and removes duplicates. Returns nil if the value is not an array or all elements are invalid.
    mutating func distinctElements<Element: Equatable>(
        _ reader: inout JSONReader, _ name: String, maximumCount: Int,
        _ read: (inout SettingsJSON, inout JSONReader, String) throws(JSONError) -> Element?
    ) throws(JSONError) -> [Element]? {
        let list = try elements(&reader, name, maximumCount: maximumCount) {
            json, reader, _ throws(JSONError) in try read(&json, &reader, "an element of " + name)
        }
        guard let list, !list.valid.isEmpty || !list.hasInvalid else { return nil }
        return list.valid.reduce(into: []) { distinct, element in
            if !distinct.contains(element) { distinct.append(element) }
        }
    }

    /// Reads an array. Skips invalid elements (those for which `read` returns nil). After `maximumCount` valid
    /// elements, records a problem and skips the rest. Returns nil if the value is not an array.
    package mutating func elements<Element>(
        _ reader: inout JSONReader, _ name: String, maximumCount: Int,
        _ read: (inout SettingsJSON, inout JSONReader, _ index: Int) throws(JSONError) -> Element?
    ) throws(JSONError) -> (valid: [Element], hasInvalid: Bool)? {
        guard try isNext(.array, "a list", &reader, name, "It is ignored.") else { return nil }
        var valid: [Element] = []
        var (hasInvalid, hasExcess) = (false, false)
        var index = 0
        try reader.beginArray()
        while try reader.nextElement() {
            if valid.count == maximumCount {
                hasExcess = true
                try reader.skipValue()
            } else if let element = try read(&self, &reader, index) {
                valid.append(element)
            } else {
                hasInvalid = true
            }
            index += 1
        }
        if hasExcess { recordProblem(name, "has more than \(maximumCount) elements", "The rest is ignored.") }
        return (valid, hasInvalid)
    }

    /// The maximum number of protocol names in a list. Realistic lists are far shorter.
    package static let maximumProtocols = 1000

    package static func invalidNameProblem(_ text: String) -> String {
        "is \"\(TerminalSanitizer.sanitized(text.prefix(100)))\", which is not the name of a protocol such as com.example.scale"
    }
}
