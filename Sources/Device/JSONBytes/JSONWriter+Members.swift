// SPDX-License-Identifier: Apache-2.0

/// What has a form in JSON.
@usableFromInline
package protocol JSONWritable {
    /// Appends the value, and nothing else.
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// A key, a literal of printable ASCII without quotes and backslashes, and its value; `null` for nil.
    @inlinable
    package mutating func member(_ key: StaticString, _ value: some JSONWritable) {
        self.key(key)
        value.write(to: &self)
    }

    /// A key, whatever it consists of, and its value; `null` for nil.
    @inlinable
    package mutating func member(text key: String, _ value: some JSONWritable) {
        self.key(text: key)
        value.write(to: &self)
    }

    /// A key and its value; nothing at all for nil.
    @inlinable
    package mutating func memberIfPresent(_ key: StaticString, _ value: (some JSONWritable)?) {
        if let value { member(key, value) }
    }

    /// A key and a text; nothing at all for an empty one.
    @inlinable
    package mutating func memberUnlessEmpty(_ key: StaticString, _ text: String) {
        if !text.isEmpty { member(key, text) }
    }

    /// A key and an object.
    @inlinable
    package mutating func object(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try object(body)
    }

    /// A key and an array.
    @inlinable
    package mutating func array(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try array(body)
    }

    /// An object: its members are what the closure writes.
    @inlinable
    package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    /// An array: its elements are what the closure writes.
    @inlinable
    package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginArray()
        try body(&self)
        endArray()
    }
}

extension String: JSONWritable {
    @inlinable
    package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    @inlinable
    package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Double: JSONWritable {
    @inlinable
    package func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension JSONWritable where Self: FixedWidthInteger {
    @inlinable
    package func write(to writer: inout JSONWriter) { writer.int(Int64(clamping: self)) }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt32: JSONWritable {}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    @inlinable
    package func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    @inlinable
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

/// A list of three numbers.
extension SIMD3: JSONWritable where Scalar == Double {
    @inlinable
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for index in indices { writer.double(self[index]) }
        }
    }
}
