// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Recorded readings, oldest first, which are made into objects one by one as they are gone through.
///
/// As on Apple's platforms it is not a `Sequence` by itself: programs make it one,
///
/// ```swift
/// extension CMSensorDataList: Sequence {
///     public func makeIterator() -> NSFastEnumerationIterator { NSFastEnumerationIterator(self) }
/// }
/// ```
///
/// and go through it with `for`. On Linux there is also `items`.
open class CMSensorDataList: NSObject {
    let parts: [(piece: RecordedReadings, indices: Range<Int>)]

    /// A list of nothing.
    public override init() { parts = [] }

    init(_ parts: [(piece: RecordedReadings, indices: Range<Int>)]) { self.parts = parts }
}
