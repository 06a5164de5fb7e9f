// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import IIOFormat

extension IIOContext {
    /// The largest description that is read, in bytes.
    public static var maximumXMLSize: Int { 16 << 20 }

    /// Reads a context from libiio's XML, as `iiod` sends it and `iio_info -S` and the emulators keep it.
    ///
    /// The dialects of libiio 0.21 to 0.26 and of 1.0 are read, with or without the document type inside, and with the
    /// values that iio-emu adds. Elements that are not known here are passed over. Channels are put in the order of
    /// their scan indexes, those without one last, as libiio does.
    ///
    /// The document type is skipped, so nothing outside is ever loaded, and entities that it may define do not exist.
    ///
    /// - Parameters:
    ///   - xml: the text, in UTF-8, at most ``maximumXMLSize`` bytes.
    ///   - name: what to call it in messages.
    /// - Throws: an error of code `invalidTrace` that names the line and says what is wrong there.
    public init(xml: [UInt8], name: String = "The XML of the context") throws(DeviceError) {
        guard xml.count <= Self.maximumXMLSize else {
            throw DeviceError(
                .invalidTrace,
                "\(name) has \(xml.count) bytes; a description of sensors has at most \(Self.maximumXMLSize). Is it another file?"
            )
        }
        self = try IIOContextReader.read(xml, name: name)
    }
}
