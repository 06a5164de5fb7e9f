// SPDX-License-Identifier: Apache-2.0

import JSONBytes

extension String {
    /// Reads one value from the text and checks that nothing follows it.
    func reading<Value>(_ body: (inout JSONReader) throws(JSONError) -> Value) throws -> Value {
        try Array(utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            let value = try body(&reader)
            try reader.finish()
            return value
        }
    }
}
