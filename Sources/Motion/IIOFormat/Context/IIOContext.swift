// SPDX-License-Identifier: Apache-2.0

/// A context as libiio's XML describes it: devices with their channels and attributes.
///
/// It is a value: a picture of the devices at one time. Attributes may carry the values that they had.
public struct IIOContext: Sendable, Hashable {
    /// "local", "network" and so on.
    public var name: String
    /// Free text, usually what `uname -a` prints.
    public var description: String
    /// The version of libiio that described it, for example "0.24".
    public var version: String
    /// Facts about the machine, such as "local,kernel".
    public var attributes: [IIOAttribute]
    /// The devices and triggers, in the order of the kernel.
    public var devices: [IIODevice]

    /// A context of those parts.
    public init(
        name: String = "local", description: String = "", version: String = "0.24", attributes: [IIOAttribute] = [],
        devices: [IIODevice] = []
    ) {
        self.name = name
        self.description = description
        self.version = version
        self.attributes = attributes
        self.devices = devices
    }
}

extension IIOContext {
    /// The context as libiio 0.24 writes it, byte for byte, with its document type inside.
    ///
    /// With values, `attribute`, `debug-attribute` and `buffer-attribute` carry `value`, as the contexts that iio-emu
    /// takes do; libiio passes them over. A context that states no version is written as 0.24's.
    public func xml(includingValues: Bool) -> String {
        var writer = IIOXMLWriter(includingValues: includingValues)
        writer.write(self)
        return writer.text
    }

    /// Sets the value of the attribute that the key names; false when there is no such attribute.
    ///
    /// Keys are `device/attribute`, `device/buffer/attribute`, `device/debug/attribute` and
    /// `device/input/channel/attribute` or `device/output/channel/attribute`, with the device's id.
    @discardableResult
    public mutating func setValue(_ value: String, for key: String) -> Bool {
        guard let place = place(of: key) else { return false }
        self[keyPath: place].value = value
        return true
    }

    /// The value of the attribute that the key names; nil when there is no such attribute or its value is not known.
    public func value(for key: String) -> String? { place(of: key).flatMap { self[keyPath: $0].value } }

    private func place(of key: String) -> WritableKeyPath<IIOContext, IIOAttribute>? {
        guard key.utf8.count <= 1024 else { return nil }
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard let id = parts.first, let at = devices.firstIndex(where: { $0.id == id }), let name = parts.last else {
            return nil
        }
        let device = devices[at]
        func index(_ attributes: [IIOAttribute]) -> Int? { attributes.firstIndex { $0.name == name } }
        switch (parts.count, parts.dropFirst().first) {
        case (2, _): return index(device.attributes).map { \.devices[at].attributes[$0] }
        case (3, "buffer"): return index(device.bufferAttributes).map { \.devices[at].bufferAttributes[$0] }
        case (3, "debug"): return index(device.debugAttributes).map { \.devices[at].debugAttributes[$0] }
        case (4, let direction) where direction == "input" || direction == "output":
            let isOutput = direction == "output"
            let channel = device.channels.firstIndex { $0.id == parts[2] && $0.isOutput == isOutput }
            guard let channel else { return nil }
            return index(device.channels[channel].attributes).map { \.devices[at].channels[channel].attributes[$0] }
        default: return nil
        }
    }
}
