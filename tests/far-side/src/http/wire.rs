//! A socket with the bytes that were read too far, and a pause that notices when the client leaves.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// How much is read at once. Request bodies are mostly tens of kilobytes, so one or two reads take a whole one.
const READ_BYTES: usize = 64 * 1024;

/// One connection.
pub(super) struct Wire {
    socket: TcpStream,
    /// Read and not yet consumed.
    pub(super) unread: BytesMut,
}

impl Wire {
    pub(super) fn new(socket: TcpStream) -> io::Result<Self> {
        // Without it the kernel would merge the single bytes that a test wants to see arrive one by one.
        socket.set_nodelay(true)?;
        Ok(Self { socket, unread: BytesMut::with_capacity(READ_BYTES) })
    }

    /// Reads what is there, waiting for at least one byte; 0 means that the client closed its side.
    pub(super) async fn read_more(&mut self) -> io::Result<usize> {
        self.unread.reserve(READ_BYTES);
        self.socket.read_buf(&mut self.unread).await
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes).await
    }

    /// Waits, and fails as soon as the client closes the connection.
    pub(super) async fn pause(&mut self, length: Duration) -> io::Result<()> {
        let until = Instant::now() + length;
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(until) => return Ok(()),
                read = self.read_more() => if read? == 0 {
                    return Err(io::ErrorKind::ConnectionReset.into());
                },
            }
        }
    }

    /// Ends the connection in an orderly way: everything written arrives, then the end of the stream.
    pub(super) async fn close(mut self) {
        // The client may be gone already, and then there is nothing left to close.
        self.socket.shutdown().await.ok();
    }
}
