// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import IIOFormat

/// The description of a libiio context, with pointers to its devices and channels.
struct LibIIODescription {
    /// The maximum numbers of devices, channels and attributes to read from a description. No real board exceeds them.
    private static let maximumDevices: UInt32 = 256
    private static let maximumChannels: UInt32 = 512
    private static let maximumAttributes: UInt32 = 512

    /// The pointers to the devices and channels, with the same indices as in `context`.
    private(set) var devices: [OpaquePointer] = []
    private(set) var channels: [[OpaquePointer]] = []
    private(set) var context: IIOContext

    init(_ pointer: OpaquePointer) {
        var major: UInt32 = 0
        var minor: UInt32 = 0
        let hasVersion = iio_context_get_version(pointer, &major, &minor, nil) == 0
        context = IIOContext(
            name: LibIIOText.string(iio_context_get_name(pointer)),
            description: LibIIOText.string(iio_context_get_description(pointer)),
            version: hasVersion ? "\(major).\(minor)" : "0.24")
        for index in 0..<min(iio_context_get_attrs_count(pointer), Self.maximumAttributes) {
            var name: UnsafePointer<CChar>?
            var value: UnsafePointer<CChar>?
            guard iio_context_get_attr(pointer, index, &name, &value) == 0 else { continue }
            context.attributes.append(IIOAttribute(name: LibIIOText.string(name), value: LibIIOText.string(value)))
        }
        for index in 0..<min(iio_context_get_devices_count(pointer), Self.maximumDevices) {
            guard let device = iio_context_get_device(pointer, index) else { continue }
            add(device)
        }
    }

    private mutating func add(_ pointer: OpaquePointer) {
        var device = IIODevice(
            id: LibIIOText.string(iio_device_get_id(pointer)), name: LibIIOText.string(iio_device_get_name(pointer)),
            label: LibIIOText.string(iio_device_get_label(pointer)))
        var pointers: [OpaquePointer] = []
        for index in 0..<min(iio_device_get_channels_count(pointer), Self.maximumChannels) {
            guard let channel = iio_device_get_channel(pointer, index) else { continue }
            pointers.append(channel)
            device.channels.append(Self.channel(channel))
        }
        for index in 0..<min(iio_device_get_buffer_attrs_count(pointer), Self.maximumAttributes) {
            device.bufferAttributes.append(
                IIOAttribute(name: LibIIOText.string(iio_device_get_buffer_attr(pointer, index))))
        }
        for index in 0..<min(iio_device_get_attrs_count(pointer), Self.maximumAttributes) {
            device.attributes.append(IIOAttribute(name: LibIIOText.string(iio_device_get_attr(pointer, index))))
        }
        if AttributeSelection.mayHaveSensors(device) {
            Self.readValues(of: &device.attributes) { iio_device_attr_read(pointer, $0, $1, $2) }
            for (number, channel) in pointers.enumerated() {
                Self.readValues(of: &device.channels[number].attributes) { iio_channel_attr_read(channel, $0, $1, $2) }
            }
        }
        devices.append(pointer)
        channels.append(pointers)
        context.devices.append(device)
    }

    private static func readValues(
        of attributes: inout [IIOAttribute], _ read: (String, UnsafeMutablePointer<CChar>, Int) -> Int
    ) {
        for index in attributes.indices where AttributeSelection.isNeeded(attributes[index].name) {
            let name = attributes[index].name
            attributes[index].value = try? LibIIOText.read(name) { read(name, $0, $1) }
        }
    }

    private static func channel(_ pointer: OpaquePointer) -> IIOChannel {
        var channel = IIOChannel(
            id: LibIIOText.string(iio_channel_get_id(pointer)), name: LibIIOText.string(iio_channel_get_name(pointer)),
            isOutput: iio_channel_is_output(pointer))
        if iio_channel_is_scan_element(pointer), let format = iio_channel_get_data_format(pointer)?.pointee {
            let index = iio_channel_get_index(pointer)
            let dataFormat = IIODataFormat(
                isBigEndian: format.is_be, isSigned: format.is_signed, bits: Int(clamping: format.bits),
                storageBits: Int(clamping: format.length), shift: Int(clamping: format.shift),
                count: max(1, Int(clamping: format.repeat)))
            if index >= 0, let dataFormat {
                channel.scan = IIOScanElement(
                    index: Int(index), format: dataFormat, scale: format.with_scale ? format.scale : nil)
            }
        }
        for index in 0..<min(iio_channel_get_attrs_count(pointer), maximumAttributes) {
            guard let name = iio_channel_get_attr(pointer, index) else { continue }
            let filename = iio_channel_attr_get_filename(pointer, name)
            channel.attributes.append(
                IIOAttribute(name: LibIIOText.string(name), filename: filename.map { String(cString: $0) }))
        }
        return channel
    }
}

enum LibIIOText {
    /// Returns the value that a libiio function writes to a buffer, without trailing whitespace.
    static func read(_ call: String, _ function: (UnsafeMutablePointer<CChar>, Int) -> Int) throws(IIOFailure) -> String
    {
        var code = 0
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { buffer -> String in
            guard let start = buffer.baseAddress else { return "" }
            code = function(start, buffer.count)
            guard code >= 0 else { return "" }
            let bytes = UnsafeRawBufferPointer(start: start, count: min(code, buffer.count)).prefix { $0 != 0 }
            var end = bytes.endIndex
            while end > bytes.startIndex, bytes[end - 1] <= 0x20 { end -= 1 }
            return String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self)
        }
        guard code >= 0 else { throw IIOFailure(call, returned: code) }
        return text
    }

    static func string(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
#endif
