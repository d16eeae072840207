//! The part of the Protocol Buffers encoding that an ONNX file needs: fields of numbers, bytes and
//! messages.

/// A message to which fields are added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// The encoded message.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A field of a whole number.
    pub fn int(mut self, field: u32, value: i64) -> Self {
        self.key(field, 0);
        self.varint(value as u64);
        self
    }

    /// A repeated field of whole numbers.
    pub fn ints(self, field: u32, values: impl IntoIterator<Item = i64>) -> Self {
        let mut packed = Message::default();
        values.into_iter().for_each(|value| packed.varint(value as u64));
        self.bytes(field, packed.0)
    }

    /// A field of text or bytes.
    pub fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.key(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// A field that is a message.
    pub fn message(self, field: u32, value: Message) -> Self {
        self.bytes(field, value.0)
    }

    /// A repeated field of messages.
    pub fn messages(self, field: u32, values: impl IntoIterator<Item = Message>) -> Self {
        values.into_iter().fold(self, |message, value| message.message(field, value))
    }

    fn key(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    /// Writes seven bits a byte, the lowest first. The highest bit of a byte says that more bytes
    /// follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of protobuf.dev/programming-guides/encoding: 150, "testing", a message of 150,
    /// packed 3, 270, 86942; and -2.
    #[test]
    fn as_the_guide_has_it() {
        let bytes = |message: Message| message.into_bytes();
        assert_eq!(bytes(Message::default().int(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(bytes(Message::default().bytes(2, "testing")), b"\x12\x07testing");
        let inner = Message::default().int(1, 150);
        assert_eq!(bytes(Message::default().message(3, inner)), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let packed = Message::default().ints(6, [3, 270, 86_942]);
        assert_eq!(bytes(packed), [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
        let negative = [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(bytes(Message::default().int(1, -2)), negative);
    }
}
