//! The blobs of a framed file, read from it piece by piece.

use super::{FramedStore, reader::Span};
use crate::{Digest, blob::Space};
use std::{
    io::{self, Read},
    sync::Arc,
};

/// One blob as it is sealed. Holds a place in the file and none of its bytes.
pub(crate) struct FramedBlob {
    store: Arc<FramedStore>,
    space: Space,
    address: Digest,
    /// Which piece, and how much of it was read.
    piece: usize,
    at: u64,
}

impl FramedBlob {
    /// The blob at an address, if the file has it.
    pub fn find(store: &Arc<FramedStore>, space: Space, address: Digest) -> Option<Self> {
        let found = !store.pieces(space, address).is_empty();
        found.then(|| Self { store: store.clone(), space, address, piece: 0, at: 0 })
    }

    /// Sealed bytes in all.
    pub fn length(&self) -> u64 {
        self.store.pieces(self.space, self.address).iter().map(|piece| piece.length).sum()
    }
}

impl Read for FramedBlob {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(piece) = self.store.pieces(self.space, self.address).get(self.piece).copied() {
            if self.at == piece.length {
                (self.piece, self.at) = (self.piece + 1, 0);
                continue;
            }
            let length = (out.len() as u64).min(piece.length - self.at) as usize;
            self.store.read_at(&mut out[..length], piece.start + self.at)?;
            self.at += length as u64;
            return Ok(length);
        }
        Ok(0)
    }
}

/// A file that was given along, piece by piece.
pub(crate) struct Pieces<'a> {
    store: &'a FramedStore,
    pieces: &'a [Span],
}

impl<'a> Pieces<'a> {
    pub fn new(store: &'a FramedStore, pieces: &'a [Span]) -> Self {
        Self { store, pieces }
    }
}

impl Iterator for Pieces<'_> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (piece, rest) = self.pieces.split_first()?;
        self.pieces = rest;
        // At most one piece: the scan refused longer ones.
        let mut bytes = vec![0; piece.length as usize];
        Some(self.store.read_at(&mut bytes, piece.start).map(|()| bytes))
    }
}
