//! Reading one request: head by `httparse`, body by length or in chunks.

use std::io;

use bytes::{Buf, Bytes, BytesMut};

use super::request::Request;
use super::wire::Wire;

/// More headers than any client of ours sends.
const MAX_HEADERS: usize = 100;
/// A head above this is refused, so that a wrong client cannot fill the memory of a test run.
const MAX_HEAD_BYTES: usize = 256 * 1024;

/// The next request, or none when the client closed the connection between two requests.
pub(super) async fn next_request(wire: &mut Wire) -> io::Result<Option<Request>> {
    let Some(head) = read_head(wire).await? else { return Ok(None) };
    if head.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        wire.write(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let chunked = head.header("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
    let body = match head.header("content-length") {
        _ if chunked => read_chunked(wire).await?,
        Some(length) => {
            let length = length.trim().parse().map_err(|_| bad("content-length is not a number"))?;
            read_exactly(wire, length).await?
        }
        None => Bytes::new(),
    };
    Ok(Some(Request::new(head.method, head.path, head.headers, body)))
}

struct Head {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

async fn read_head(wire: &mut Wire) -> io::Result<Option<Head>> {
    loop {
        if let Some((length, head)) = parse_head(&wire.unread)? {
            wire.unread.advance(length);
            return Ok(Some(head));
        }
        if wire.unread.len() > MAX_HEAD_BYTES {
            return Err(bad("the head of the request is too long"));
        }
        if wire.read_more().await? == 0 {
            return if wire.unread.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
    }
}

fn parse_head(bytes: &[u8]) -> io::Result<Option<(usize, Head)>> {
    let mut slots = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut slots);
    let httparse::Status::Complete(length) = parsed.parse(bytes).map_err(|why| bad(&why.to_string()))? else {
        return Ok(None);
    };
    let headers = parsed
        .headers
        .iter()
        .map(|header| (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    let method = parsed.method.unwrap_or_default().to_owned();
    let path = parsed.path.unwrap_or_default().to_owned();
    Ok(Some((length, Head { method, path, headers })))
}

async fn read_exactly(wire: &mut Wire, length: usize) -> io::Result<Bytes> {
    while wire.unread.len() < length {
        if wire.read_more().await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    // A copy, because a slice would keep the whole read buffer alive for as long as the request is kept.
    let body = Bytes::copy_from_slice(&wire.unread[..length]);
    wire.unread.advance(length);
    Ok(body)
}

async fn read_chunked(wire: &mut Wire) -> io::Result<Bytes> {
    let mut body = BytesMut::new();
    loop {
        let size = read_chunk_size(wire).await?;
        let chunk = read_exactly(wire, size + 2).await?; // the data and its line end
        if size == 0 {
            return Ok(body.freeze()); // clients of ours send no trailers
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

async fn read_chunk_size(wire: &mut Wire) -> io::Result<usize> {
    loop {
        let parsed = httparse::parse_chunk_size(&wire.unread).map_err(|_| bad("a chunk has no size"))?;
        if let httparse::Status::Complete((length, size)) = parsed {
            wire.unread.advance(length);
            return usize::try_from(size).map_err(|_| bad("a chunk is too large"));
        }
        if wire.read_more().await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}
