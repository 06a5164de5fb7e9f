// SPDX-License-Identifier: Apache-2.0

@usableFromInline package protocol JSONWritable {
    /// Appends exactly one JSON value.
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// Appends a member. The key must be printable ASCII without quotes or backslashes. Writes `null` for nil.
    @inlinable package mutating func member(_ key: StaticString, _ value: some JSONWritable) {
        self.key(key)
        value.write(to: &self)
    }

    /// Appends a member with an arbitrary key, which is escaped. Writes `null` for nil.
    @inlinable package mutating func member(text key: String, _ value: some JSONWritable) {
        self.key(text: key)
        value.write(to: &self)
    }

    /// Appends nothing if the value is nil.
    @inlinable package mutating func memberIfPresent(_ key: StaticString, _ value: (some JSONWritable)?) {
        if let value { member(key, value) }
    }

    /// Appends nothing if the string is empty.
    @inlinable package mutating func memberUnlessEmpty(_ key: StaticString, _ text: String) {
        if !text.isEmpty { member(key, text) }
    }

    /// Appends a member whose value is an object. The closure writes the object's members.
    @inlinable package mutating func object(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try object(body)
    }

    @inlinable package mutating func array(_ key: StaticString, _ body: (inout JSONWriter) throws -> Void) rethrows {
        self.key(key)
        try array(body)
    }

    @inlinable package mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    @inlinable package mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        beginArray()
        try body(&self)
        endArray()
    }
}

extension String: JSONWritable {
    @inlinable package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    @inlinable package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Double: JSONWritable {
    @inlinable package func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension JSONWritable where Self: FixedWidthInteger {
    @inlinable package func write(to writer: inout JSONWriter) { writer.int(Int64(clamping: self)) }
}

extension Int: JSONWritable {}
extension Int32: JSONWritable {}
extension Int64: JSONWritable {}
extension UInt8: JSONWritable {}
extension UInt32: JSONWritable {}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    @inlinable package func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    @inlinable package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for element in self { element.write(to: &writer) }
        }
    }
}

extension SIMD3: JSONWritable where Scalar == Double {
    @inlinable package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for index in indices { writer.double(self[index]) }
        }
    }
}
