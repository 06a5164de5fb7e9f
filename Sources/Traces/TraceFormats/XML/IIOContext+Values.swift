// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat
import JSONBytes

extension IIOContext {
    /// Gives attributes the values of a JSON object: `{"iio:device0/input/accel_x/scale":"0.000598", …}`.
    ///
    /// A key names the device, then, for an attribute of a channel, `input` or `output` and the channel, or `buffer` for
    /// one of the buffer, and last the attribute. Values are strings; numbers are taken as they are written.
    ///
    /// - Parameters:
    ///   - json: the object.
    ///   - name: what to call it in messages.
    /// - Returns: the keys that name nothing in this context, at most 100 of them.
    /// - Throws: an error of code `invalidTrace` that names the line.
    @discardableResult
    public mutating func setValues(json: [UInt8], name: String = "The values") throws(DeviceError) -> [String] {
        var changed = self
        let result = json.withUnsafeBytes { bytes -> Result<[String], JSONError> in
            do throws(JSONError) {
                return .success(try changed.setValues(bytes))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let unknown):
            self = changed
            return unknown
        case .failure(let error):
            let line = json.prefix(max(error.offset, 0)).count { $0 == UInt8(ascii: "\n") } + 1
            throw DeviceError(
                .invalidTrace,
                "\(name), line \(line): this is not an object of strings, such as {\"iio:device0/sampling_frequency\":\"100\"} (\(error.description))."
            )
        }
    }

    private mutating func setValues(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> [String] {
        var unknown: [String] = []
        var reader = JSONReader(bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            let value: String
            if try reader.peekKind() == .number {
                value = String(decoding: try reader.readRawValue(), as: UTF8.self)
            } else {
                value = try reader.readString()
            }
            if !setValue(value, for: name), unknown.count < 100 { unknown.append(name) }
        }
        try reader.finish()
        return unknown
    }
}
