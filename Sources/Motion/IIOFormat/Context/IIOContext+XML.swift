// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
}
