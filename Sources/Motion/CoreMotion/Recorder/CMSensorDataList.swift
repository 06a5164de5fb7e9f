// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Recorded readings, oldest first. Objects are made one by one during iteration.
///
/// As on Apple's platforms it is not a `Sequence` by itself: programs make it one,
///
/// ```swift
/// extension CMSensorDataList: @retroactive Sequence {
///     public func makeIterator() -> NSFastEnumerationIterator { NSFastEnumerationIterator(self) }
/// }
/// ```
///
/// and iterate with `for`. On Linux there is also `items`.
open class CMSensorDataList: NSObject {
    let parts: [(piece: RecordedReadings, indices: Range<Int>)]

    /// A list of nothing.
    public override init() { parts = [] }

    init(_ parts: [(piece: RecordedReadings, indices: Range<Int>)]) { self.parts = parts }
}
