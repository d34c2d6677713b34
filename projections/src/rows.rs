//! Rows in the order in which they came, found by their id.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{collections::HashMap, hash::Hash};

/// A row that has an id.
pub(crate) trait Keyed {
    /// The id.
    type Key: Copy + Eq + Hash;

    /// Its id.
    fn key(&self) -> Self::Key;
}

/// Rows and the places of their ids. Written as the rows alone, so equal rows give equal bytes; the places follow.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T: Keyed> {
    rows: Vec<T>,
    places: HashMap<T::Key, usize>,
}

impl<T: Keyed> Default for Rows<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Keyed> Rows<T> {
    /// In order.
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }

    /// Where a row stands. Most events speak of what came last, so that is looked at before anything is hashed.
    pub fn place(&self, key: T::Key) -> Option<usize> {
        match self.rows.last() {
            Some(last) if last.key() == key => Some(self.rows.len() - 1),
            _ => self.places.get(&key).copied(),
        }
    }

    /// The row with an id.
    pub fn get(&self, key: T::Key) -> Option<&T> {
        self.place(key).map(|place| &self.rows[place])
    }

    /// The row with an id, to change what is not its id.
    pub fn get_mut(&mut self, key: T::Key) -> Option<&mut T> {
        self.place(key).map(|place| &mut self.rows[place])
    }

    /// Puts a row behind the others, or in the place of the one that has its id. Returns the place.
    pub fn insert(&mut self, row: T) -> usize {
        let place = *self.places.entry(row.key()).or_insert(self.rows.len());
        match self.rows.get_mut(place) {
            Some(former) => *former = row,
            None => self.rows.push(row),
        }
        place
    }
}

impl<T: Keyed + Serialize> Serialize for Rows<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows.serialize(serializer)
    }
}

impl<'de, T: Keyed + Deserialize<'de>> Deserialize<'de> for Rows<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<T>::deserialize(deserializer)?;
        let places = rows.iter().enumerate().map(|(place, row)| (row.key(), place)).collect();
        Ok(Self { rows, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keyed for (u8, &'static str) {
        type Key = u8;
        fn key(&self) -> u8 {
            self.0
        }
    }

    #[test]
    fn a_row_is_found_by_its_id_and_keeps_its_place() {
        let mut rows = Rows::default();
        assert_eq!([rows.insert((7, "a")), rows.insert((3, "b")), rows.insert((7, "c"))], [0, 1, 0]);
        assert_eq!((rows.get(7), rows.get(3), rows.get(1)), (Some(&(7, "c")), Some(&(3, "b")), None));
        assert_eq!(rows.as_slice(), [(7, "c"), (3, "b")]);
        rows.get_mut(3).unwrap().1 = "d";
        assert_eq!((rows.place(3), rows.as_slice()[1]), (Some(1), (3, "d")));
    }
}
