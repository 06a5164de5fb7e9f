// SPDX-License-Identifier: Apache-2.0

import BarcodeScanner
import ExternalAccessory
import Foundation
import SimulatedDevice
import Testing

@Suite("The barcode scanner") @MainActor struct BarcodeScannerTests {
    /// A scanner that is attached, read in pieces, detached in the middle of a code, and attached again.
    nonisolated static func trace() throws -> TraceFile {
        try TraceFile(path: Recordings.folder.appendingPathComponent("../../Examples/Traces/scanner.trace").path)
    }

    @Test("Codes are complete, regardless of their pieces and across detachments")
    func codes() throws {
        let device = SimulatedDevice(try Self.trace())
        var codes: [Barcode] = []
        var connections: [String?] = []
        try device.use {
            let scanner = BarcodeScanner()
            scanner.scanned = { codes.append($0) }
            scanner.connected = { connections.append($0) }
            scanner.start()
            try device.play()
        }
        #expect(
            codes.map(\.text) == ["4006381333931", "036000291452", "73513537", "4006381333932", "SHELF 12/b"])
        // The first three are the examples in encyclopedia articles about EAN-13, UPC-A and EAN-8.
        #expect(codes.map(\.isCheckDigitRight) == [true, true, true, false, nil])
        #expect(connections == ["Scanner", nil, "Scanner", nil])
    }

    @Test("A scanner that is already attached is read, and endless noise uses bounded memory")
    func noise() {
        let device = SimulatedDevice()
        let noise = [UInt8](repeating: UInt8(ascii: "x"), count: 30_000)
        device.attach(
            SimulatedAccessory(
                name: "Scanner", protocol: "com.example.barcode-scanner",
                peer: LinePeer(greeting: [.send(noise), .send(Array("\r73513537\r".utf8))]) { _ in [] }))
        var codes: [Barcode] = []
        device.use {
            let scanner = BarcodeScanner()
            scanner.scanned = { codes.append($0) }
            device.advance(by: .seconds(0))
            scanner.start()
            device.advance(by: .seconds(1))
        }
        #expect(codes == [Barcode("73513537")])
    }
}

extension ProgramTests {
    @Test("The barcode scanner reads a simulated scanner")
    func barcodeScanner() throws {
        let end = try withBoard(try BarcodeScannerTests.trace()) { environment in
            try Programs.run("barcode-scanner", environment: environment) { lines in
                lines.count { $0 == "barcode-scanner: no scanner" } == 2
            }
        }
        #expect(
            end.lines == [
                "barcode-scanner: Scanner", "4006381333931", "036000291452", "73513537",
                "4006381333932    (misread: the check digit is wrong)", "barcode-scanner: no scanner",
                "barcode-scanner: Scanner", "SHELF 12/b", "barcode-scanner: no scanner",
            ])
    }
}
