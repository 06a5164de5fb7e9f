// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A reading that several sensors have made together, ready to be printed.
protocol FusedReading {
    static var stream: StreamName { get }

    /// Seconds since boot; in a replay, since the start of the trace.
    var timestamp: Double { get }

    /// Writes it as one JSON object.
    func write(to writer: inout JSONWriter)

    /// One line for people, with as many columns each time.
    func line(_ ink: Ink) -> String

    /// A picture for people.
    ///
    /// - Parameter rate: how many come in a second; nil as long as that is not known.
    func picture(width: Int, height: Int, rate: Double?) -> Canvas
}

/// Prints readings of one stream as they come.
protocol ReadingPrinter<Value>: AnyObject {
    associatedtype Value: FusedReading

    func print(_ reading: Value)
    func print(_ error: any Error)
}
