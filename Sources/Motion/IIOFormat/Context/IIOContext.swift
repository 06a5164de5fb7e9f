// SPDX-License-Identifier: Apache-2.0

/// A snapshot of a libiio context with its devices, channels and attributes.
public struct IIOContext: Sendable, Hashable {
    /// The name of the backend, for example "local" or "network".
    package var name: String
    /// A description, usually the output of `uname -a`.
    package var description: String
    package var version: String
    /// The attributes that describe the system, for example "local,kernel".
    package var attributes: [IIOAttribute]
    /// The devices and triggers, in the kernel's order.
    package var devices: [IIODevice]

    package init(
        name: String = "local", description: String = "", version: String = "0.24", attributes: [IIOAttribute] = [],
        devices: [IIODevice] = []
    ) {
        (self.name, self.description, self.version) = (name, description, version)
        (self.attributes, self.devices) = (attributes, devices)
    }
}

extension IIOContext {
    /// Returns the context as XML, identical to the output of libiio 0.24. If `includingValues` is true, the XML also
    /// contains the attribute values, which iio-emu uses and libiio ignores. If the context has no version, version
    /// 0.24 is written.
    package func xml(includingValues: Bool) -> String {
        var writer = IIOXMLWriter(includingValues: includingValues)
        writer.write(self)
        return writer.text
    }

    /// Sets the value of an attribute. Returns false if the attribute does not exist. A key has the form
    /// `device/attribute`, `device/buffer/attribute`, `device/debug/attribute`, `device/input/channel/attribute` or
    /// `device/output/channel/attribute`, where `device` is the device ID.
    @discardableResult package mutating func setValue(_ value: String, for key: String) -> Bool {
        guard let keyPath = keyPath(of: key) else { return false }
        self[keyPath: keyPath].value = value
        return true
    }

    package func value(for key: String) -> String? { keyPath(of: key).flatMap { self[keyPath: $0].value } }

    private func keyPath(of key: String) -> WritableKeyPath<IIOContext, IIOAttribute>? {
        guard key.utf8.count <= 1024 else { return nil }
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        guard let id = parts.first, let deviceIndex = devices.firstIndex(where: { $0.id == id }), let name = parts.last
        else {
            return nil
        }
        let device = devices[deviceIndex]
        func index(_ attributes: [IIOAttribute]) -> Int? { attributes.firstIndex { $0.name == name } }
        switch (parts.count, parts.dropFirst().first) {
        case (2, _): return index(device.attributes).map { \.devices[deviceIndex].attributes[$0] }
        case (3, "buffer"): return index(device.bufferAttributes).map { \.devices[deviceIndex].bufferAttributes[$0] }
        case (3, "debug"): return index(device.debugAttributes).map { \.devices[deviceIndex].debugAttributes[$0] }
        case (4, let direction) where direction == "input" || direction == "output":
            let isOutput = direction == "output"
            let channel = device.channels.firstIndex { $0.id == parts[2] && $0.isOutput == isOutput }
            guard let channel else { return nil }
            return index(device.channels[channel].attributes).map {
                \.devices[deviceIndex].channels[channel].attributes[$0]
            }
        default: return nil
        }
    }
}
