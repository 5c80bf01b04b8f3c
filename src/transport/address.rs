//! Where a daemon listens.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// TCP; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.is_empty() {
                Err("unix: needs a path".to_owned())
            } else {
                Ok(Address::Unix(path.into()))
            };
        }
        let address = text.parse();
        address
            .map(Address::Tcp)
            .map_err(|_| format!("{text:?} is neither IP:PORT nor unix:PATH, such as 127.0.0.1:0"))
    }
}

impl Address {
    /// Whether other machines can reach it.
    pub fn is_remote(&self) -> bool {
        matches!(self, Address::Tcp(address) if !address.ip().is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert!(matches!("127.0.0.1:0".parse(), Ok(Address::Tcp(_))));
        assert!(matches!("[::1]:9".parse(), Ok(Address::Tcp(_))));
        assert_eq!("unix:/run/x".parse(), Ok(Address::Unix("/run/x".into())));
        for bad in ["localhost:1", "unix:", "8080", ""] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
        for (address, remote) in [
            ("127.0.0.1:0", false),
            ("127.9.9.9:1", false),
            ("[::1]:1", false),
            ("unix:/run/x", false),
            ("0.0.0.0:80", true),
            ("[::]:80", true),
            ("192.168.0.1:1", true),
        ] {
            assert_eq!(address.parse::<Address>().unwrap().is_remote(), remote, "{address}");
        }
    }
}
