// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import JSONBytes

/// The JSON encoding of a source loss in a trace: a code, a message and a cause.
enum TraceLoss {
    static let standardMessage = "The position source was lost when this trace was recorded."
    static let standardSensorMessage = "The sensor was lost when this trace was recorded."

    /// All known codes. Any other code is read as `connectionLost`.
    private static let codes: [DeviceError.Code] = [
        .unreachable, .connectionLost, .silent, .noFix, .notSupported, .invalidConfiguration, .invalidTrace,
        .permissionDenied, .notFound, .busy, .inputOutput,
    ]

    /// Parses an error. An unknown code from a later version becomes `connectionLost`.
    static func error(_ json: UnsafeRawBufferPointer, standardMessage: String = standardMessage) -> DeviceError {
        var error = DeviceError(.connectionLost, standardMessage)
        var reader = JSONReader(json)
        do throws(JSONError) {
            guard try reader.beginObjectIfPresent() else { return error }
            while let key = try reader.nextKey() {
                switch key.word {
                case JSONText.word("code"):
                    let name = try reader.textIfPresent()?.string()
                    error.code = codes.first { $0.description == name } ?? .connectionLost
                case JSONText.word("message"):
                    error.message = try reader.textIfPresent()?.string() ?? standardMessage
                case JSONText.word("cause"): error.cause = try cause(&reader)
                default: try reader.skipValue()
                }
            }
        } catch {
            return DeviceError(.connectionLost, standardMessage)
        }
        return error
    }

    private static func cause(_ reader: inout JSONReader) throws(JSONError) -> DeviceError.Cause? {
        guard try reader.beginObjectIfPresent() else { return nil }
        var call: String?
        var library: String?
        var number: Int32?
        var code: Int32?
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("call"): call = try reader.textIfPresent()?.string()
            case JSONText.word("library"): library = try reader.textIfPresent()?.string()
            case JSONText.word("errno"): number = try reader.int64IfPresent().flatMap(Int32.init(exactly:))
            case JSONText.word("code"): code = try reader.int64IfPresent().flatMap(Int32.init(exactly:))
            default: try reader.skipValue()
            }
        }
        if let call, let number { return .system(call: call, errno: number) }
        if let library, let code { return .library(name: library, code: code) }
        return nil
    }
}

extension DeviceError: JSONWritable {
    @usableFromInline package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code.description)
            writer.member("message", message)
            guard let cause else { return }
            writer.object("cause") { writer in
                switch cause {
                case .system(let call, let number):
                    writer.member("call", call)
                    writer.member("errno", number)
                case .library(let name, let code):
                    writer.member("library", name)
                    writer.member("code", code)
                }
            }
        }
    }
}
