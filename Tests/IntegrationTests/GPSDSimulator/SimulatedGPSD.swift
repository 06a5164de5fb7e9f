// SPDX-License-Identifier: Apache-2.0

import Foundation
import GPSDSimulator
import Trace

/// A simulated gpsd that plays a recording.
final class SimulatedGPSD {
    let server: GPSDServer
    let port: UInt16
    /// The reports of the recording, unchanged.
    let reports: [String]

    /// - Parameter name: A recording of gpsd's reports.
    init(_ name: String, _ configure: (inout GPSDServerOptions) throws -> Void = { _ in }) throws {
        var options = GPSDServerOptions()
        options.pace = .onDemand
        options.end = .close
        try configure(&options)
        let path = Tools.traces.appendingPathComponent(name).path
        server = GPSDServer(try TraceFile(path: path), options: options)
        reports = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
            .filter { $0.hasPrefix("{") }.map(String.init)
        port = try server.start()
    }

    deinit {
        server.stop()
    }

    var address: String { "127.0.0.1:\(port)" }

    /// The positions of the recording.
    var rows: [ReportRow] { get throws { try ReportRow.rows(reports) } }

    /// Removes the receiver that the server added to a report.
    static func withoutReceiver(_ line: String) -> String {
        line.replacingOccurrences(of: #","device":"/dev/ttyS0""#, with: "")
    }
}
