// SPDX-License-Identifier: Apache-2.0

import BlueZSource
import DeviceCore

/// The input is data that the system bus sends to a scanner for beacons, in two pieces, and also the manufacturer data
/// of an advertisement.
func fuzzBeacons(_ input: UnsafeBufferPointer<UInt8>) {
    if let first = input.first {
        let data = Array(input.dropFirst())
        if let beacon = BeaconAdvertisement(company: first == 0 ? BeaconAdvertisement.apple : UInt16(first), data: data)
        {
            precondition((23...24).contains(data.count) && Array(data[2..<18]) == beacon.identity.uuid.bytes)
        }
    }
    var (framer, client) = (DBusFramer(), BlueZClient(now: .zero))
    let bytes = UnsafeRawBufferPointer(input)
    let half = bytes.count / 2
    do {
        for (number, piece) in [bytes[..<half], bytes[half...]].enumerated() {
            framer.append(UnsafeRawBufferPointer(rebasing: piece))
            while let message = try framer.next() {
                try client.process(message, now: BootTime(nanoseconds: Int64(number)))
            }
            try client.processTimeouts(now: BootTime(nanoseconds: 1_000_000_000))
        }
    } catch {
        // The connection ends.
    }
    // The client's requests are valid D-Bus messages.
    var own = DBusFramer()
    let calls = client.drainOutgoing()
    calls.withUnsafeBytes { own.append($0) }
    var count = 0
    while let call = try? own.next() {
        precondition(!call.member.isEmpty && call.path.hasPrefix("/"))
        count += 1
    }
    precondition(count >= 5 && calls.count < 100_000 + 400 * input.count)
    for event in client.drainEvents() {
        if case .lost(let error) = event { precondition(error.message.utf8.count < 2048) }
    }
}
