// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls

/// Determines the next event for a stream's delegate. This state machine has no side effects.
///
/// The rules match Apple's streams:
/// - `openCompleted` is the first event.
/// - `hasBytesAvailable` is repeated only after the app has read, and `hasSpaceAvailable` only after the app has
///   written.
/// - `endEncountered` or `errorOccurred` is reported once. An input stream reports it after the last byte has been
///   read.
/// - No events are reported before the stream is opened or after it is closed.
/// - If a callback runs a nested run loop, the event being handled is not reported again within that loop.
struct StreamEvents {
    enum Direction { case input, output }

    private enum Phase { case notOpen, open, closed }

    let direction: Direction
    private var phase = Phase.notOpen
    private var hasReportedOpening = false
    private var hasReportedEnd = false
    private var isArmed = true
    private var hasFailed = false
    private var running: Stream.Event = []

    init(_ direction: Direction) { self.direction = direction }

    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    mutating func open() { if phase == .notOpen { phase = .open } }

    mutating func close() { phase = .closed }

    /// Allows `hasBytesAvailable` or `hasSpaceAvailable` to be reported again. Called after each read and each
    /// successful write, even if no bytes were transferred.
    mutating func rearm() { isArmed = true }

    mutating func fail() { hasFailed = true }

    func pending(_ channel: @autoclosure () -> ByteChannelStatus) -> Stream.Event? {
        guard phase == .open, !hasReportedEnd else { return nil }
        guard hasReportedOpening else { return .openCompleted }
        if hasFailed { return .errorOccurred }
        let channel = channel()
        if direction == .input ? channel.bytesAvailable > 0 : channel.spaceAvailable > 0 {
            return isArmed ? unlessRunning(direction == .input ? .hasBytesAvailable : .hasSpaceAvailable) : nil
        }
        guard channel.end != nil else { return nil }
        return failure(in: channel) == nil ? .endEncountered : .errorOccurred
    }

    /// If this stream must report the channel's end as an error, returns that end. Otherwise, returns `nil`. An input
    /// stream reports the error once all bytes have been read. An output stream also treats the loss of written bytes
    /// as an error.
    func failure(in channel: ByteChannelStatus) -> ByteChannelEnd? {
        guard let end = channel.end else { return nil }
        let isFailure =
            switch direction {
            case .input: end.reason == .failed && channel.bytesAvailable == 0
            case .output: end.reason == .failed || end.unsentBytes > 0
            }
        return isFailure ? end : nil
    }

    mutating func begin(_ event: Stream.Event) {
        running.insert(event)
        switch event {
        case .openCompleted: hasReportedOpening = true
        case .hasBytesAvailable, .hasSpaceAvailable: isArmed = false
        default: hasReportedEnd = true
        }
    }

    mutating func finish(_ event: Stream.Event) { running.remove(event) }

    func status(_ channel: @autoclosure () -> ByteChannelStatus) -> Stream.Status {
        switch phase {
        case .notOpen: return .notOpen
        case .closed: return .closed
        case .open: break
        }
        if hasFailed { return .error }
        let channel = channel()
        if channel.end == nil || (direction == .input && channel.bytesAvailable > 0) { return .open }
        return failure(in: channel) == nil ? .atEnd : .error
    }

    private func unlessRunning(_ event: Stream.Event) -> Stream.Event? { running.contains(event) ? nil : event }
}

extension ByteChannelEnd {
    var streamFailure: DeviceError {
        if let error { return error }
        let lost = unsentBytes > 0 ? " \(unsentBytes) written bytes were not sent." : ""
        switch reason {
        case .detached: return DeviceError(.connectionLost, "The accessory was unplugged.\(lost)")
        case .hungUp: return DeviceError(.inputOutput, "The accessory closed the connection.\(lost)")
        case .closed: return DeviceError(.inputOutput, "The connection was closed.\(lost)")
        case .failed: return DeviceError(.inputOutput, "The transfer to or from the accessory failed.\(lost)")
        }
    }
}

extension DeviceError {
    /// The error that a stream reports. Its domain is `NSPOSIXErrorDomain`, its code is the system's error number if
    /// there is one, and its underlying error is this `DeviceError`.
    var streamError: NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(posixNumber),
            userInfo: [NSLocalizedDescriptionKey: description, NSUnderlyingErrorKey: self])
    }

    private var posixNumber: Int32 {
        if case .system(_, let number) = cause, number > 0 { return number }
        return switch code {
        case .connectionLost: ENODEV
        case .permissionDenied: EACCES
        case .busy: EBUSY
        case .notFound: ENOENT
        case .notSupported: EOPNOTSUPP
        default: EIO
        }
    }
}
