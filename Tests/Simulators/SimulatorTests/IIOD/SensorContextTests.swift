// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@testable import IIODSimulator

@Suite("Devices created for sensors")
struct SensorContextTests {
    private func sensor(_ id: String, _ kind: SensorKind, _ rates: SensorRates = .list([50, 100])) -> SensorDescription
    {
        var sensor = SensorDescription(id: id, kind: kind)
        sensor.name = "lsm6dso"
        sensor.rates = rates
        sensor.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        return sensor
    }

    @Test("Sensors of one chip share a device if their rates agree")
    func grouping() {
        let context = SimulatedIIOContext(sensors: [
            sensor("local:/iio:device3/accel", .accelerometer), sensor("local:/iio:device3/anglvel", .gyroscope),
            sensor("local:/iio:device4/accel", .accelerometer),
            sensor("local:/iio:device4/magn", .magnetometer, .list([10])), sensor("baro", .pressure, .unknown),
        ]).context
        #expect(context.devices.map(\.id) == (0..<4).map { "iio:device\($0)" })
        #expect(
            context.devices.map { $0.channels.map(\.id) } == [
                ["accel_x", "accel_y", "accel_z", "anglvel_x", "anglvel_y", "anglvel_z", "timestamp"],
                ["accel_x", "accel_y", "accel_z", "timestamp"], ["magn_x", "magn_y", "magn_z", "timestamp"],
                ["pressure", "timestamp"],
            ])
        // Six axes of four bytes, then the timestamp at offset 24: 32 bytes.
        #expect(context.devices[0].layout(of: 0..<7)?.sampleSize == 32)
        #expect(context.devices[0].attribute("sampling_frequency_available")?.value == "50 100")
        #expect(context.devices[0].attribute("sampling_frequency")?.value == "100")
    }

    @Test("The client finds the sensors with their kind, mount matrix and rates")
    func roundTrip() throws {
        let context = SimulatedIIOContext(sensors: [sensor("a/accel", .accelerometer), sensor("a/anglvel", .gyroscope)])
        let found = try #require(context.context.devices.first).sensors()
        #expect(found.map(\.kind) == [.accelerometer, .gyroscope])
        for sensor in found {
            #expect(sensor.mountMatrix == MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1]))
            #expect(sensor.rates == .list([50, 100]))
            #expect(sensor.canBuffer)
        }
    }

    @Test("Values use more than 24 bits", arguments: [(nil, "0.0000001"), (500, "0.000001"), (9.9, "0.00000001")])
    func scales(peak: Double?, scale: String) throws {
        let peaks = peak.map { [SensorKind.accelerometer: $0] } ?? [:]
        let context = SimulatedIIOContext(sensors: [sensor("a", .accelerometer)], peaks: peaks)
        #expect(context.context.value(for: "iio:device0/input/accel_x/scale") == scale)
        let step = try #require(Double(scale))
        #expect((peak ?? 200) / step < 2_147_483_648)
        #expect((peak ?? 200) / step > 16_777_216)
    }

    @Test("A recorded value is streamed with the precision of the scale")
    func values() throws {
        let track = IIOSampleTrack(kind: .accelerometer, times: [0], values: [[0.1234567, -9.80665, 156.9]])
        var dialogue = Dialogue(
            SimulatedIIOContext(sensors: [sensor("a", .accelerometer)]).context, samples: IIORecordedSource([track]))
        _ = dialogue.line("OPEN iio:device0 1 00000007")
        let scans = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 12\r\n".utf8)))).scans
        try #require(scans.count == 12)
        let raw = stride(from: 0, to: 12, by: 4).map { offset in
            Int32(bitPattern: scans[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        #expect(raw == [1_234_567, -98_066_500, 1_569_000_000])
    }
}
