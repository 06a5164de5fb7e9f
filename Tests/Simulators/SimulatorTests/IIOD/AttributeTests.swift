// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@testable import IIODSimulator

@Suite("IIO attributes")
struct AttributeTests {
    private func write(_ value: String, to path: String, in dialogue: inout Dialogue) -> String {
        dialogue.line("WRITE iio:device0 \(path) \(value.utf8.count + 1)").isEmpty
            ? String(decoding: dialogue.send(Array(value.utf8) + [0]), as: UTF8.self) : "refused"
    }

    @Test("A listed rate is accepted with or without a line feed", arguments: ["50", "50\n", "+50", "50.0"])
    func rate(wanted: String) {
        var dialogue = Dialogue()
        #expect(write(wanted, to: "sampling_frequency", in: &dialogue) == "\(wanted.utf8.count + 1)\n")
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "3\n50\0\n")
        #expect(dialogue.state.context.context.value(for: "iio:device0/sampling_frequency") == "50")
    }

    // The syntax of __iio_str_to_fixpoint() in Linux 6.1. The board passes most of these texts to the kernel.
    @Test(
        "Numbers use the syntax of the kernel's fixed-point numbers",
        arguments: [
            ("100", 100), ("-5", -5), ("100.5", 100.5), ("0.000598", 0.000598), ("12\n", 12), ("+3", 3), (".5", 0.5),
            ("5.", 5), ("-", 0), ("\n", 0), ("007", 7), ("", nil), ("1e2", nil), ("12 ", nil), (" 12", nil),
            ("0x10", nil), ("1,5", nil), ("5\n\n", nil), ("nan", nil), ("--5", nil), ("1.2.3", nil), ("١", nil),
        ] as [(String, Double?)])
    func kernelNumber(text: String, value: Double?) {
        #expect(KernelNumber(text)?.value == value)
    }

    @Test(
        "A number is stored in the format of its attribute",
        arguments: [
            ("100", "50.000000", "100.000000"), ("100.5", "7", "100"), ("30.25", "1.0", "30.2"), ("-5", "0", "-5"),
            ("0.5", "", "0"), ("1.", "2.00", "1.00"), ("-0.5", "0.0", "-0.5"), ("-0.5", "1", "0"), (".5", "1", "0"),
        ])
    func format(written: String, before: String, after: String) {
        #expect(KernelNumber(written)?.text(like: before) == after)
    }

    @Test(
        "Values that a driver would reject are rejected",
        arguments: [
            ("sampling_frequency", "fast", "-22\n"), ("sampling_frequency", "-1", "-22\n"),
            ("sampling_frequency", "0", "-22\n"), ("current_timestamp_clock", "sundial", "-22\n"),
            ("sampling_frequency", "60", "-22\n"), ("sampling_frequency", "1e2", "-22\n"),
            ("INPUT accel_x raw", "5", "-22\n"), ("INPUT accel_x scale", "abc", "-22\n"),
            ("INPUT accel_x scale", "0.5", "-22\n"), ("INPUT accel_x calibbias", "1e2", "-22\n"),
            ("sampling_frequency_available", "5", "-13\n"), ("INPUT accel_x nope", "5", "-13\n"),
            ("INPUT nochan raw", "5", "-6\n"), ("INPUT accel_x mount_matrix", "5", "-13\n"),
        ])
    func refused(path: String, value: String, answer: String) {
        var dialogue = Dialogue()
        let before = dialogue.state.context.context
        #expect(write(value, to: path, in: &dialogue) == answer)
        #expect(dialogue.state.context.context == before)
    }

    @Test("An attribute shared by three axes changes on all of them")
    func shared() {
        var dialogue = Dialogue()
        dialogue.state.context.context.devices[0].channels[0].attributes.append(
            IIOAttribute(name: "scale_available", filename: "in_accel_scale_available", value: "0.000598 0.001196"))
        #expect(write("0.001196", to: "INPUT accel_y scale", in: &dialogue) == "9\n")
        for axis in ["x", "y", "z"] {
            #expect(dialogue.line("READ iio:device0 INPUT accel_\(axis) scale") == "9\n0.001196\0\n")
        }
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
        #expect(write("0.000598", to: "INPUT accel_y scale", in: &dialogue) == "-16\n")
        #expect(write("0.5", to: "INPUT accel_y scale", in: &dialogue) == "-22\n")
        #expect(write("7", to: "INPUT accel_y calibbias", in: &dialogue) == "2\n")
        #expect(dialogue.line("READ iio:device0 INPUT accel_x calibbias") == "2\n0\0\n")
    }

    @Test("All attributes of a device can be written at once, and a negative length skips one")
    func all() {
        var dialogue = Dialogue()
        // The clock is unchanged (length -1), the rate becomes 200, and the list is unchanged.
        let value: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 4, 50, 48, 48, 0, 255, 255, 255, 255]
        #expect(dialogue.line("WRITE iio:device0  \(value.count)") == "")
        #expect(String(decoding: dialogue.send(value), as: UTF8.self) == "16\n")
        #expect(dialogue.state.context.context.value(for: "iio:device0/sampling_frequency") == "200")
        #expect(dialogue.state.context.context.value(for: "iio:device0/current_timestamp_clock") == "realtime")
        // A length beyond the end of the value.
        #expect(dialogue.line("WRITE iio:device0  4") == "")
        #expect(String(decoding: dialogue.send([127, 255, 255, 255]), as: UTF8.self) == "-22\n")
    }

    @Test("The timestamp clock ends with a line feed and cannot be changed while the buffer runs")
    func clock() {
        var dialogue = Dialogue()
        #expect(write("boottime", to: "current_timestamp_clock", in: &dialogue) == "9\n")
        #expect(dialogue.line("READ iio:device0 current_timestamp_clock") == "10\nboottime\n\0\n")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
        #expect(write("realtime\n", to: "current_timestamp_clock", in: &dialogue) == "-16\n")
        #expect(dialogue.line("CLOSE iio:device0") == "0\n")
        #expect(write("realtime\n", to: "current_timestamp_clock", in: &dialogue) == "10\n")
        #expect(dialogue.line("READ iio:device0 current_timestamp_clock") == "10\nrealtime\n\0\n")
    }

    @Test("An empty write fails after the file was opened")
    func empty() {
        var dialogue = Dialogue()
        #expect(dialogue.line("WRITE iio:device0 sampling_frequency 0") == "-5\n")
        #expect(dialogue.line("WRITE iio:device0 INPUT accel_x mount_matrix 0") == "-13\n")
        #expect(dialogue.line("WRITE iio:device0 nope 0") == "-13\n")
    }

    @Test("The raw attribute follows the measured value in steps of the scale")
    func raw() {
        // 0 for one second, then 9.80665 m/s². 9.80665 / 0.000598 is 16399.08.
        let track = IIOSampleTrack(
            kind: .accelerometer, times: [0, 1_000_000_000], values: [.zero, [0, 0, 9.80665]])
        var dialogue = Dialogue(samples: IIORecordedSource([track]))
        #expect(dialogue.line("READ iio:device0 INPUT accel_z raw") == "2\n0\0\n")
        _ = dialogue.pass(999_999_999)
        #expect(dialogue.line("READ iio:device0 INPUT accel_z raw") == "2\n0\0\n")
        _ = dialogue.pass(1)
        #expect(dialogue.line("READ iio:device0 INPUT accel_z raw") == "6\n16399\0\n")
    }

    @Test("Raw reads can fail while the buffer runs, as with some drivers")
    func directMode() {
        var dialogue = Dialogue { $0.refusesRawReadsWhileBufferEnabled = true }
        #expect(dialogue.line("READ iio:device0 INPUT accel_z raw") == "3\n12\0\n")
        #expect(dialogue.line("OPEN iio:device0 1 0000000f") == "0\n")
        #expect(dialogue.line("READ iio:device0 INPUT accel_z raw") == "-16\n")
        #expect(dialogue.line("READ iio:device0 INPUT accel_z scale") == "9\n0.000598\0\n")
    }

    @Test("A rate range is preserved, and numbers are printed without exponents")
    func ranges() {
        let range = IIOAvailableValues("[10 5 200]")
        #expect(range.listed("15\n") == "15")
        #expect(IIOAvailableValues("low high").listed("high\n") == "high")
        #expect(IIOAvailableValues("low high").listed("medium") == nil)
        #expect(range.listed("300") == nil)
        #expect(IIODecimal.text(1e-7) == "0.0000001")
        #expect(IIODecimal.text(-12.5) == "-12.5")
        #expect(IIODecimal.text(101.325) == "101.325")
        #expect(IIODecimal.text(-1e-12) == "0")
        #expect(IIODecimal.text(.infinity) == "0")
    }
}
