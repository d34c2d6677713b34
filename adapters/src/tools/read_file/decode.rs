//! Bytes to characters, step by step: a character may be cut between two steps.

/// What a file's first bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// UTF-8, or bytes that are nearly that.
    Utf8,
    /// UTF-16 with its mark, low byte first.
    Utf16Le,
    /// UTF-16 with its mark, high byte first.
    Utf16Be,
    /// No text.
    Binary,
}

/// Judges a sample: a NUL, or more than a tenth of bytes that no text holds, is binary. A character that the sample's
/// end cuts is no fault.
pub(super) fn kind_of(sample: &[u8]) -> Kind {
    match sample {
        [0xff, 0xfe, ..] if sample.len() != 3 => return Kind::Utf16Le,
        [0xfe, 0xff, ..] => return Kind::Utf16Be,
        _ => {}
    }
    let odd = sample.utf8_chunks().map(|chunk| {
        let controls = chunk.valid().bytes().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31)).count();
        let cut = chunk.invalid().as_ptr_range().end == sample.as_ptr_range().end && chunk.invalid().len() < 4;
        controls + if cut { 0 } else { chunk.invalid().len() }
    });
    if sample.contains(&0) || odd.sum::<usize>() * 10 > sample.len() { Kind::Binary } else { Kind::Utf8 }
}

pub(super) struct Decoder {
    kind: Kind,
    /// Bytes of a cut character, or of half a UTF-16 unit.
    cut: Vec<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    first: bool,
}

impl Decoder {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, cut: Vec::new(), high: None, first: true }
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut impl FnMut(char)) {
        self.cut.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.cut);
        let rest = match self.kind {
            Kind::Utf16Le => self.units(&all, u16::from_le_bytes, out),
            Kind::Utf16Be => self.units(&all, u16::from_be_bytes, out),
            Kind::Utf8 | Kind::Binary => self.utf8(&all, out),
        };
        self.cut = rest.to_vec();
    }

    pub(super) fn finish(&mut self, out: &mut impl FnMut(char)) {
        if self.high.take().is_some() || !std::mem::take(&mut self.cut).is_empty() {
            out(char::REPLACEMENT_CHARACTER);
        }
    }

    fn utf8<'a>(&mut self, bytes: &'a [u8], out: &mut impl FnMut(char)) -> &'a [u8] {
        let mut at = 0;
        loop {
            let (valid, fault) = match std::str::from_utf8(&bytes[at..]) {
                Ok(text) => (text.len(), None),
                Err(error) => (error.valid_up_to(), Some(error.error_len())),
            };
            let text = std::str::from_utf8(&bytes[at..at + valid]).unwrap_or_default();
            text.chars().for_each(|c| self.emit(c, out));
            at += valid;
            match fault {
                None | Some(None) => return &bytes[at..],
                Some(Some(length)) => {
                    self.emit(char::REPLACEMENT_CHARACTER, out);
                    at += length;
                }
            }
        }
    }

    fn units<'a>(&mut self, bytes: &'a [u8], read: fn([u8; 2]) -> u16, out: &mut impl FnMut(char)) -> &'a [u8] {
        let (pairs, rest) = bytes.as_chunks::<2>();
        for pair in pairs {
            let unit = read(*pair);
            let units = self.high.take().into_iter().chain([unit]);
            if matches!(unit, 0xd800..=0xdbff) {
                // The half before it, if any, stands alone.
                if units.count() == 2 {
                    self.emit(char::REPLACEMENT_CHARACTER, out);
                }
                self.high = Some(unit);
                continue;
            }
            for c in char::decode_utf16(units) {
                self.emit(c.unwrap_or(char::REPLACEMENT_CHARACTER), out);
            }
        }
        rest
    }

    fn emit(&mut self, c: char, out: &mut impl FnMut(char)) {
        let mark = std::mem::take(&mut self.first) && c == '\u{feff}';
        if !mark {
            out(c);
        }
    }
}
