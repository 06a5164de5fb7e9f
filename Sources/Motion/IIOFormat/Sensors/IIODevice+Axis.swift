// SPDX-License-Identifier: Apache-2.0

extension IIODevice {
    /// Returns the axis of a channel. If its values cannot be calculated, also returns the problem, and the scale of
    /// the axis is 0.
    func axis(at place: Int, type: String) -> (axis: IIOAxis, problem: String?) {
        let channel = channels[place]
        var axis = IIOAxis(channel: place, channelID: channel.id)
        let scale = attribute("scale", of: channel, type: type)
        // If the channel has both attributes, `raw` is preferred, because a buffer contains the same numbers. Without a
        // scale, a raw number has no defined value.
        axis.isProcessed = channel.attribute("input") != nil && (channel.attribute("raw") == nil || scale == nil)
        guard !axis.isProcessed else { return (axis, nil) }
        do throws(AttributeProblem) {
            if let scale { axis.scale = try number(scale, of: channel) }
            if let offset = attribute("offset", of: channel, type: type) {
                axis.offset = try number(offset, of: channel)
            }
            guard axis.scale != 0 else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, what: "and a scale cannot be 0")
            }
            // Raw numbers have up to 64 bits.
            guard ((abs(axis.offset) + 0x1p64) * axis.scale).isFinite else {
                throw AttributeProblem(
                    attribute: scale, device: self, channel: channel, what: "which is too large for a reading")
            }
            return (axis, nil)
        } catch {
            (axis.scale, axis.offset) = (0, 0)
            return (axis, error.text)
        }
    }

    private func number(_ attribute: IIOAttribute, of channel: IIOChannel) throws(AttributeProblem) -> Double {
        if let number = attribute.number { return number }
        let what = attribute.value == nil ? "" : "which is not a finite decimal number"
        throw AttributeProblem(attribute: attribute, device: self, channel: channel, what: what)
    }
}

/// The problem of a channel attribute.
private struct AttributeProblem: Error {
    let text: String

    init(attribute: IIOAttribute?, device: IIODevice, channel: IIOChannel, what: String) {
        let file = attribute?.filename ?? "the scale"
        let place = "\(file) of \(channel.id) on \(device.title)"
        let remedy = "The readings would be invalid. Check the driver and the attribute."
        if let value = attribute?.text {
            text = "\(place) is \"\(value.prefix(40))\", \(what). \(remedy)"
        } else {
            text = "\(place) could not be read. \(remedy)"
        }
    }
}
