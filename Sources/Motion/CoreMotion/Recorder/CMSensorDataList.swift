// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A list of recorded readings, oldest first. The objects are created during iteration.
///
/// As on Apple's platforms, the class itself is not a `Sequence`. Apps add the conformance
///
/// ```swift
/// extension CMSensorDataList: @retroactive Sequence {
///     public func makeIterator() -> NSFastEnumerationIterator { NSFastEnumerationIterator(self) }
/// }
/// ```
///
/// and iterate with `for`. On Linux, the property `items` is also available.
open class CMSensorDataList: NSObject {
    let parts: [(piece: RecordingChunk, indices: Range<Int>)]

    /// Creates an empty list.
    public override init() { parts = [] }

    init(_ parts: [(piece: RecordingChunk, indices: Range<Int>)]) { self.parts = parts }
}
