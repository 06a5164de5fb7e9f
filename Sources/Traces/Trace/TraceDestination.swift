// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Where a ``TraceWriter`` puts its lines: the header by itself first, then whole lines.
package protocol TraceDestination: Sendable {
    /// What to call it in messages.
    var name: String { get }

    /// Writes all of the bytes. After an error nothing more is written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DeviceError)

    /// Brings what was written to the disk and ends it.
    func close() throws(DeviceError)

    /// Ends it where something has failed or nobody has closed it.
    func abandon()
}

extension TraceDestination {
    /// What was written before stays.
    package func abandon() { try? close() }
}

extension TraceOutput: TraceDestination {}
