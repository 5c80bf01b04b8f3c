//! 128 bits of FNV-1a.

/// A hash that is fixed for ever (draft-eastlake-fnv), as the standard library's are not: for names in
/// files. Whoever can choose what is hashed can also choose two that collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv(pub u128);

impl Fnv {
    /// Of nothing.
    pub const START: Fnv = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    /// With these bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Fnv {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(Fnv::PRIME);
        }
        self
    }

    /// With a text and its end, so that no two lists of texts look alike.
    pub fn text(self, text: &str) -> Fnv {
        self.bytes(&(text.len() as u64).to_le_bytes()).bytes(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // The published vectors of FNV-1a, 128 bits.
        let hash = |text: &str| Fnv::START.bytes(text.as_bytes()).0;
        assert_eq!(hash(""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(hash("a"), 0xd228cb696f1a8caf78912b704e4a8964);
        assert_eq!(hash("foobar"), 0x343e1662793c64bf6f0d3597ba446f18);
    }
}
