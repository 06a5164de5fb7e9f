// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@Suite("Sensors of an IIO device")
struct SensorTests {
    @Test("An IMU yields an accelerometer and a gyroscope, and no sensor for its thermometer")
    func mpu6050() throws {
        let device = try Fixture.device("mpu6050")
        let sensors = device.sensors()
        #expect(sensors.map(\.kind) == [.accelerometer, .gyroscope])
        let gyroscope = try #require(sensors.last)
        #expect(gyroscope.axes.map(\.channelID) == ["anglvel_x", "anglvel_y", "anglvel_z"])
        #expect(gyroscope.axes.map(\.channel) == [4, 5, 6])
        #expect(gyroscope.axes.allSatisfy { $0.scale == 0.001064724 && $0.offset == 0 && !$0.isProcessed })
        for sensor in sensors {
            #expect(sensor.rates == .list([10, 20, 50, 100, 200, 500]))
            #expect(sensor.rateAttribute == .device("sampling_frequency"))
            #expect(sensor.currentRate == 50)
            #expect(sensor.canBuffer && sensor.canPoll && sensor.isUsable)
        }
        #expect(device.timestampClock == "realtime")
        #expect(try Fixture.context("mpu6050").devices[1].sensors().isEmpty)
    }

    @Test("A nine-axis device yields three sensors")
    func nineAxes() throws {
        var device = try Fixture.device("mpu6050")
        for axis in ["x", "y", "z"] {
            device.channels.append(
                IIOChannel(id: "magn_\(axis)", attributes: [IIOAttribute(name: "raw", value: "1")]))
        }
        device.channels.append(IIOChannel(id: "deltaangl_x"))
        let sensors = device.sensors()
        #expect(sensors.map(\.kind) == [.accelerometer, .gyroscope, .magnetometer])
        // The added channels have no scan index.
        #expect(sensors.map(\.canBuffer) == [true, true, false])
        #expect(sensors.last?.axes.first?.scale == 1)
    }

    @Test("The rate is found at the axes of the channel type, and the available rates may be at the device")
    func rates() throws {
        let bmi160 = try Fixture.device("bmi160").sensors()
        #expect(bmi160.map(\.rateAttribute) == [.channel(3, "sampling_frequency"), .channel(0, "sampling_frequency")])
        #expect(bmi160[0].rates.rate(atLeast: 60) == 100)
        #expect(bmi160[1].rates.maximum == 3200)
        let mma8452 = try #require(try Fixture.device("mma8452").sensors().first)
        #expect(mma8452.rateAttribute == .channel(0, "sampling_frequency"))
        // The driver lists the rates in descending order.
        #expect(mma8452.rates == .list([1.56, 6.25, 12.5, 50, 100, 200, 400, 800]))
        let adxl355 = try #require(try Fixture.device("adxl355.recorded").sensors().first)
        // The recording contains "ERROR" instead of the rates.
        #expect(adxl355.rates == .unknown)
        #expect(adxl355.currentRate == 4000)
        let magnetometer = try Fixture.device("raw-only-accel-magn-baro", 1).sensors()
        #expect(magnetometer.first?.rateAttribute == nil)
    }

    @Test("Sensors without a buffer can be polled, and a processed pressure is already in kPa")
    func rawOnly() throws {
        let devices = try Fixture.context("raw-only-accel-magn-baro").devices
        let sensors = devices.flatMap { $0.sensors() }
        #expect(sensors.map(\.kind) == [.accelerometer, .magnetometer, .pressure])
        #expect(sensors.allSatisfy { !$0.canBuffer && $0.canPoll && $0.isUsable })
        let pressure = try #require(sensors.last?.axes.first)
        #expect(pressure.isProcessed && pressure.attributeName == "input")
        let text = try #require(devices[2].channels[0].attribute("input")?.number)
        #expect(pressure.value(of: text) == 101.325)
        #expect(sensors[0].axes[2].value(of: 1020) == 1020 * 0.009577)
    }

    @Test("A pressure channel with raw value and scale is read raw, and one without a scale is read processed")
    func pressure() throws {
        var channel = IIOChannel(
            id: "pressure", scan: IIOScanElement(index: 0, format: try #require(IIODataFormat("le:u24/32>>0"))),
            attributes: [IIOAttribute(name: "raw"), IIOAttribute(name: "input")])
        let processed = try #require(IIODevice(id: "d", channels: [channel]).sensors().first)
        #expect(processed.axes[0].isProcessed && !processed.canBuffer && processed.canPoll)
        channel.attributes.append(IIOAttribute(name: "scale", value: "0.25"))
        let raw = try #require(IIODevice(id: "d", channels: [channel]).sensors().first)
        #expect(!raw.axes[0].isProcessed && raw.canBuffer)
        #expect(raw.axes[0].value(of: 400) == 100)
    }

    @Test("Two accelerometers are distinguished by label and location")
    func twoAccelerometers() throws {
        let sensors = try Fixture.context("cros-ec-two-accels").devices.flatMap { $0.sensors() }
        #expect(sensors.map(\.label) == ["accel-base", "accel-display"])
        #expect(sensors.map(\.location) == ["base", "lid"])
        #expect(IIODevice(id: "d", label: "accel-display").location == "display")
        #expect(IIODevice(id: "d", label: "other").location.isEmpty)
    }

    @Test("The scale of an axis precedes the shared scale of its type, and that of the device is last")
    func scales() throws {
        func device(_ attributes: [IIOAttribute], _ ofDevice: [IIOAttribute] = []) -> IIODevice {
            let channels = ["x", "y", "z"].map { axis in
                IIOChannel(
                    id: "accel_\(axis)", attributes: [IIOAttribute(name: "raw")] + (axis == "y" ? attributes : []))
            }
            return IIODevice(id: "iio:device0", name: "part", channels: channels, attributes: ofDevice)
        }
        let shared = IIOAttribute(name: "scale", filename: "in_accel_scale", value: "2\n\u{0}")
        let own = IIOAttribute(name: "scale", filename: "in_accel_y_scale", value: "3")
        let offset = IIOAttribute(name: "offset", filename: "in_accel_offset", value: "-5")
        #expect(device([]).sensors().first?.axes.map(\.scale) == [1, 1, 1])
        #expect(device([shared, own]).sensors().first?.axes.map(\.scale) == [1, 3, 1])
        #expect(device([shared, offset]).sensors().first?.axes.map(\.scale) == [1, 2, 1])
        let axis = try #require(device([shared, offset]).sensors().first?.axes[1])
        // (7 - 5) × 2
        #expect(axis.value(of: 7) == 4)
        #expect(axis.number(for: 4) == 7)
        let ofDevice = IIOAttribute(name: "in_accel_scale", value: "0.5")
        #expect(device([own], [ofDevice]).sensors().first?.axes.map(\.scale) == [0.5, 3, 0.5])
    }

    @Test(
        "An invalid scale is reported in one error with the attribute and its value",
        arguments: ["0", "0.000000", "nan", "inf", "-inf", "0,5", "", "abc", "1e400", "1e308", "0x10", "1 dB"])
    func badScale(value: String) throws {
        var device = try Fixture.device("mma8452")
        for index in 0..<3 { device.channels[index].attributes.removeAll { $0.name == "scale" } }
        device.channels[1].attributes.append(IIOAttribute(name: "scale", filename: "in_accel_scale", value: value))
        let sensor = try #require(device.sensors().first)
        let problem = try #require(sensor.problem)
        #expect(!sensor.isUsable)
        #expect(problem.message.contains("in_accel_scale"))
        #expect(problem.message.contains("accel_y"))
        #expect(problem.message.contains("\"\(value)\""))
        #expect(sensor.axes[1].value(of: 1).isNaN)
        let layout = try #require(device.layout(of: 0..<3))
        #expect(IIOScanDecoder(layout: layout, axes: sensor.axes, timestampChannel: nil) == nil)
    }

    @Test("An unreadable scale and an invalid offset are reported as errors")
    func unreadable() throws {
        var device = try Fixture.device("mma8452")
        device.channels[2].attributes.append(IIOAttribute(name: "offset", filename: "in_accel_offset", value: "1,5"))
        #expect(device.sensors().first?.problemText?.contains("in_accel_offset of accel_z") == true)
        #expect(device.sensors().first?.problemText?.contains("\"1,5\"") == true)
        device = try Fixture.device("mma8452")
        for index in device.channels[0].attributes.indices where device.channels[0].attributes[index].name == "scale" {
            device.channels[0].attributes[index].value = nil
        }
        #expect(device.sensors().first?.problemText?.contains("could not be read") == true)
    }

    @Test("An accelerometer with two axes is no sensor, and output channels are ignored")
    func incomplete() throws {
        var device = try Fixture.device("mma8452")
        device.channels[1].isOutput = true
        #expect(device.sensors().isEmpty)
        device.channels.remove(at: 1)
        #expect(device.sensors().isEmpty)
        let bare = IIODevice(id: "d", channels: ["x", "y", "z"].map { IIOChannel(id: "accel_\($0)") })
        #expect(bare.sensors().first?.problem != nil)
    }
}
