//! Server-sent events from the host, one at a time.

use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// A stream of events. Dropping it hangs up.
pub struct ChatStream {
    response: Response,
    /// Bytes of events that are not complete yet; cut only at line ends, so never inside a character.
    pending: Vec<u8>,
    done: bool,
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its `id` field.
    pub id: Option<String>,
    /// Its `event` field.
    pub name: Option<String>,
    /// Its `data` lines, joined by line ends.
    pub data: String,
}

impl ChatStream {
    pub(super) async fn open(response: Response) -> Self {
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if status != 200 || !kind.starts_with("text/event-stream") {
            let kind = kind.to_owned();
            panic!("no event stream, but {status} {kind}: {:?}", response.text().await);
        }
        Self { response, pending: Vec::new(), done: false }
    }

    /// The headers of the answer.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The next event that has data; none when the stream is over.
    ///
    /// # Errors
    /// If the connection breaks in the middle of the body.
    pub async fn next_event(&mut self) -> Result<Option<Event>, reqwest::Error> {
        loop {
            while let Some(block) = self.take_block() {
                let event = parse(&block);
                if !event.data.is_empty() {
                    return Ok(Some(event));
                }
            }
            match self.response.chunk().await? {
                Some(bytes) => self.pending.extend(bytes.iter().filter(|byte| **byte != b'\r')),
                None => return Ok(None),
            }
        }
    }

    /// The next `data` of a chat stream as JSON; none at `[DONE]`.
    ///
    /// # Panics
    /// If the stream ends without `[DONE]`, breaks, or holds something else than JSON.
    pub async fn next(&mut self) -> Option<Value> {
        if self.done {
            return None;
        }
        let event = self.next_event().await.unwrap_or_else(|why| panic!("the stream broke: {why:?}"));
        let data = event.expect("a stream that ends with [DONE]").data;
        self.done = data == "[DONE]";
        (!self.done).then(|| serde_json::from_str(&data).unwrap_or_else(|why| panic!("no JSON ({why}): {data}")))
    }

    /// The next piece of text; none at `[DONE]`.
    ///
    /// # Panics
    /// As [`Self::next`].
    pub async fn next_text(&mut self) -> Option<String> {
        while let Some(chunk) = self.next().await {
            if let Some(text) = chunk["choices"][0]["delta"]["content"].as_str().filter(|text| !text.is_empty()) {
                return Some(text.to_owned());
            }
        }
        None
    }

    /// The rest of the text up to `[DONE]`.
    ///
    /// # Panics
    /// As [`Self::next`].
    pub async fn text(&mut self) -> String {
        let mut whole = String::new();
        while let Some(text) = self.next_text().await {
            whole.push_str(&text);
        }
        whole
    }

    fn take_block(&mut self) -> Option<String> {
        let end = self.pending.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = self.pending.drain(..end + 2).collect();
        Some(String::from_utf8(block).expect("the host streams UTF-8"))
    }
}

fn parse(block: &str) -> Event {
    let mut event = Event::default();
    let mut data = Vec::new();
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data.push(value),
            "id" => event.id = Some(value.to_owned()),
            "event" => event.name = Some(value.to_owned()),
            _ => {} // comments and fields that nobody knows
        }
    }
    event.data = data.join("\n");
    event
}
