//! stdin and stdout without a thread in between, where they are pipes or sockets, as they are under
//! an editor. Terminals and files go through tokio's blocking threads.

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// A readable stream.
pub type Input = Pin<Box<dyn AsyncRead + Send>>;
/// A writable stream.
pub type Output = Pin<Box<dyn AsyncWrite + Send>>;

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream as StdSocket;

    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    pub enum Kind {
        Pipe(File),
        Socket(UnixStream),
        Other,
    }

    /// What stands behind a standard stream, with a descriptor of our own.
    pub fn kind(stream: impl AsFd) -> std::io::Result<Kind> {
        let file = File::from(stream.as_fd().try_clone_to_owned()?);
        let file_type = file.metadata()?.file_type();
        if file_type.is_fifo() {
            Ok(Kind::Pipe(file))
        } else if file_type.is_socket() {
            let socket = StdSocket::from(std::os::fd::OwnedFd::from(file));
            if socket.local_addr().is_err() {
                return Ok(Kind::Other);
            }
            socket.set_nonblocking(true)?;
            Ok(Kind::Socket(UnixStream::from_std(socket)?))
        } else {
            Ok(Kind::Other)
        }
    }

    pub fn reader(file: File) -> std::io::Result<pipe::Receiver> {
        pipe::Receiver::from_file(file)
    }

    pub fn writer(file: File) -> std::io::Result<pipe::Sender> {
        pipe::Sender::from_file(file)
    }
}

/// Standard input.
///
/// # Errors
/// It is closed, or cannot be watched.
pub fn stdin() -> std::io::Result<Input> {
    #[cfg(unix)]
    match unix::kind(std::io::stdin())? {
        unix::Kind::Pipe(file) => return Ok(Box::pin(unix::reader(file)?)),
        unix::Kind::Socket(socket) => return Ok(Box::pin(socket)),
        unix::Kind::Other => {}
    }
    Ok(Box::pin(tokio::io::stdin()))
}

/// Standard output.
///
/// # Errors
/// It is closed, or cannot be watched.
pub fn stdout() -> std::io::Result<Output> {
    #[cfg(unix)]
    match unix::kind(std::io::stdout())? {
        unix::Kind::Pipe(file) => return Ok(Box::pin(unix::writer(file)?)),
        unix::Kind::Socket(socket) => return Ok(Box::pin(socket)),
        unix::Kind::Other => {}
    }
    Ok(Box::pin(tokio::io::stdout()))
}
