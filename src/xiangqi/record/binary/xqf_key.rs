//! The numbers that XQF files from version 11 on are scrambled with.
//!
//! Source: the algorithm that xqbase publishes with its converter, and that vschess and cchess use too.
//! Four bytes of the head are secrets chosen at random; a fifth, a mask, and four more mix them.

/// What is subtracted from the bytes of a file. All zero up to version 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Key {
    /// From the points of the pieces; from version 12 on it also turns their order.
    pub pieces: u8,
    /// From the points where moves begin.
    pub from: u8,
    /// From the points where moves end.
    pub to: u8,
    /// From the lengths of comments.
    pub comment: u32,
    /// From every byte behind the head, over and over.
    pub stream: [u8; 32],
}

/// The text that the stream is cut from.
const MASK: [u8; 32] = *b"[(C) Copyright Mr. Dong Shiwei.]";

impl Key {
    /// The key of a file from the first 16 bytes of its head.
    pub fn new(head: &[u8; 16]) -> Key {
        let [_, _, version, mask, _, _, _, _, or_a, or_b, or_c, or_d, sum, a, b, c] = *head;
        if version <= 10 {
            return Key::default();
        }
        let square = |byte: u8| byte.wrapping_mul(byte).wrapping_mul(54).wrapping_add(221);
        let pieces = square(a).wrapping_mul(a);
        let from = square(b).wrapping_mul(pieces);
        let to = square(c).wrapping_mul(from);
        let mixed = [sum & mask | or_a, a & mask | or_b, b & mask | or_c, c & mask | or_d];
        let mut stream = MASK;
        for (index, byte) in stream.iter_mut().enumerate() {
            *byte &= mixed[index % 4];
        }
        Key { pieces, from, to, comment: (u32::from(sum) * 256 + u32::from(a)) % 32_000 + 767, stream }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Head bytes of a sample of xqbase's, and its key by hand: a = 0xA5, a² ≡ 0x59, · 54 ≡ 0xC6,
    /// + 221 ≡ 0xA3, · a ≡ 0x0F; the others alike.
    #[test]
    fn a_key_by_hand() {
        let mut head = [0; 16];
        head[..4].copy_from_slice(&[b'X', b'Q', 18, 0xBE]);
        head[8..].copy_from_slice(&[0xE8, 0xD8, 0xBC, 0x84, 0xA5, 0x9C, 0xE7, 0xD8]);
        let key = Key::new(&head);
        // a = 0x9C: a² = 24336 ≡ 0x10, · 54 = 864 ≡ 0x60, + 221 = 317 ≡ 0x3D, · 0x9C = 9516 ≡ 0x2C.
        assert_eq!(key.pieces, 0x2C);
        // b = 0xE7: b² = 53361 ≡ 0x71, · 54 = 6102 ≡ 0xD6, + 221 = 435 ≡ 0xB3, · 0x2C = 7876 ≡ 0xC4.
        assert_eq!(key.from, 0xC4);
        // c = 0xD8: c² = 46656 ≡ 0x40, · 54 = 3456 ≡ 0x80, + 221 = 349 ≡ 0x5D, · 0xC4 = 18228 ≡ 0x34.
        assert_eq!(key.to, 0x34);
        // 0xA59C = 42396, % 32000 = 10396, + 767.
        assert_eq!(key.comment, 11163);
        // sum & mask | or: 0xA4 | 0xE8 = 0xEC, 0x9C | 0xD8 = 0xDC, 0xA6 | 0xBC = 0xBE, 0x98 | 0x84 = 0x9C.
        assert_eq!(key.stream[..4], [b'[' & 0xEC, b'(' & 0xDC, b'C' & 0xBE, b')' & 0x9C]);
        head[2] = 10;
        assert_eq!(Key::new(&head), Key::default());
    }
}
