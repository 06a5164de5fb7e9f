// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import SystemCalls
import TestSupport

/// A receiver that moves north, reports 20 times per second of system time, and sends its sentences to a gpsd.
///
/// The degrees of latitude are the number of the run, so that a fix of an earlier run cannot be taken for a current
/// one.
final class FedReceiver: Sendable {
    private let descriptor: Int32
    private let port: UInt16
    private let timer: TimerBox
    private let state = Mutex((run: 1, report: 0))

    private struct TimerBox: @unchecked Sendable {
        let source: any DispatchSourceTimer
    }

    init(port: UInt16) {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        timer = TimerBox(source: DispatchSource.makeTimerSource(queue: DispatchQueue(label: "receiver")))
        timer.source.setEventHandler { [weak self] in self?.report() }
        timer.source.schedule(deadline: .now(), repeating: .milliseconds(50))
        timer.source.resume()
    }

    deinit {
        timer.source.cancel()
        close(descriptor)
    }

    /// Begins the next run.
    func begin(run: Int) {
        state.withLock { $0 = (run, 0) }
    }

    private func report() {
        let (run, report) = state.withLock { state in
            state.report += 1
            return (state.run, state.report)
        }
        let now = Date()
        let parts = Calendar.utc.dateComponents([.year, .month, .day, .hour, .minute, .second, .nanosecond], from: now)
        let time = String(
            format: "%02d%02d%02d.%02d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0,
            (parts.nanosecond ?? 0) / 10_000_000)
        let date = String(format: "%02d%02d%02d", parts.day ?? 1, parts.month ?? 1, (parts.year ?? 2000) % 100)
        let latitude = String(format: "%02d%07.4f", run, Double(report) / 1000)
        let sentences =
            sentence("GPRMC,\(time),A,\(latitude),N,01100.0000,E,010.0,000.0,\(date),,,A")
            + sentence("GPGGA,\(time),\(latitude),N,01100.0000,E,1,08,1.0,500.0,M,47.0,M,,")
        send(sentences)
    }

    /// Returns the sentence with its checksum, the exclusive or of all characters between $ and *.
    private func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        return "$\(body)*" + String(format: "%02X", sum) + "\r\n"
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        var address = LoopbackAddress.of(port: port)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                // Sending fails while gpsd is not running, as with a real receiver.
                _ = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), generic,
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

extension Calendar {
    static let utc: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar
    }()
}
